import { basename } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { withUpdate } from '../../plugin/panel/ui/state/same-parts.ts'
import type { PanelSprite, PanelState, PanelUpdate, StateEvent } from '../../plugin/protocol/protocol.ts'
import type { Disk } from '../../src/host/disk.ts'
import { nodeHost } from '../../src/host/host.ts'
import { lockable } from '../kit/lockable-disk.ts'
import { figurePng } from '../kit/project.ts'
import { openPanel, type PanelClient } from './panel-client.ts'
import { openPanelWorld } from './panel-world.ts'
import { type Dev, isUpdateOf, startDev } from './server.ts'
import { type Game, openGame, pluginOf, spec, vites } from './world.ts'

const load = vites[0]?.[1] as (typeof vites)[number][1]
const machine = nodeHost()
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** This machine's disk, which records the source files that are read, each once. */
function noteReads(): { readonly disk: Disk; readonly read: Set<string> } {
  const read = new Set<string>()
  const note = (path: string): void => {
    if (/\.(json|png)$/.test(path) && !path.includes('node_modules') && basename(path) !== 'package.json') read.add(basename(path))
  }
  const disk: Disk = {
    ...machine.disk,
    read: (path) => {
      note(path)
      return machine.disk.read(path)
    },
  }
  return { disk, read }
}

/** A game of a hero, a coin and this many other sprites, each with a picture of its own. */
async function world(others: number, main: string): Promise<Dev & { readonly game: Game; readonly read: Set<string> }> {
  const game = await openGame()
  open.push(() => game.remove())
  const names = ['hero', 'coin', ...Array.from({ length: others }, (_, index) => `other${index}`)]
  await game.write('package.json', '{"name":"game","private":true,"type":"module"}')
  await game.write('src/main.js', main)
  for (const name of names) {
    await game.write(`sprites/${name}.png`, figurePng())
    await game.write(`sprites/${name}.sprite.json`, spec({ reference: `./${name}.png`, prompt: name }))
  }
  const { disk, read } = noteReads()
  const dev = await startDev(await load(), game, pluginOf(game, { disk }))
  open.push(() => dev.close())
  return { ...dev, game, read }
}

const imports =
  "import hero from '../sprites/hero.sprite.json'\nimport coin from '../sprites/coin.sprite.json'\nglobalThis.all = { hero, coin }"
const isPicture = (name: string): boolean => name.endsWith('.png')

/**
 * The state as the panel's page has it: the whole state once, then the changes. Returns every update with its
 * size.
 */
async function follow(panel: PanelClient): Promise<{
  readonly state: () => PanelState
  readonly until: (fits: (state: PanelState) => boolean) => Promise<readonly { readonly update: PanelUpdate; readonly bytes: number }[]>
}> {
  let state = await panel.state()
  return {
    state: () => state,
    until: async (fits) => {
      const updates: { update: PanelUpdate; bytes: number }[] = []
      while (!fits(state)) {
        await panel.events.next(({ event, data }) => event === 'state' && (data as StateEvent).revision > state.revision)
        const { text } = await panel.get(`api/state?since=${state.revision}`)
        const update = JSON.parse(text) as PanelUpdate
        expect(update.since).toBe(state.revision)
        updates.push({ update, bytes: text.length })
        state = withUpdate(state, update)
      }
      return updates
    },
  }
}

const heroOf = ({ sprites }: PanelState): PanelSprite | undefined => sprites.find(({ name }) => name === 'hero')

