import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { createServer, type InlineConfig } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPlugins } from '../../plugin/index.ts'
import { openBrowser, visit } from '../e2e/browser.ts'
import { bundledEngines, createGame, repository } from '../e2e/game.ts'
import { isOffered } from '../kit/extras.ts'
import { type FakeArt, fakeArt, fakeWorkshop } from '../kit/fake-art.ts'
import { listenAnywhere } from '../kit/listen.ts'
import { patienceMs } from '../kit/patience.ts'
import { byLevel } from '../level.ts'

/** One playing object, as a page of `test/fixtures/swap` reports it. */
interface Playing {
  /** Name of the played frame, and of the drawn one. */
  readonly frame: string
  readonly shown: string
  readonly isPlaying: boolean
  readonly steps: number
  readonly fps: number
  readonly width: number
  readonly anchor: readonly [x: number, y: number]
}

/** The page's report about all objects. */
interface Look {
  /** Whether all objects are the first ones, and so is the frame that one of them holds. */
  readonly isSame: boolean
  readonly isSameFrame: boolean
  /** How often the game was notified of a change of frame. */
  readonly changes: number
  readonly still: { readonly colour: Colour; readonly frame?: string; readonly width: number }
  readonly tile: { readonly colour: Colour }
  readonly colours: { readonly inner: Colour; readonly local: Colour; readonly made: Colour }
  /**
   * In a container; made by the runtime; with the game's own list of the same frames, and of some; with a
   * rate of its own; paused; not on the stage.
   */
  readonly inner: Playing
  readonly made: Playing
  readonly local: Playing
  readonly some: Playing
  readonly slow: Playing
  readonly paused: Playing
  readonly hidden: Playing
  readonly animations: readonly string[]
  readonly sprites: readonly string[]
  readonly filter: unknown
}

/**
 * The borders of a nine-slice, and the colours of its left edge, behind its clear border, and of its right
 * edge.
 */
interface Panel {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly edge: Colour
  readonly inside: Colour
  readonly right: Colour
}

type Colour = readonly [red: number, green: number, blue: number]
type Counts = Readonly<Record<string, number>>

interface Stage {
  told(): number
  isSettled(): boolean
  step(ms: number): void
  walk(steps: number): string
  look(): Look
  counts(): Counts
  repeat(times: number): Promise<void>
  hurry(): Promise<void>
  /** Loads a sprite of `virtual:spritewright`. Returns whether its frames are there. */
  load(name: string): Promise<boolean>
  /** Plays the walk again from the start. */
  replay(): void
  /** A nine-slice of the first frame, 100 × 60. */
  readonly panel: { put(): void; look(): Panel; take(): void }
}

declare global {
  var stage: Stage | undefined
  var loader: (() => readonly string[]) | undefined
  var isTheSamePage: boolean | undefined
}

/** How many swaps the test of leaks makes. */
const swaps = byLevel({ quick: 4, full: 16, long: 1000 })

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const engines = (
  [
    { name: 'Phaser 4', page: 'phaser', engine: 'phaser' },
    { name: 'Phaser 3.90', page: 'phaser', engine: 'phaser3' },
    { name: 'PixiJS 8', page: 'pixi', engine: 'pixi.js' },
    // The oldest that takes another page for a texture in use.
    { name: 'PixiJS 8.8', page: 'pixi', engine: 'pixi8.8' },
  ] as const
).filter(({ engine }) => isOffered(engine))

/** A game that is played in dev. */
interface Played {
  readonly page: Page
  /** Errors of the page. */
  readonly complaints: string[]
  /** The page's current report. */
  look(): Promise<Look>
  /** Advances the game's time. */
  step(ms: number): Promise<Look>
  /** Advances it by steps of 100 ms. Returns the shown frames by their last digits. */
  walk(steps: number): Promise<string>
  /** Changes the art, waits until the page shows it, and returns the report. */
  change(next: Partial<FakeArt>): Promise<Look>
  end(): Promise<void>
}

