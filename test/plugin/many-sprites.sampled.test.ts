import { basename } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { PanelState, StateEvent } from '../../plugin/protocol/protocol.ts'
import type { Disk } from '../../src/host/disk.ts'
import { nodeHost } from '../../src/host/host.ts'
import { lockable } from '../kit/lockable-disk.ts'
import { figurePng } from '../kit/project.ts'
import { level } from '../level.ts'
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

/** The list as the panel's page has it: it is read again after each event. Returns all states that are read. */
async function follow(panel: PanelClient, fits: (state: PanelState) => boolean): Promise<readonly PanelState[]> {
  const states = [await panel.list()]
  for (let now = states[0] as PanelState; !fits(now); now = states.at(-1) as PanelState) {
    await panel.events.next(({ event, data }) => event === 'state' && (data as StateEvent).revision > now.revision)
    states.push(await panel.list())
  }
  return states
}

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

  test('of very many the typings of what a page imports are there with it, those of the others come behind', async ({ signal }) => {
    const { crawl, game, read } = await world(80, imports)
    await crawl('/src/main.js')
    const typed = async (): Promise<readonly string[]> => (await game.list('sprites')).filter((name) => name.endsWith('.d.json.ts'))
    expect(await typed()).toEqual(expect.arrayContaining(['sprites/coin.sprite.d.json.ts', 'sprites/hero.sprite.d.json.ts']))
    while ((await typed()).length < 82 && !signal.aborted) await new Promise(setImmediate)
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

  test.each([4, 40])('a panel gets the pictures of all by and by, and of a save that one, of %i others', async (others) => {
    const { crawl, game, read, ...dev } = await world(others, imports)
    await crawl('/src/main.js')
    const panel = await openPanel({ crawl, ...dev })
    open.push(() => panel.close())
    const before = (await follow(panel, ({ sprites }) => sprites.every(({ art }) => art !== ''))).at(-1)
    expect(before?.sprites).toHaveLength(others + 2)
    read.clear()
    await game.write('sprites/hero.sprite.json', spec({ reference: './hero.png', prompt: 'hero' }, { fps: 5 }))
    const rows = new Map(before?.sprites.map((row) => [row.name, row]))
    const hero = rows.get('hero')
    const after = (await follow(panel, ({ sprites }) => sprites.find(({ name }) => name === 'hero')?.digest !== hero?.digest)).at(-1)
    const changed = after?.sprites.filter((row) => JSON.stringify(row) !== JSON.stringify(rows.get(row.name)))
    expect(changed?.map(({ name }) => name)).toEqual(['hero'])
    expect([...read].filter((name) => !name.startsWith('hero.'))).toEqual([])
  })

  test('a sprite that is opened or looked at is made before all others', async () => {
    const panel = await openPanel(await world(60, imports))
    open.push(() => panel.close())
    const { sprites, open: opened } = JSON.parse((await panel.get('api/state?open=other58')).text) as PanelState
    expect(opened[0]?.animations[0]?.played).toHaveLength(7)
    const made = sprites.filter(({ art }) => art !== '').map(({ name }) => name)
    expect([made.includes('other58'), made.includes('other57')]).toEqual([true, false])
    expect(JSON.parse((await panel.get('api/sprite?name=other57')).text).pages).toHaveLength(1)
    expect((await panel.get('api/sprite?name=nothing')).status).toBe(400)
  })

  test('one that comes is in the list, and one that goes is not', async () => {
    const { game, ...dev } = await world(2, imports)
    const panel = await openPanel(dev)
    open.push(() => panel.close())
    await panel.list()
    await game.write('sprites/late.sprite.json', spec({ reference: './hero.png' }))
    await follow(panel, ({ sprites }) => sprites.some(({ name }) => name === 'late'))
    await game.remove('sprites/coin.sprite.json')
    const states = await follow(panel, ({ sprites }) => !sprites.some(({ name }) => name === 'coin'))
    expect(states.at(-1)?.sprites.map(({ name }) => name)).toEqual(['hero', 'late', 'other0', 'other1'])
  })

  if (level !== 'quick')
    test('a purchase of all reads each spec a few times, and none of them for each event', async () => {
      const names = ['hero', ...Array.from({ length: 4 }, (_, index) => `other${index}`)]
      const sprites = names.map((name) => [`sprites/${name}.sprite.json`, spec({ prompt: name })])
      const { disk, read } = lockable()
      const { start, approve, close } = await openPanelWorld(Object.fromEntries(sprites), {}, 5, disk)
      open.push(close)
      const { panel } = await start()
      await panel.state()
      read.length = 0
      await approve([])
      const states = await follow(panel, ({ sprites }) => sprites.every(({ animations }) => animations[0]?.state === 'bought'))
      const specs = read.filter((path) => path.endsWith('.sprite.json'))
      expect(states.length).toBeGreaterThan(names.length)
      expect(Math.max(...names.map((name) => specs.filter((path) => basename(path) === `${name}.sprite.json`).length))).toBeLessThan(5)
    })
})
