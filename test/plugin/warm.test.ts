import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { InlineConfig } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeClock } from '../../src/host/clock.ts'
import { warmFiles } from '../../src/host/warm-files.ts'
import { configOf, type Game, key, openShelf, type PluginSetup, pluginOf, type Shelf, spec, vites } from './world.ts'

let shelf: Shelf
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(() => shelf.close())

// A while after the files of the game were written: the times of a file say nothing of changes that are younger than a tick of the disk's clock.
const later = { ...nodeClock(), wall: () => nodeClock().wall() + 10_000 }

const { digestBytes } = warmFiles()

/** Builds, and answers how many workshops it opened for it: none where a stamp stood for it. */
async function made(game: Game, setup: PluginSetup = {}, config: InlineConfig = {}, load = vites[0]?.[1]): Promise<number> {
  const { build } = (await load?.()) ?? {}
  const plugin = pluginOf(game, { clock: later, ...setup })
  try {
    // Comments of a bundle name the folder that a module is from.
    await build?.(configOf(game, plugin, { ...config, build: { minify: true } }))
  } finally {
    expect(plugin.open()).toBe(0)
  }
  return plugin.made()
}

/** Every file of the bundle, and the typings beside the specs, by their SHA-256. */
async function outputs(game: Game): Promise<Record<string, string>> {
  const names = (await game.list()).filter((name) => name.startsWith('dist/') || name.endsWith('.ts'))
  return Object.fromEntries(names.map((name) => [name, digestBytes(readFileSync(game.path(name)))]))
}

const cache = 'node_modules/.cache/spritewright'

function kept(game: Game, ending: string): string[] {
  const folder = game.path(cache)
  return existsSync(folder) ? readdirSync(folder).flatMap((name) => (name.endsWith(ending) ? [join(folder, name)] : [])) : []
}

describe.each(vites)('a warm build with %s', (_name, load) => {
  test('opens no workshop, and gives the bytes of the first one', async () => {
    const game = await shelf.game()
    expect(await made(game, {}, {}, load)).toBe(1)
    const first = await outputs(game)
    expect(Object.keys(first)).toContainEqual(expect.stringMatching(/^dist\/.*\.png$/))
    expect(Object.keys(first)).toContain('sprites/hero.sprite.d.json.ts')
    await game.remove('dist')
    expect(await made(game, {}, {}, load)).toBe(0)
    expect(await outputs(game)).toEqual(first)
  })

  test('gives every page of several what is its own', async () => {
    const game = await shelf.game()
    const setup = { options: { atlas: { maxSize: 128 } } }
    expect(await made(game, setup, {}, load)).toBe(1)
    const first = await outputs(game)
    const pages = Object.entries(first).filter(([name]) => name.endsWith('.png') && name.startsWith('dist/'))
    expect(new Set(pages.map(([, digest]) => digest)).size).toBeGreaterThan(1)
    await game.remove('dist')
    expect(await made(game, setup, {}, load)).toBe(0)
    expect(await outputs(game)).toEqual(first)
  })

  test('serves several environments from one look', async () => {
    const { createBuilder } = await load()
    const game = await shelf.game()
    await made(game, {}, {}, load)
    const plugin = pluginOf(game, { clock: later })
    const side = { build: { outDir: 'side', rollupOptions: { input: game.path('src/main.js') } } }
    const builder = await createBuilder(configOf(game, plugin, { environments: { client: {}, side } }))
    await Promise.all(['client', 'side'].map((name) => builder.build(builder.environments[name] as never)))
    expect((await game.list('side')).some((name) => name.endsWith('.js'))).toBe(true)
    expect(plugin.made()).toBe(0)
  })
})