/** Serves a page of `test/fixtures/swap` and opens it. */
async function play(name: string, engine: keyof typeof bundledEngines, art: FakeArt, more: InlineConfig = {}): Promise<Played> {
  const game = await createGame({
    'index.html': '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/swap/page.js"></script>',
    'hero.sprite.json': '{}',
  })
  const fixtures = join(repository, 'test', 'fixtures')
  await cp(join(fixtures, 'swap', `${name}.js`), join(game.root, 'swap', 'page.js'))
  await cp(join(fixtures, 'swap', 'stage.js'), join(game.root, 'swap', 'stage.js'))
  await cp(join(fixtures, 'e2e', 'phaser-probe.js'), join(game.root, 'e2e', 'phaser-probe.js'))
  const server = await createServer({
    root: game.root,
    configFile: false,
    logLevel: 'error',
    plugins: [createPlugins({}, { makeWorkshop: fakeWorkshop(art, join(game.root, 'hero.sprite.json')) })],
    resolve: {
      alias: [
        { find: 'runtime', replacement: join(repository, 'plugin', 'runtime') },
        { find: name === 'phaser' ? /^phaser$/ : /^pixi\.js$/, replacement: bundledEngines[engine] },
      ],
    },
    server: { host: '127.0.0.1', fs: { allow: [game.root, repository] } },
    optimizeDeps: { noDiscovery: true },
    ...more,
  })
  await listenAnywhere(server)
  const { page, complaints } = await visit(browser, server.resolvedUrls?.local[0] ?? '')
  await page
    .waitForFunction(() => globalThis.stage !== undefined, undefined, { timeout: patienceMs })
    .catch((error: unknown) => {
      throw new Error(`The page did not get ready:\n${complaints.join('\n')}`, { cause: error })
    })
  const look = (): Promise<Look> => page.evaluate(() => globalThis.stage?.look() as Look)
  return {
    page,
    complaints,
    look,
    step: async (ms) => {
      await page.evaluate((by) => globalThis.stage?.step(by), ms)
      return look()
    },
    walk: (steps) => page.evaluate((count) => globalThis.stage?.walk(count) ?? '', steps),
    change: async (next) => {
      const told = await page.evaluate(() => globalThis.stage?.told() ?? 0)
      Object.assign(art, next)
      await game.write('hero.sprite.json', JSON.stringify({ ...art }))
      const isShown = (before: number): boolean =>
        globalThis.stage !== undefined && globalThis.stage.told() > before && globalThis.stage.isSettled()
      await page.waitForFunction(isShown, told, { timeout: patienceMs })
      return look()
    },
    end: async () => {
      await page.close()
      await server.close()
      await game.remove()
    },
  }
}

const frame = (index: number): string => `hero/walk/000${index}`
/** A colour beside the stroke of the missing-texture picture. */
const missing: Colour = [0, 0, 0]

