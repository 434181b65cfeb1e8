import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeNet } from '../../src/host/net.ts'
import { level } from '../level.ts'
import {
  configOf,
  createHappenings,
  type Game,
  type Happenings,
  key,
  openShelf,
  pluginOf,
  type Shelf,
  spec,
  type TestPlugin,
  testOfNewest,
  vites,
} from './world.ts'

let shelf: Shelf
const open: { close(): Promise<void> }[] = []
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(async () => {
  for (const one of open.splice(0)) await one.close()
  await shelf.close()
})

interface WatchEvent {
  readonly code: string
  readonly error?: { readonly message: string }
}

interface Watched {
  readonly events: Happenings<WatchEvent>
  close(): Promise<void>
}

async function watch(load: (typeof vites)[number][1], game: Game, plugin: TestPlugin): Promise<Watched> {
  const { build } = await load()
  const events = createHappenings<WatchEvent>()
  const watcher = (await build(configOf(game, plugin, { build: { watch: {} } }))) as unknown as {
    on(name: 'event', listener: (event: WatchEvent) => void): void
    close(): Promise<void>
  }
  watcher.on('event', (event) => events.push(event))
  const watched = { events, close: async () => watcher.close() }
  open.push(watched)
  return watched
}

const isEnd = ({ code }: WatchEvent): boolean => code === 'END'
const isError = ({ code }: WatchEvent): boolean => code === 'ERROR'

interface BuiltSprite {
  readonly frames: readonly string[]
  readonly animations: Readonly<Record<string, { readonly fps: number }>>
}

/**
 * The sprite "hero" as the built script gives it to the game. Returns `undefined` while there is no whole
 * script, also while a build empties the listed folder.
 */
async function builtHero(game: Game): Promise<BuiltSprite | undefined> {
  const name = (await game.list('dist').catch(() => [])).find((other) => /\.js$/.test(other))
  const text = name === undefined ? '' : await game.read(name).catch(() => '')
  const world: { sprites?: { hero: BuiltSprite } } = {}
  try {
    runInNewContext(text.replaceAll('import.meta.url', '"http://game/"'), Object.assign(world, { URL }))
  } catch (error) {
    // The script is only half written.
    if ((error as Error).name !== 'SyntaxError') throw error
  }
  return world.sprites?.hero
}

describe.each(vites)('build --watch with %s', (version, load) => {
  const testNewest = testOfNewest(version)
  test('builds anew after a free edit, buys nothing, and closes what it opened', async () => {
    const game = await shelf.game()
    const plugin = pluginOf(game)
    const { events, close } = await watch(load, game, plugin)
    await events.next(isEnd)
    expect((await builtHero(game))?.animations.walk?.fps).toBe(8)
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 21 }))
    await events.next(isEnd)
    expect((await builtHero(game))?.animations.walk?.fps).toBe(21)
    expect((await game.list('dist')).filter((name) => name.endsWith('.png'))).toHaveLength(1)
    expect(plugin.made()).toBe(1)
    await close()
    expect(plugin.open()).toBe(0)
  })

  test.runIf(level !== 'quick')('builds a web worker anew after an edit of a sprite that only the worker has', async () => {
    const start = "new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })\n"
    const worker = "import hero from '../sprites/hero.sprite.json'\nself.sprites = { hero }\n"
    const game = await shelf.game({ 'src/main.js': start, 'src/worker.js': worker })
    const { events, close } = await watch(load, game, pluginOf(game))
    await events.next(isEnd)
    const rates = async (): Promise<string[]> => {
      const names = (await game.list('dist')).filter((name) => name.endsWith('.js'))
      const texts = await Promise.all(names.map(game.read))
      return texts.flatMap((text) => [...text.matchAll(/hero\/walk\W+fps\W+(\d+)/g)].map(([, fps]) => fps ?? ''))
    }
    expect(await rates()).toEqual(['8'])
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 21 }))
    await events.next(isEnd)
    expect(await rates()).toEqual(['21'])
    await close()
  })

  testNewest('goes on after a broken spec, also where it was broken from the start', async () => {
    const game = await shelf.game({ 'sprites/hero.sprite.json': '{' })
    const plugin = pluginOf(game)
    const { events, close } = await watch(load, game, plugin)
    const { error } = await events.next(isError)
    expect(error?.message).toContain('sprites/hero.sprite.json')
    await events.next(isEnd)
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 9 }))
    await events.next(isEnd)
    expect((await builtHero(game))?.animations.walk?.fps).toBe(9)
    await close()
    expect(plugin.open()).toBe(0)
  })

  testNewest('goes on when a lock file is mended that was torn from the start', async () => {
    const game = await shelf.game()
    const lock = await game.read('sprites.lock.json')
    await game.write('sprites.lock.json', `<<<<<<< HEAD\n${lock}`)
    const plugin = pluginOf(game)
    const { events, close } = await watch(load, game, plugin)
    expect((await events.next(isError)).error?.message).toContain('sprites.lock.json')
    await events.next(isEnd)
    await game.write('sprites.lock.json', lock)
    await events.next(isEnd)
    expect((await builtHero(game))?.animations.walk?.fps).toBe(8)
    await close()
    expect(plugin.open()).toBe(0)
  })

  testNewest('buys what is approved meanwhile', async () => {
    const game = await shelf.game({ 'sprites/hero.sprite.json': spec({}, { frames: 9 }) })
    const env = { SPRITEWRIGHT_BASE_URL: shelf.url, SPRITEWRIGHT_API_KEY: key }
    const { events, close } = await watch(load, game, pluginOf(game, { env, net: nodeNet() }))
    expect((await events.next(isError)).error?.message).toContain('changed since the last purchase: frames')
    await events.next(isEnd)
    const workshop = await shelf.workshop(game)
    await workshop.approve({ names: ['hero'], confirm: async () => true })
    await workshop.close()
    // Approval, purchase and typings may each start a build, and each build empties the folder first. The
    // last build ends with the sprite.
    while (!(await builtHero(game))?.frames.includes('hero/walk/0008')) await events.next(isEnd)
    await close()
  })
})