describe('a warm build', () => {
  test('still refuses to ship the key, from the environment or from .env.local', async () => {
    for (const [env, file] of [
      [{ SPRITEWRIGHT_API_KEY: key }, {}],
      [{}, { '.env.local': `SPRITEWRIGHT_API_KEY=${key}\n` }],
    ] as const) {
      const game = await shelf.game(file)
      expect(await made(game, { env })).toBe(1)
      expect(await made(game, { env })).toBe(0)
      for (const path of [...kept(game, '.stamp'), ...kept(game, '.kept')]) expect(readFileSync(path, 'utf8')).not.toContain(key)
      await game.remove('dist')
      await game.write('src/main.js', `${await game.read('src/main.js')}console.log("${key}")`)
      await expect(made(game, { env })).rejects.toThrow('would ship the API key')
      expect((await game.list()).filter((name) => name.startsWith('dist/'))).toEqual([])
    }
  })

  test('still refuses a name that would be shipped', async () => {
    const game = await shelf.game({ '.env': 'GAME_TITLE=hero\n' })
    expect(await made(game)).toBe(1)
    const env = { GAME_SPRITEWRIGHT_KEY: key }
    await expect(made(game, { env }, { envPrefix: 'GAME_' })).rejects.toThrow('GAME_SPRITEWRIGHT_KEY')
  })

  test('leaves none where something is not bought, and fails in the same way again', async () => {
    const game = await shelf.game()
    const setup = { env: { CI: '1' } }
    expect(await made(game, setup)).toBe(1)
    await game.write('sprites/third.sprite.json', spec({ prompt: 'a third figure' }))
    const failures: string[] = []
    for (let round = 0; round < 2; round++) await made(game, setup).catch((error: Error) => failures.push(error.message))
    expect(failures[0]).toContain('third.walk')
    expect(failures[1]).toBe(failures[0])
    await game.remove('sprites/third.sprite.json')
    expect(await made(game, setup)).toBe(0)
  })

  test('leaves none where something stands in for what is not bought', async () => {
    const game = await shelf.game({ 'sprites/third.sprite.json': spec({ prompt: 'a third figure' }) })
    const setup = { options: { build: { unbought: 'placeholder' } } } as const
    expect(await made(game, setup)).toBe(1)
    expect(await made(game, setup)).toBe(1)
    expect(kept(game, '.stamp')).toEqual([])
  })

  test('is none for options that are more than data', async () => {
    const game = await shelf.game()
    const setup = { options: { formats: [{ name: 'own', write: () => [] }] } }
    expect(await made(game, setup)).toBe(1)
    expect(await made(game, setup)).toBe(1)
  })

  test('keeps the outcomes of a few builds, not of all', async () => {
    const game = await shelf.game()
    for (let fps = 1; fps <= 6; fps++) {
      await game.write('sprites/hero.sprite.json', spec({}, { fps }))
      expect(await made(game)).toBe(1)
    }
    expect(kept(game, '.kept')).toHaveLength(4)
  })
})

/** Another byte in the same place, with the old times put back. */
function changeQuietly(path: string): void {
  const { atime, mtime } = statSync(path)
  const bytes = readFileSync(path)
  bytes[bytes.length - 2] = (bytes.at(-2) ?? 0) ^ 1
  writeFileSync(path, bytes)
  utimesSync(path, atime, mtime)
}

function firstIn(folder: string, fits: (name: string) => boolean): string {
  return join(folder, readdirSync(folder).sort().find(fits) ?? 'nothing')
}