describe.each(engines)('a game in dev, with $name', ({ page: name, engine }) => {
  const art = fakeArt({})
  let game: Played
  beforeAll(async () => {
    game = await play(name, engine, art)
    await game.page.evaluate(() => {
      globalThis.isTheSamePage = true
    })
  })
  afterAll(() => game?.end())

  test('goes on with other art, more frames, another size: the same objects, sized like their frames', async () => {
    const before = await game.look()
    expect(before).toMatchObject({ still: { colour: [200, 0, 40] }, inner: { steps: 3, isPlaying: true, width: 16, fps: 10 } })
    const after = await game.change({ red: 50, frames: 6, side: 40 })
    expect(after).toMatchObject({
      isSame: true,
      isSameFrame: true,
      changes: before.changes,
      still: { colour: [50, 0, 40], frame: frame(2), width: 40 },
      colours: { inner: [50, 0, 0], local: [50, 0, 0], made: [50, 0, 0] },
      inner: { steps: 6, isPlaying: true, width: 40, frame: frame(0), shown: frame(0) },
      made: { steps: 6, isPlaying: true, width: 40 },
      hidden: { steps: 6, width: 40 },
      paused: { steps: 6, width: 40, isPlaying: false, frame: frame(1), shown: frame(1) },
    })
    expect(after.tile.colour[0]).toBe(50)
  })

  test('follows with a list of its own of the same frames, and leaves a list of some of them alone', async () => {
    const { local, some, slow } = await game.look()
    expect(local).toMatchObject({ steps: 6, isPlaying: true, fps: 10, width: 40 })
    expect(some).toMatchObject({ steps: 2, frame: frame(2), shown: frame(2), width: 40 })
    expect(slow).toMatchObject({ steps: 6, fps: 1 })
  })

  test('goes on from one page to several and back', async () => {
    const several = await game.change({ red: 90, maxSize: 128 })
    expect(several).toMatchObject({
      isSame: true,
      still: { colour: [90, 0, 40] },
      colours: { inner: [90, 0, 0] },
      inner: { isPlaying: true },
    })
    const one = await game.change({ red: 100, maxSize: 2048 })
    expect(one).toMatchObject({ isSame: true, still: { colour: [100, 0, 40] }, colours: { made: [100, 0, 0] }, inner: { isPlaying: true } })
  })

  test('is played at another rate from the frame that it shows on, and what has passed of it counts', async () => {
    await game.step(100)
    const { inner } = await game.step(60)
    expect(inner).toMatchObject({ frame: frame(1), fps: 10 })
    const told = (await game.look()).changes
    expect(await game.change({ fps: 5 })).toMatchObject({
      changes: told,
      inner: { frame: frame(1), fps: 5, isPlaying: true },
      slow: { fps: 1 },
    })
    // 60 % of the frame had passed in PixiJS, 60 ms of it in Phaser.
    expect((await game.step(70)).inner.frame).toBe(frame(1))
    expect((await game.step(80)).inner.frame).toBe(frame(2))
  })

  test('is played with times of its own, there and back, and to the end', async () => {
    await game.change({ durations: [50, 50, 90, 50, 50, 90] })
    expect(await game.look()).toMatchObject({ inner: { frame: frame(2), isPlaying: true } })
    await game.change({ durations: undefined, fps: 10, yoyo: true })
    expect(await game.walk(12)).toContain('3454321012')
    await game.change({ yoyo: false, loop: false })
    expect(await game.walk(12)).toMatch(/^[1-5]*5{4}$/)
    expect(await game.look()).toMatchObject({ isSame: true, inner: { frame: frame(5), isPlaying: false } })
  })

  test('frames that are played no more are skipped; one that is shown is gone on from where it is now', async () => {
    await game.change({ loop: true, fps: 10 })
    const after = await game.change({ use: [0, 5, 2] })
    expect(after).toMatchObject({ inner: { steps: 3, frame: frame(5), shown: frame(5) }, made: { steps: 3 }, paused: { frame: frame(0) } })
    expect((await game.change({ use: undefined })).inner).toMatchObject({ steps: 6, frame: frame(5), shown: frame(5) })
  })

  test('an anchor comes, moves and goes', async () => {
    const usual = await game.look()
    expect((await game.change({ anchor: { x: 0.5, y: 1 } })).made.anchor).toEqual([0.5, 1])
    expect((await game.change({ anchor: { x: 0.25, y: 0.75 } })).made.anchor).toEqual([0.25, 0.75])
    const { made, inner } = await game.change({ anchor: undefined })
    expect([made.anchor, inner.anchor]).toEqual([usual.made.anchor, usual.inner.anchor])
  })

  test('a nine-slice keeps the borders of the spec, follows when they change, and keeps them when they go', async () => {
    const look = (): Promise<Panel> => game.page.evaluate(() => globalThis.stage?.panel.look() as Panel)
    await game.change({ side: 16, borders: 4, red: 100 })
    await game.page.evaluate(() => globalThis.stage?.panel.put())
    const size = { width: 100, height: 60 }
    // Two clear pixels at each side, which would be twelve if they were stretched.
    const drawn = { ...size, edge: missing, right: missing }
    expect(await look()).toEqual({ ...drawn, left: 4, top: 4, inside: [100, 0, 0] })
    await game.change({ borders: 6, red: 60 })
    expect(await look()).toEqual({ ...drawn, left: 6, top: 6, inside: [60, 0, 0] })
    await game.change({ side: 40, red: 100 })
    expect(await look()).toEqual({ ...drawn, left: 6, top: 6, inside: [100, 0, 0] })
    await game.change({ borders: undefined })
    expect(await look()).toMatchObject({ ...size, left: 6, top: 6, inside: [100, 0, 0] })
    await game.page.evaluate(() => globalThis.stage?.panel.take())
  })

  test('so does one that keeps its left and its right edge alone', async () => {
    const left = (): Promise<number | undefined> => game.page.evaluate(() => globalThis.stage?.panel.look().left)
    await game.change({ side: 16, borders: [4, 3], red: 100 })
    await game.page.evaluate(() => globalThis.stage?.panel.put())
    expect(await left()).toBe(4)
    await game.change({ borders: [6, 5] })
    expect(await left()).toBe(6)
    await game.page.evaluate(() => globalThis.stage?.panel.take())
    await game.change({ borders: undefined })
  })

  test('pixel art comes and goes', async () => {
    const { filter } = await game.look()
    const pixel = await game.change({ pixelArt: true })
    expect(pixel.filter).not.toBe(filter)
    expect((await game.change({ pixelArt: false })).filter).toBe(filter)
    expect(game.complaints).toEqual([])
  })

  test('a frame that is gone shows the missing-texture picture, with one warning, and comes back', async () => {
    await game.page.evaluate(() => globalThis.stage?.replay())
    const without = await game.change({ red: 120, frames: 2, side: 32 })
    expect(without).toMatchObject({ isSame: true, isSameFrame: true, still: { width: 32 }, inner: { steps: 2, isPlaying: true } })
    const [warning, ...others] = game.complaints.splice(0)
    expect(others).toEqual([])
    for (const name of ['fall', 'walk']) for (const index of [2, 3, 4, 5]) expect(warning).toContain(`hero/${name}/000${index}`)
    expect(warning).toMatch(/^\[spritewright\] frames of "hero" are gone/)
    expect(without.still.colour).toEqual(missing)
    const back = await game.change({ red: 160, frames: 4 })
    expect(back).toMatchObject({ isSame: true, still: { colour: [160, 0, 40], frame: frame(2) } })
    expect(game.complaints).toEqual([])
  })

  test('an animation gets another name, and its old one again', async () => {
    const renamed = await game.change({ animations: ['run', 'fall'] })
    expect(renamed).toMatchObject({ isSame: true, animations: expect.arrayContaining(['hero/run']), inner: { isPlaying: true } })
    expect(game.complaints.splice(0)).toEqual([expect.stringContaining('hero/walk/0000')])
    const back = await game.change({ animations: ['walk', 'fall'] })
    expect(back).toMatchObject({
      animations: ['hero/fall', 'hero/walk'],
      inner: { steps: 4, isPlaying: true },
      still: { colour: [160, 0, 40] },
    })
    expect(game.complaints.splice(0)).toEqual([expect.stringContaining('hero/run/0000')])
  })

  test('a spec that is gone takes the sprite out of all sprites, and puts it back', async () => {
    const gone = await game.change({ isGone: true })
    expect(gone).toMatchObject({ isSame: true, sprites: [], still: { colour: missing, width: 32 } })
    expect(game.complaints.splice(0)).toHaveLength(1)
    expect(await game.change({ isGone: false })).toMatchObject({
      isSame: true,
      sprites: ['hero'],
      animations: ['hero/fall', 'hero/walk'],
      still: { colour: [160, 0, 40] },
      inner: { isPlaying: true, steps: 4 },
    })
  })

  test('a sprite that is new is there among all sprites, and can be loaded; one that is taken away goes', async () => {
    expect((await game.change({ others: ['tree', 'ant'] })).sprites).toEqual(['ant', 'hero', 'tree'])
    expect(await game.page.evaluate(() => globalThis.stage?.load('tree'))).toBe(true)
    expect((await game.change({ others: [] })).sprites).toEqual(['hero'])
    game.complaints.splice(0)
  })

  test('of many updates at once the last one stays', async () => {
    await game.page.evaluate(() => globalThis.stage?.hurry())
    expect(await game.look()).toMatchObject({ isSame: true, still: { colour: [160, 0, 40] }, inner: { steps: 4, isPlaying: true } })
    game.complaints.splice(0)
  })

  // Older versions of PixiJS keep listeners of textures that they drew.
  test.skipIf(engine === 'pixi8.8')(`${swaps} swaps leave as many textures, listeners and as much memory as one`, async () => {
    const cdp = await game.page.context().newCDPSession(game.page)
    const measure = async (): Promise<{ counts: Counts; heap: number }> => ({
      counts: { ...(await game.page.evaluate(() => globalThis.stage?.counts() ?? {})), ...(await domOf(cdp)) },
      heap: await heapOf(cdp),
    })
    // After a few hundred swaps, everything that is made once exists, and hot code is compiled. Then memory
    // does not grow.
    await repeat(game, Math.max(12, Math.min(300, swaps)))
    const before = await measure()
    await repeat(game, swaps)
    const after = await measure()
    console.log(`${engine}: ${swaps} swaps, ${JSON.stringify(after.counts)}, heap ${before.heap} → ${after.heap} kB`)
    // When the first pictures are counted, those of recent swaps may still have listeners.
    for (const [what, count] of Object.entries(after.counts))
      expect({ what, more: count > (before.counts[what] ?? 0) }).toEqual({ what, more: false })
    expect(after.heap - before.heap).toBeLessThan(400)
    expect(await game.look()).toMatchObject({ isSame: true, inner: { isPlaying: true } })
  })

  test('it is the same page all the time, and the game has its loader as it was', async () => {
    expect(await game.page.evaluate(() => globalThis.isTheSamePage)).toBe(true)
    if (name === 'phaser') expect(await game.page.evaluate(() => globalThis.loader?.())).toEqual(['assets/', 'MINE.'])
  })
})