describe('of many sprites', () => {
  test('those are made that a page imports; the names of all are known to TypeScript', async () => {
    const { crawl, read, game } = await world(30, imports)
    expect([...read]).toEqual([])
    await crawl('/src/main.js')
    expect([...read].filter(isPicture).sort()).toEqual(['coin.png', 'hero.png'])
    const typings = (await game.list('sprites')).filter((name) => name.endsWith('.d.json.ts'))
    expect(typings).toHaveLength(32)
    expect(await game.read('sprites/other7.sprite.d.json.ts')).toContain('"other7/walk/0006"')
  })

  test('of very many the typings of what a page imports are there with it, those of the others come behind', async () => {
    const { crawl, game, read } = await world(80, imports)
    await crawl('/src/main.js')
    const typed = async (): Promise<readonly string[]> => (await game.list('sprites')).filter((name) => name.endsWith('.d.json.ts'))
    expect(await typed()).toEqual(expect.arrayContaining(['sprites/coin.sprite.d.json.ts', 'sprites/hero.sprite.d.json.ts']))
    while ((await typed()).length < 82) await new Promise(setImmediate)
    expect([...read].filter(isPicture).sort()).toEqual(['coin.png', 'hero.png'])
  })

  test('one that is made later has the same typings as before', async () => {
    const { crawl, read, game } = await world(3, imports)
    await crawl('/src/main.js')
    const before = await game.read('sprites/other1.sprite.d.json.ts')
    await game.write('src/late.js', "import late from '../sprites/other1.sprite.json'\nglobalThis.late = late")
    const modules = await crawl('/src/late.js')
    expect([...modules.values()].some((code) => code.includes('"name":"other1"'))).toBe(true)
    expect([...read].filter(isPicture).sort()).toEqual(['coin.png', 'hero.png', 'other1.png'])
    expect(await game.read('sprites/other1.sprite.d.json.ts')).toBe(before)
  })

  test.each([2, 30])('a save looks at the one that was saved, of %i others at none', async (others) => {
    const { crawl, read, game, told } = await world(others, imports)
    await crawl('/src/main.js')
    read.clear()
    await game.write('sprites/hero.sprite.json', spec({ reference: './hero.png', prompt: 'hero', size: 40 }, { fps: 5 }))
    const { data } = await told.next(isUpdateOf('hero'))
    expect(data?.sprites.map(({ name }) => name)).toEqual(['hero'])
    expect([...read]).toEqual(['hero.sprite.json'])
  })

  test('one that no page has asked for is not made when it is saved, and its mistakes are told all the same', async () => {
    const { crawl, read, game, told, server } = await world(5, imports)
    await crawl('/src/main.js')
    read.clear()
    await game.write('sprites/other2.sprite.json', spec({ reference: './other2.png' }, { frames: 9 }))
    await game.write('sprites/other3.sprite.json', spec({ reference: './other3.png' }, { fps: 'fast' }))
    expect((await told.next(({ type }) => type === 'error')).err?.id).toBe(game.path('sprites/other3.sprite.json'))
    expect([...read].filter(isPicture)).toEqual([])
    await server.close()
    expect(await game.read('sprites/other2.sprite.d.json.ts')).toContain('"other2/walk/0008"')
    expect(told.all.filter(({ event }) => event === 'spritewright:update')).toEqual([])
  })

  test('a page that imports all of them gets all of them, and what comes later', async () => {
    const { crawl, game, told } = await world(4, "import { sprites } from 'virtual:spritewright'\nglobalThis.sprites = sprites")
    const modules = await crawl('/src/main.js')
    expect([...modules.keys()].filter((url) => url.includes('/atlas/'))).toHaveLength(6)
    await game.write('sprites/late.sprite.json', spec({ reference: './hero.png' }))
    expect((await told.next(isUpdateOf('late'))).data?.sprites).toHaveLength(1)
  })

  test('one that cannot be made keeps none of the others from it, and is told with its spec', async () => {
    const { crawl, get, game } = await world(2, imports)
    await game.write('sprites/coin.sprite.json', spec({ reference: './nothing.png' }))
    await game.write('src/hero.js', "import hero from '../sprites/hero.sprite.json'\nglobalThis.hero = hero")
    expect([...(await crawl('/src/hero.js')).values()].some((code) => code.includes('"name":"hero"'))).toBe(true)
    const url = /"([^"]+coin\.sprite\.json[^"]*)"/.exec((await get('/src/main.js')).text)?.[1] ?? ''
    expect(await get(url)).toMatchObject({ status: 500 })
    expect([...(await crawl('/src/hero.js')).values()].some((code) => code.includes('"name":"hero"'))).toBe(true)
  })

  test('a panel gets all of them by and by, and of a save that one: no more where there are ten times as many', async () => {
    const bytes: number[] = []
    for (const others of [4, 40]) {
      const { crawl, server, log, game, ...rest } = await world(others, imports)
      await crawl('/src/main.js')
      const panel = await openPanel({ crawl, server, log, ...rest })
      open.push(() => panel.close())
      const page = await follow(panel)
      await page.until(({ sprites }) => sprites.length === others + 2 && sprites.every(({ pages }) => pages.length === 1))
      await game.write('sprites/hero.sprite.json', spec({ reference: './hero.png', prompt: 'hero' }, { fps: 5 }))
      const updates = await page.until(
        (state) => heroOf(state)?.animations[0]?.fps === 5 && heroOf(state)?.animations[0]?.played[0]?.durationMs === 200,
      )
      expect(new Set(updates.flatMap(({ update }) => update.sprites.map(({ name }) => name)))).toEqual(new Set(['hero']))
      expect(updates.flatMap(({ update }) => Object.keys(update)).filter((part) => /names|ledger|steps|totals/.test(part))).toEqual([])
      bytes.push(Math.max(...updates.map((one) => one.bytes)))
      // The state from all updates equals the state that a new page receives.
      const { revision: _, ...whole } = await panel.state()
      const { revision: __, ...known } = page.state()
      expect(known).toEqual(whole)
    }
    // The same size, except for the digits of a revision.
    expect(Math.abs((bytes[1] as number) - (bytes[0] as number))).toBeLessThan(8)
  })

  test('one that comes, and one that goes, is told with the names of all; a revision that nobody knows is answered with the whole state', async () => {
    const { game, ...dev } = await world(2, imports)
    const panel = await openPanel(dev)
    open.push(() => panel.close())
    const page = await follow(panel)
    await game.write('sprites/late.sprite.json', spec({ reference: './hero.png' }))
    await page.until(({ sprites }) => sprites.some(({ name }) => name === 'late'))
    await game.remove('sprites/coin.sprite.json')
    await page.until(({ sprites }) => !sprites.some(({ name }) => name === 'coin'))
    expect(page.state().sprites.map(({ name }) => name)).toEqual(['hero', 'late', 'other0', 'other1'])
    for (const since of ['999999', '0', 'x'])
      expect(JSON.parse((await panel.get(`api/state?since=${since}`)).text)).toHaveProperty('ledger')
  })

  test('a purchase of all reads each spec a few times, and none of them for each event', async () => {
    const names = ['hero', ...Array.from({ length: 4 }, (_, index) => `other${index}`)]
    const sprites = names.map((name) => [`sprites/${name}.sprite.json`, spec({ prompt: name })])
    const { disk, read } = lockable()
    const { start, approve, close } = await openPanelWorld(Object.fromEntries(sprites), {}, 5, disk)
    open.push(close)
    const { panel } = await start()
    await panel.state()
    const page = await follow(panel)
    read.length = 0
    await approve([])
    const updates = await page.until(({ sprites }) => sprites.every(({ animations }) => animations[0]?.state === 'bought'))
    const specs = read.filter((path) => path.endsWith('.sprite.json'))
    expect(updates.length).toBeGreaterThan(names.length)
    expect(Math.max(...names.map((name) => specs.filter((path) => basename(path) === `${name}.sprite.json`).length))).toBeLessThan(5)
  })
})
