import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toSpecTypings, typingsFile } from '../../src/sheets/output/typings.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** A sprite of two animations, with only the fields that typings need. */
const spec = {
  name: 'hero',
  file: 'hero.sprite.json',
  animations: [
    { name: 'walk', frames: 1 },
    { name: 'jump', frames: 4, use: [0, 0] },
  ],
} as unknown as SpriteSpec

let root: string

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-typings-')))
  await mkdir(join(root, 'node_modules'))
  await symlink(repository, join(root, 'node_modules', 'spritewright'), 'dir')
  await symlink(join(repository, 'node_modules', 'pixi.js'), join(root, 'node_modules', 'pixi.js'), 'dir')
  await write('hero.sprite.json', '{ "reference": "./hero.png" }')
  await write(typingsFile('hero.sprite.json'), toSpecTypings(spec))
})
afterAll(() => rm(root, { recursive: true, force: true }))

function write(path: string, text: string): Promise<void> {
  return writeFile(join(root, path), text)
}

/** The errors of TypeScript in `game.ts`, one a line. */
async function complaints(game: string, options: object = {}): Promise<string[]> {
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowArbitraryExtensions: true,
    types: ['spritewright/client'],
    ...options,
  }
  await write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['game.ts'] }))
  await write('game.ts', game)
  const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc')
  const output = await new Promise<string>((resolve) =>
    execFile(process.execPath, [tsc, '-p', root], { cwd: root }, (_, out) => resolve(out)),
  )
  return output.split('\n').filter((line) => line.includes('error'))
}

test('a game knows the names of animations and frames, and those of no other sprite', async () => {
  const game = `import hero from './hero.sprite.json'
const walk: 'hero/jump/0000' | 'hero/walk/0000' | undefined = hero.animations.walk.frames[0]
hero.animations.fly
const frame: typeof hero.frames[number] = 'villain/walk/0000'
export { walk, frame }`
  const found = await complaints(game)
  expect(found).toEqual([expect.stringMatching(/^game\.ts\(3,.*'fly'/), expect.stringMatching(/^game\.ts\(4,.*villain/)])
})

test('the runtime gives what the sprite has, by the same names', async () => {
  const game = `import hero from './hero.sprite.json'
import { loadSprites } from 'spritewright/pixi'
const [art] = await loadSprites([hero])
art.create('jump')
art.animations.walk
art.create('fly')
export {}`
  expect(await complaints(game)).toEqual([expect.stringMatching(/^game\.ts\(6,.*"fly"/)])
})

test('all sprites are known by name once the typings of one are part of the project', async () => {
  const game = `import { sprites } from 'virtual:spritewright'
import './hero.sprite.json'
sprites.hero.animations.walk
sprites.villain
export {}`
  expect(await complaints(game)).toEqual([expect.stringMatching(/^game\.ts\(4,.*'villain'/)])
  const anything = `import { sprites } from 'virtual:spritewright'
export const name: string | undefined = sprites.villain?.animations.walk?.name`
  expect(await complaints(anything)).toEqual([])
})

test.each([
  { how: 'allowArbitraryExtensions', options: { allowArbitraryExtensions: false } },
  { how: 'allowArbitraryExtensions and resolveJsonModule', options: { allowArbitraryExtensions: false, resolveJsonModule: false } },
])('without $how any name is taken', async ({ options }) => {
  const game = `import hero from './hero.sprite.json'
import yaml from './villain.sprite.yaml'
export const names: (string | undefined)[] = [hero.animations.fly?.name, yaml.name]`
  expect(await complaints(game, options)).toEqual([])
})

test('the types of Node stay out of a game', async () => {
  const game = `import hero from './hero.sprite.json'
import { sprites } from 'virtual:spritewright'
export const timer: number = setTimeout(() => {}, 1)
export { hero, sprites }`
  expect(await complaints(game)).toEqual([])
})