describe('a game that Vite 8 bundles in dev', () => {
  test('is swapped in place too; loaded anew, it begins with what is shown now', async () => {
    const art = fakeArt({})
    const game = await play('pixi', 'pixi.js', art, { experimental: { bundledDev: true } })
    try {
      const after = await game.change({ red: 50, frames: 6, side: 40, others: ['tree'] })
      expect(after).toMatchObject({
        isSame: true,
        still: { colour: [50, 0, 40] },
        inner: { steps: 6, isPlaying: true },
        sprites: ['hero', 'tree'],
      })
      await game.change({ red: 60, frames: 5 })
      await game.page.reload()
      // The bundle is as old as the server, so the page receives the changes since then.
      await game.page.waitForFunction(() => globalThis.stage?.isSettled() && globalThis.stage.told() > 0, undefined, {
        timeout: patienceMs,
      })
      expect(await game.look()).toMatchObject({
        still: { colour: [60, 0, 40] },
        inner: { steps: 5, isPlaying: true },
        sprites: ['hero', 'tree'],
      })
    } finally {
      await game.end()
    }
  })
})

/** Plays whole rounds of all updates so far, so that the art is the same at the end. */
async function repeat({ page, complaints }: Played, times: number): Promise<void> {
  const told = await page.evaluate(() => globalThis.stage?.told() ?? 1)
  await page.evaluate((count) => globalThis.stage?.repeat(count), Math.ceil(times / told) * told)
  complaints.splice(0)
}

/** Kilobytes on the JavaScript heap after garbage collection. */
async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  return Math.round(usedSize / 1024)
}

async function domOf(cdp: CDPSession): Promise<Counts> {
  const { jsEventListeners } = await cdp.send('Memory.getDOMCounters')
  return { jsEventListeners }
}
