import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Game, openShelf, type Shelf } from './world.ts'

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const compiler = join(repository, 'node_modules/typescript/bin/tsc')

let shelf: Shelf
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(() => shelf.close())

/** Installs a dependency of the repository in the game. */
async function install(game: Game, name: string): Promise<void> {
  const place = game.path(`node_modules/${name}`)
  await mkdir(dirname(place), { recursive: true })
  await symlink(name === 'spritewright' ? repository : join(repository, 'node_modules', name), place, 'dir')
}

/** The TypeScript snippets of the docs, each with its page and line. */
async function readSnippets(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const page of ['README.md', ...['vite', 'engines', 'options', 'formats', 'errors', 'library'].map((name) => `docs/${name}.md`)]) {
    const text = await readFile(join(repository, page), 'utf8')
    for (const { 1: code = '', index } of text.matchAll(/^```ts\n(.*?)^```$/gms))
      found.set(`src/${page.replace(/\W/g, '-')}-${text.slice(0, index).split('\n').length + 1}.ts`, code)
  }
  return found
}

/** The options of docs/vite.md. */
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

/**
 * Compiles a game's `src/main.ts` as a user does, against the built package. Returns the lines with errors.
 */
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
  const game = await shelf.game({ 'src/main.ts': main, 'tsconfig.json': JSON.stringify(tsconfig) })
  await install(game, 'spritewright')
  const workshop = await shelf.workshop(game)
  await workshop.writeTypings()
  await workshop.close()
  expect((await compile(game)).map((line) => line.replace(/^(.*?)\((\d+),\d+\): error TS\d+.*$/, '$1:$2'))).toEqual([
    'src/main.ts:6',
    'src/main.ts:7',
    'src/main.ts:8',
  ])
})

test('with the option "typings", one file has the types of all sprites, and those beside the specs go', async () => {
  const main = `import { sprites } from 'virtual:spritewright'
export const good = [sprites.hero.animations.walk.fps, sprites.coin.animations.spin.loop]
export const wrongAnimation = sprites.hero.animations.run
export const wrongSprite = sprites.knight
`
  const game = await shelf.game({ 'src/main.ts': main, 'tsconfig.json': JSON.stringify(tsconfig) })
  await install(game, 'spritewright')
  const beside = await shelf.workshop(game)
  await beside.writeTypings()
  await beside.close()
  const workshop = await shelf.workshop(game, { typings: 'src/sprites.d.ts' })
  const names = ['sprites/coin.sprite.d.yaml.ts', 'sprites/hero.sprite.d.json.ts', 'src/sprites.d.ts']
  expect([...(await workshop.writeTypings())].sort()).toEqual(names.map((name) => game.path(name)))
  const [{ specs }, written] = [await workshop.preview(), await readFile(game.path('src/sprites.d.ts'), 'utf8')]
  // The dev server names the specs that have changed; the file still has all.
  expect(await workshop.writeTypings(specs.slice(0, 1))).toEqual([])
  const spec = await readFile(game.path('sprites/hero.sprite.json'), 'utf8')
  await game.write('sprites/hero.sprite.json', '{ "reference": ')
  expect(await workshop.writeTypings(specs.slice(0, 1))).toEqual([])
  // A person who asks for them is told why not.
  await expect(workshop.writeTypings()).rejects.toMatchObject({ code: 'SW_SPEC' })
  await game.write('sprites/hero.sprite.json', spec)
  expect(await readFile(game.path('src/sprites.d.ts'), 'utf8')).toBe(written)
  expect((await compile(game)).map((line) => line.replace(/^(.*?)\((\d+),.*$/, '$1:$2'))).toEqual(['src/main.ts:3', 'src/main.ts:4'])
  await game.write('src/sprites.d.ts', 'export type Mine = 1\n')
  await expect(workshop.writeTypings()).rejects.toMatchObject({ code: 'SW_CONFIG', facts: { file: game.path('src/sprites.d.ts') } })
  await workshop.close()
  expect(await readFile(game.path('src/sprites.d.ts'), 'utf8')).toBe('export type Mine = 1\n')
})

test('the TypeScript of README and docs compiles as it stands', async () => {
  const snippets = await readSnippets()
  expect(snippets.size).toBeGreaterThan(5)
  const hero = {
    reference: './figure.png',
    prompt: 'a knight',
    animations: { walk: { frames: 7 }, idle: { frames: 7 } },
    variants: { red: [{ from: ['#1c2f7a'], to: ['#7a1c1c'] }] },
  }
  const game = await shelf.game({
    'tsconfig.json': JSON.stringify(tsconfig),
    'sprites/hero.sprite.json': JSON.stringify(hero),
    // Declares the variable that snippets assume.
    'src/given.d.ts': "declare const workshop: import('spritewright').Workshop\n",
    ...Object.fromEntries(snippets),
  })
  for (const name of ['spritewright', 'phaser', 'pixi.js', 'vite']) await install(game, name)
  const workshop = await shelf.workshop(game)
  await workshop.writeTypings()
  await workshop.close()
  expect(await compile(game)).toEqual([])
})