describe('a build goes the ordinary way, and comes to what a first one would, where', () => {
  let game: Game
  let first: Record<string, string>
  beforeAll(async () => {
    game = await shelf.game({ 'spritewright.config.json': '{}', '.env': 'GAME_TITLE=hero\n' })
    await made(game)
    first = await outputs(game)
  })

  /** How it is changed; the outcome stays what it was, unless said otherwise. */
  const changes: readonly (readonly [string, (path: (name: string) => string) => void, 'same' | 'other'])[] = [
    ['typings are gone', (path) => rmSync(path('sprites/hero.sprite.d.json.ts')), 'same'],
    ['typings have another byte', (path) => changeQuietly(path('sprites/hero.sprite.d.json.ts')), 'same'],
    [
      'typings of a spec that is gone lie there',
      (path) => copyFileSync(path('sprites/hero.sprite.d.json.ts'), path('sprites/old.sprite.d.json.ts')),
      'same',
    ],
    ['what was kept is gone', () => kept(game, '.kept').map((file) => rmSync(file)), 'same'],
    ['a page of what was kept has another byte', () => kept(game, '.kept').map(changeQuietly), 'same'],
    ['the stamp has another byte', () => kept(game, '.stamp').map(changeQuietly), 'same'],
    ['all of the cache is gone', (path) => rmSync(path(cache), { recursive: true }), 'same'],
    [
      'the lock file is laid out anew',
      (path) => writeFileSync(path('sprites.lock.json'), `${readFileSync(path('sprites.lock.json'), 'utf8')}\n`),
      'same',
    ],
    ['a spec plays faster', (path) => writeFileSync(path('sprites/hero.sprite.json'), spec({}, { fps: 9 })), 'other'],
    [
      'the configuration asks for smaller pages',
      (path) => writeFileSync(path('spritewright.config.json'), '{"atlas":{"maxSize":128}}'),
      'other',
    ],
    [
      'a frame is touched up',
      (path) => {
        mkdirSync(path('sprites/hero.frames/walk'), { recursive: true })
        writeFileSync(path('sprites/hero.frames/walk/0003.png'), 'no picture')
      },
      'other',
    ],
    ['variables are added', (path) => writeFileSync(path('.env'), 'GAME_TITLE=coin\n'), 'same'],
  ]

  test.each(changes)('%s', async (_what, change, outcome) => {
    // The state that the change meets has a stamp.
    if ((await made(game)) > 0) expect(await made(game)).toBe(0)
    const sources = new Map(
      (await game.list()).filter((name) => !name.startsWith('dist/')).map((name) => [name, readFileSync(game.path(name))]),
    )
    change((name) => game.path(name))
    await game.remove('dist')
    const end = await made(game).catch((error: Error) => error.message)
    const after = await outputs(game)

    const fresh = await copyWithoutCache(game)
    const freshEnd = await made(fresh).catch((error: Error) => error.message)
    expect(typeof end === 'string' ? end.replaceAll(game.root, '') : end).toBe(
      typeof freshEnd === 'string' ? freshEnd.replaceAll(fresh.root, '') : 1,
    )
    expect(after).toEqual(await outputs(fresh))
    if (outcome === 'same') expect(after).toEqual(first)
    else expect(after).not.toEqual(first)

    for (const name of await game.list()) if (!sources.has(name)) await game.remove(name)
    for (const [name, bytes] of sources) writeFileSync(game.path(name), bytes)
  })

  async function copyWithoutCache(from: Game): Promise<Game> {
    const to = await shelf.game()
    for (const name of await to.list()) await to.remove(name)
    for (const name of await from.list()) {
      if (name.startsWith('dist/')) continue
      mkdirSync(dirname(to.path(name)), { recursive: true })
      writeFileSync(to.path(name), readFileSync(from.path(name)))
    }
    await to.remove('node_modules')
    return to
  }

  const runs: readonly (readonly [string, PluginSetup, InlineConfig])[] = [
    ['a mode', {}, { mode: 'staging' }],
    ['an option', { options: { atlas: { maxSize: 1024 } } }, {}],
    ['CI', { env: { CI: '1' } }, {}],
    ['the state folder', { env: { XDG_STATE_HOME: '/nowhere' } }, {}],
    ['a key where there was none', { env: { SPRITEWRIGHT_API_KEY: key } }, {}],
    ['another prefix of what is shipped', {}, { envPrefix: 'GAME_' }],
    ['no .env files', {}, { envDir: false }],
    ['a day later', { clock: { ...later, wall: () => later.wall() + 25 * 3_600_000 } }, {}],
  ]
  test.each(runs)('another run differs by %s', async (_what, setup, config) => {
    if ((await made(game)) > 0) expect(await made(game)).toBe(0)
    expect(await made(game, setup, config)).toBe(1)
  })

  test('a paid result is gone', async () => {
    const own = await shelf.game()
    expect(await made(own)).toBe(1)
    expect(await made(own)).toBe(0)
    rmSync(firstIn(own.path('.spritewright/results'), (name) => name.endsWith('.zip')))
    await expect(made(own)).rejects.toThrow()
  })
})
