import { rename, rm, symlink } from 'node:fs/promises'
import type { InlineConfig } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { lockable } from '../kit/lockable-disk.ts'
import { figurePng } from '../kit/project.ts'
import { type Dev, type HotMessage, isUpdateOf, startDev } from './server.ts'
import { type Game, openShelf, type PluginSetup, pluginOf, type Shelf, spec, testOfNewest, vites } from './world.ts'

let shelf: Shelf
const open: Dev[] = []
beforeAll(async () => {
  shelf = await openShelf()
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
afterAll(() => shelf.close())

async function start(load: (typeof vites)[number][1], game: Game, more: InlineConfig = {}, setup: PluginSetup = {}): Promise<Dev> {
  const dev = await startDev(await load(), game, pluginOf(game, setup), more)
  open.push(dev)
  return dev
}

const isError = ({ type }: HotMessage): boolean => type === 'error'
const isReload = ({ type }: HotMessage): boolean => type === 'full-reload'
const isMended = ({ event }: HotMessage): boolean => event === 'spritewright:mended'

/** The stamps in the code of these modules, which a page that has loaded them sends to the server. */
function stampsIn(modules: ReadonlyMap<string, string>): Record<string, string> {
  const found = [...modules.values()].flatMap((code) => /keepUpToDate\(sprites, (\{.*\})\)/.exec(code)?.[1] ?? [])
  return Object.assign({}, ...found.map((text) => JSON.parse(text) as Record<string, string>))
}

describe.each(vites)('what %s tells pages', (version, load) => {
  const testNewest = testOfNewest(version)
  test('a sprite that goes is told by its name, one that comes whole; a renamed spec is both', async () => {
    const game = await shelf.game({ 'src/main.js': "import { sprites } from 'virtual:spritewright'\nglobalThis.sprites = sprites" })
    const { told, crawl } = await start(load, game)
    await crawl('/src/main.js')
    await rename(game.path('sprites/hero.sprite.json'), game.path('sprites/knight.sprite.json'))
    const gone = new Set<string>()
    const come = new Set<string>()
    while (!gone.has('hero') || !come.has('knight')) {
      const { data } = await told.next(({ event }) => event === 'spritewright:update')
      for (const name of data?.gone ?? []) gone.add(name)
      for (const { name } of data?.sprites ?? []) come.add(name)
    }
    expect([...gone, ...come]).toEqual(['hero', 'knight'])
    expect(told.all.filter((message) => isReload(message) || isError(message))).toEqual([])
  })

  testNewest('a module that imports a spec which is gone is named in the overlay, until the spec is back', async () => {
    const game = await shelf.game()
    const { told, crawl } = await start(load, game)
    await crawl('/src/main.js')
    await game.remove('sprites/hero.sprite.json')
    const { err } = await told.next(isError)
    expect(err).toMatchObject({ plugin: 'spritewright', id: game.path('src/main.js') })
    expect(err?.message).toContain('src/main.js imports sprites/hero.sprite.json, which is not there any more')
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 8 }))
    await told.next(isMended)
    expect((await told.next(isUpdateOf('hero'))).data?.sprites).toHaveLength(1)
    expect(told.all.filter(isReload)).toEqual([])
  })

  testNewest('the terminal tells once what a saved file has broken, and which animations it has added', async () => {
    const game = await shelf.game()
    const { told, crawl, log } = await start(load, game)
    await crawl('/src/main.js')
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 'fast' }))
    await log.next((line) => line.includes('sprites/hero.sprite.json') && line.includes('fps'))
    const animations = { walk: { frames: 7, fps: 8 }, run: { frames: 7 }, jump: { frames: 7 } }
    await game.write('sprites/hero.sprite.json', spec({ animations }))
    await told.next(isMended)
    await log.next((line) => line.includes('hero.run, hero.jump: new, and a placeholder until it is bought.'))
    await game.write('sprites/hero.sprite.json', spec({ animations: { ...animations, walk: { frames: 7, fps: 9 } } }))
    await told.next(isUpdateOf('hero'))
    await game.write('sprites/hero.frames/walk/0001.png', 'no picture')
    await log.next((line) => line.includes('0001.png'))
    expect(log.all.filter((line) => line.includes('fps'))).toHaveLength(1)
    expect(log.all.filter((line) => line.includes(': new'))).toHaveLength(1)
  })

  testNewest('a broken spec is not gone: its sprite stays as it is, and a page that comes later is told what is wrong', async () => {
    const game = await shelf.game()
    const { told, crawl, say } = await start(load, game)
    const stamps = stampsIn(await crawl('/src/main.js'))
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 'fast' }))
    await told.next(isError)
    say('spritewright:have', { stamps: { coin: stamps.coin } })
    expect((await told.next(isError)).err?.message).toContain('fps')
    expect(told.all.flatMap(({ data }) => data?.gone ?? [])).toEqual([])
  })

  testNewest.each([
    [
      'a picture that was locked',
      'sprites/hero.png',
      undefined,
      { 'sprites/hero.png': figurePng(), 'sprites/hero.sprite.json': spec({ reference: './hero.png' }) },
    ],
    ['a frame touched up by hand that was half written', 'sprites/hero.frames/walk/0002.png', figurePng(), {}],
  ])('%s is seen when another sprite is imported, in open pages and in those to come', async (_what, name, half, files) => {
    const game = await shelf.game({
      ...files,
      'src/main.js': "import hero from '../sprites/hero.sprite.json'\nglobalThis.hero = hero",
      'src/late.js': "import coin from '../sprites/coin.sprite.yaml'\nglobalThis.coin = coin",
    })
    const { disk, lock } = lockable()
    const { told, crawl } = await start(load, game, {}, { disk })
    await crawl('/src/main.js')
    lock(game.path(name), half)
    // As large as the bought frames.
    await game.write(name, encodePng(createBitmap(78, 76, new Uint8Array(78 * 76 * 4).fill(200))))
    await told.next(isError)
    // A page that is loaded meanwhile gets the sprite without that frame.
    if (half) await crawl('/src/main.js')
    lock(undefined)
    await crawl('/src/late.js')
    await told.next(isMended)
    const { data } = await told.next(isUpdateOf('hero'))
    const url = data?.sprites[0]?.atlases[0]?.pages[0]?.url ?? 'none'
    expect([...(await crawl('/src/main.js')).values()].some((code) => code.includes(url))).toBe(true)
    expect(told.all.filter(isReload)).toEqual([])
  })

  testNewest('typings that could not be written are written with those that are due next', async () => {
    const game = await shelf.game()
    const { disk, lock } = lockable()
    const { told, crawl, log, server } = await start(load, game, {}, { disk })
    await crawl('/src/main.js')
    lock(game.path('sprites/hero.sprite.d.json.ts'))
    await game.write('sprites/hero.sprite.json', spec({}, { frames: 9 }))
    await log.next((line) => line.includes('busy'))
    lock(undefined)
    await game.write(
      'sprites/coin.sprite.yaml',
      'reference: ./figure.png\nprompt: a coin\nanimations:\n  spin:\n    frames: 7\n    fps: 3\n',
    )
    await told.next(isUpdateOf('coin'))
    await server.close()
    expect(await game.read('sprites/hero.sprite.d.json.ts')).toContain('"hero/walk/0008"')
  })

  testNewest('a spec that is saved while another one is broken gets its typings', async () => {
    const game = await shelf.game()
    const { told, crawl, server } = await start(load, game)
    await crawl('/src/main.js')
    await game.write('sprites/coin.sprite.yaml', 'prompt: [')
    await told.next(isError)
    await game.write('sprites/hero.sprite.json', spec({}, { frames: 9 }))
    await told.next(isUpdateOf('hero'))
    await server.close()
    expect(await game.read('sprites/hero.sprite.d.json.ts')).toContain('"hero/walk/0008"')
  })

  testNewest('a page is told what has happened between its modules and its first word', async () => {
    const game = await shelf.game()
    const { told, crawl, say } = await start(load, game)
    const stamps = stampsIn(await crawl('/src/main.js'))
    expect(Object.keys(stamps).sort()).toEqual(['coin', 'hero'])
    await game.write('sprites/hero.sprite.json', spec({}, { fps: 30 }))
    await told.next(isUpdateOf('hero'))
    say('spritewright:have', { stamps })
    expect((await told.next(isUpdateOf())).data?.sprites.map(({ name }) => name)).toEqual(['hero'])
    // A page that knows all sprites receives those that came since. A page that imports some does not.
    say('spritewright:have', { stamps: { coin: stamps.coin }, all: ['coin'] })
    expect((await told.next(isUpdateOf())).data?.sprites.map(({ name }) => name)).toEqual(['hero'])
    const count = told.all.length
    say('spritewright:have', { stamps: { coin: stamps.coin } })
    say('spritewright:have', { stamps: { old: 'stamp' } })
    expect(await told.next(isUpdateOf())).toMatchObject({ data: { sprites: [], gone: ['old'] } })
    expect(told.all).toHaveLength(count + 1)
  })

  testNewest('why a page loads itself anew stands in the terminal', async () => {
    const { say, log } = await start(load, await shelf.game())
    say('spritewright:reload', { why: 'a SpriteGPULayer shows "hero"' })
    expect(await log.next((line) => line.includes('a page says why it reloads'))).toContain('a SpriteGPULayer shows "hero"')
  })
})

// Earlier versions never read the modules of such a root.
describe('Vite 8', () => {
  const [[, load]] = vites as [(typeof vites)[number]]

  test('a root that is a link has its specs, and keeps what is its own to itself', async () => {
    const game = await shelf.game()
    const link = `${game.root}-link`
    await symlink(game.root, link, 'dir')
    try {
      const { crawl, told, get } = await start(load, game, { root: link })
      expect([...(await crawl('/src/main.js')).values()].some((code) => code.includes('"fps":8'))).toBe(true)
      await game.write('sprites/hero.sprite.json', spec({}, { fps: 31 }))
      await told.next(isUpdateOf('hero'))
      expect([...(await crawl('/src/main.js')).values()].some((code) => code.includes('"fps":31'))).toBe(true)
      const secret = (await game.read('.spritewright/ledger.jsonl')).slice(0, 40)
      expect(secret).not.toBe('')
      for (const root of [`/@fs${link}`, `/@fs${game.root}`, link, game.root, ''])
        expect((await get(`${root}/.spritewright/ledger.jsonl`)).text).not.toContain(secret)
    } finally {
      await rm(link)
    }
  })
})
