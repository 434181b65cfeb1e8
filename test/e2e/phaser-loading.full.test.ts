import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { SpriteModule } from '../../plugin/runtime/shared/data.ts'
import { isOffered } from '../kit/extras.ts'
import { patienceMs } from '../kit/patience.ts'
import { openBrowser } from './browser.ts'
import { colours, openRuntime, type RuntimePage, spriteOf } from './runtime-page.ts'

const engines = (
  [
    { name: 'Phaser 4', engine: 'phaser' },
    { name: 'Phaser 3.90', engine: 'phaser3' },
  ] as const
).filter(({ engine }) => isOffered(engine))

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

/** A game of `test/fixtures/loading/phaser.js`. */
interface PlayedGame {
  call<T>(method: string, ...args: readonly unknown[]): Promise<T>
  /** Waits until the log of the game has all these lines, and returns it. */
  until(...lines: readonly string[]): Promise<readonly string[]>
}

const whole = (pages: number): unknown => ({
  textures: ['hero'],
  animations: { 'hero/walk': spriteOf('hero', pages).frames },
})
const nothing = { textures: [], animations: {} }

describe.each(engines)('in $name, loads that fail or run side by side', ({ engine }) => {
  let page: RuntimePage
  beforeAll(async () => {
    page = await openRuntime(browser, 'phaser', engine)
  })
  afterEach(() => page.forget())
  afterAll(() => page?.close())

  async function start(names: readonly string[], sprites: readonly SpriteModule[], loader = {}, xhr = {}): Promise<PlayedGame> {
    const at = await page.page.evaluate((args) => kit.games.push(kit.start(...args)) - 1, [names, sprites, loader, xhr] as const)
    const game: PlayedGame = {
      call: (method, ...args) => page.page.evaluate(([index, name, list]) => kit.games[index][name](...list), [at, method, args] as const),
      until: async (...lines) => {
        const hasAll = ([index, wanted]: readonly [number, readonly string[]]): boolean => {
          const log = [...kit.games[index].log]
          return wanted.every((line) => log.includes(line) && log.splice(log.indexOf(line), 1))
        }
        await page.page.waitForFunction(hasAll, [at, lines] as const, { timeout: patienceMs })
        return page.page.evaluate((index) => kit.games[index].log.splice(0), at)
      },
    }
    onTestFinished(() => game.call('end'))
    return game
  }

  /** A picture that is answered when the test says so. */
  function hold(picture: number): () => void {
    let release: () => void = () => {}
    page.answers.set(picture, [new Promise((resolve) => (release = resolve))])
    return release
  }

  test.each([
    [3, 0],
    [3, 1],
    [2, 1],
    [1, 0],
  ])('of %i pages number %i fails: no texture, no animation, and a restarted scene has the whole atlas', async (pages, failing) => {
    const hero = spriteOf('hero', pages)
    page.answers.set(failing, [503])
    const game = await start(['level'], [hero])
    const log = await game.until('level starts with 0')
    expect(log).toContain('level lacks hero')
    expect(await game.call('state')).toEqual(nothing)
    await game.call('restart', 'level')
    await game.until(`level starts with ${pages}`)
    expect(await game.call('state')).toEqual(whole(pages))
    expect(await game.call('draw', hero)).toEqual(colours.slice(0, pages))
  })

  test.each([[1], [3]])('two scenes that load %i pages side by side fetch each once, and both start with the texture', async (pages) => {
    const hero = spriteOf('hero', pages)
    const release = hold(0)
    const game = await start(['one', 'two'], [hero])
    await game.until('one loads', 'two loads')
    release()
    await game.until(`one starts with ${pages}`, `two starts with ${pages}`)
    expect([...page.asked].sort()).toEqual([0, 1, 2].slice(0, pages))
    expect(await game.call('state')).toEqual(whole(pages))
    expect(await game.call('draw', hero)).toEqual(colours.slice(0, pages))
    expect(page.complaints).toEqual([])
  })

  test('a third scene that joins a load under way starts only when the texture is there', async () => {
    const game = await start(['one', 'two', 'three'], [spriteOf('hero', 3)])
    await game.until('one starts with 3', 'two starts with 3', 'three starts with 3')
    await game.call('restart', 'three')
    await game.until('three starts with 3')
    expect(page.asked).toHaveLength(3)
  })

  test('a load that fails while another scene waits for it leaves both without, and the next one is whole', async () => {
    const hero = spriteOf('hero', 2)
    page.answers.set(1, [503])
    const game = await start(['one', 'two'], [hero])
    await game.until('one starts with 0', 'two starts with 0', 'two lacks hero')
    expect(await game.call('state')).toEqual(nothing)
    await game.call('restart', 'two')
    await game.until('two starts with 2')
    expect(await game.call('draw', hero)).toEqual(colours.slice(0, 2))
    expect(await game.call('state')).toEqual(whole(2))
  })

  test.each([['stop'], ['remove'], ['restart']])(
    'a scene that meets "%s" in the middle of its load takes nothing from a scene that waits',
    async (end) => {
      const hero = spriteOf('hero', 3)
      const release = hold(1)
      const game = await start(['one', 'two'], [hero])
      await game.until('one loads', 'two loads')
      await game.call(end, 'one')
      release()
      await game.until('two starts with 3')
      expect(page.asked).toHaveLength(3)
      expect(await game.call('state')).toEqual(whole(3))
      expect(page.complaints).toEqual([])
    },
  )

  test('a game that ends in the middle of a load leaves the next game whole', async () => {
    const hero = spriteOf('hero', 2)
    const release = hold(0)
    const first = await start(['level'], [hero])
    await first.until('level loads')
    await first.call('end')
    const second = await start(['level'], [hero])
    await second.until('level starts with 2')
    release()
    expect(await second.call('state')).toEqual(whole(2))
    expect(await second.call('draw', hero)).toEqual(colours.slice(0, 2))
    expect(page.complaints).toEqual([])
  })

  test('the settings of the loader count: image elements, one file at a time, headers', async () => {
    const hero = spriteOf('hero', 2)
    const game = await start(['level'], [hero], { imageLoadType: 'HTMLImageElement', maxParallelDownloads: 1 })
    expect(await game.until('level starts with 2')).toEqual(['level loads', 'level has hero', 'level has hero#1', 'level starts with 2'])
    const headers: string[] = []
    page.page.on('request', (request) => void headers.push(request.headers()['x-mine'] ?? ''))
    const other = await start(['level'], [spriteOf('hero', 1)], {}, { headers: { 'X-Mine': 'game' } })
    await other.until('level starts with 1')
    expect(headers).toEqual(['game'])
  })

  test('an object has the anchor of its frames, which may differ from that of the spec', async () => {
    const { frames } = spriteOf('hero', 1)
    const hero = {
      ...spriteOf('hero', 1, { frames: { [frames[0] as string]: [0, 0, 0, 16, 16, 0, 0, 16, 16, 0.5, 0.75] } }),
      anchor: { x: 0.5, y: 1 },
    }
    const game = await start(['level'], [hero])
    await game.until('level starts with 1')
    expect(await game.call('origin', hero)).toEqual([0.5, 0.75])
  })
})
