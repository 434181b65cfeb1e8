import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Game, openShelf, type Shelf } from './world.ts'

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

let shelf: Shelf
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(() => shelf.close())

/** Compiles a game's `src/main.ts` as a user does, against the package as it is built; answers the lines that are wrong. */
async function compile(game: Game): Promise<readonly string[]> {
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, '-p', game.root, '--pretty', 'false'], { cwd: game.root }, (_error, stdout) => resolve(stdout))
  })
  return output.split('\n').filter((line) => line !== '')
}

test('a name that no spec has is an error of types, and a name that one has is none', async () => {
  const main = `import hero from '../sprites/hero.sprite.json'
import coin from '../sprites/coin.sprite.yaml'
import { sprites } from 'virtual:spritewright'
export const good = [hero.animations.walk.fps, hero.frames[0] satisfies 'hero/walk/0000' | string, coin.animations.spin.loop, sprites.hero.name, hero.atlases[0]?.pages[0]?.url]
export const frame: (typeof hero.frames)[number] = 'hero/walk/0006'
export const wrongAnimation = hero.animations.run
export const wrongFrame: (typeof hero.frames)[number] = 'hero/walk/0007'
export const wrongSprite = sprites.knight
`
  const tsconfig = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      module: 'ESNext',
      moduleResolution: 'bundler',
      target: 'ES2023',
      lib: ['ES2023', 'DOM'],
      skipLibCheck: true,
      allowArbitraryExtensions: true,
      types: ['spritewright/client'],
    },
    include: ['src', 'sprites'],
  }
  const game = await shelf.game({ 'src/main.ts': main, 'tsconfig.json': JSON.stringify(tsconfig) })
  await mkdir(game.path('node_modules'), { recursive: true })
  await symlink(repository, game.path('node_modules/spritewright'), 'dir')
  const workshop = await shelf.workshop(game)
  const { sheets } = await workshop.build()
  await workshop.writeTypings(sheets)
  await workshop.close()
  expect((await compile(game)).map((line) => line.replace(/^(.*?)\((\d+),\d+\): error TS\d+.*$/, '$1:$2'))).toEqual([
    'src/main.ts:6',
    'src/main.ts:7',
    'src/main.ts:8',
  ])
})
