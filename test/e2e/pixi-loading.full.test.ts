import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { isOffered } from '../kit/extras.ts'
import { openBrowser } from './browser.ts'
import { colours, openRuntime, type RuntimePage, spriteOf } from './runtime-page.ts'

const engines = (
  [
    { name: 'PixiJS 8', engine: 'pixi.js' },
    { name: 'PixiJS 8.8', engine: 'pixi8.8' },
    { name: 'PixiJS 8.0', engine: 'pixi8.0' },
  ] as const
).filter(({ engine }) => isOffered(engine))

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const hero = spriteOf('hero', 3)
const rgb = colours.map((colour) => [...colour])

describe.each(engines)('$name', ({ engine }) => {
  let page: RuntimePage
  const call: RuntimePage['call'] = (...args) => page.call(...args)
  beforeAll(async () => {
    page = await openRuntime(browser, 'pixi', engine)
  })
  beforeEach(async () => {
    await page.reload()
    await call('start')
  })
  afterEach(() => page.forget())
  afterAll(() => page?.close())

  describe('loads again what the game has destroyed', () => {
    test.each([
      ['with textures and sources', { children: true, texture: true, textureSource: true }],
      ['with textures', { children: true, texture: true }],
      ['with nothing of them', { children: true }],
    ])('an application that is destroyed %s, and started again', async (_, options) => {
      expect(await call('show', [hero])).toEqual(rgb)
      expect(await call('again', [hero], options)).toEqual(rgb)
      expect(await call('again', [hero], options)).toEqual(rgb)
    })

    test.each([
      [{ texture: true, textureSource: true }, 4],
      [{ texture: true }, 3],
    ])('one object that is destroyed with %o, while others go on', async (options, requests) => {
      await call('show', [hero])
      await call('destroyFirst', options)
      expect(await call('show', [hero])).toEqual(rgb)
      expect(page.asked).toHaveLength(requests)
    })

    test("a page that the game unloads with PixiJS's own Assets", async () => {
      await call('show', [hero])
      await call('empty')
      await call('unloadPage', 'pages/1.png')
      expect(await call('show', [hero])).toEqual(rgb)
    })

    test("names that the game has dropped from PixiJS's cache", async () => {
      await call('show', [hero])
      await call('resetCache')
      expect(await call('has', hero.frames[0])).toBe(false)
      await call('show', [hero])
      expect(await call('has', hero.frames[0])).toBe(true)
    })

    test('a page that failed once', async () => {
      page.answers.set(1, [503])
      await expect(call('show', [hero])).rejects.toThrow()
      expect(await call('show', [hero])).toEqual(rgb)
    })
  })

  test('a load that fails forgets no user of the atlas (kind: what is half done counts as done)', async () => {
    const other = { ...hero, name: 'heroine' }
    await call('show', [hero, other])
    await call('empty')
    await call('unloadPage', 'pages/1.png')
    page.answers.set(1, [503])
    await expect(call('show', [hero])).rejects.toThrow()
    expect(await call('show', [hero])).toEqual(rgb)
    await call('empty')
    await call('unload', [hero])
    expect(await call('has', hero.frames[0])).toBe(true)
    await call('unload', [other])
    expect(await call('has', hero.frames[0])).toBe(false)
  })

  describe('unloadSprites', () => {
    test('frees pages and names, and the next load fetches them again', async () => {
      await call('show', [hero])
      await call('empty')
      await call('unload', [hero])
      expect(await call('has', hero.frames[0])).toBe(false)
      expect(await call('onCard')).toBe(0)
      expect(await call('show', [hero])).toEqual(rgb)
      expect(page.asked).toHaveLength(6)
      expect(page.complaints).toEqual([])
    })

    test('a load that begins before it has ended is whole', async () => {
      await call('show', [hero])
      await call('empty')
      expect(await call('race', [hero])).toEqual(rgb)
    })

    test('keeps an atlas that another sprite needs, until that one is unloaded too', async () => {
      const { frames, atlases, texture } = hero
      const part = (name: string, from: number, to: number): typeof hero => ({
        ...hero,
        name,
        texture,
        atlases,
        frames: frames.slice(from, to),
      })
      const [one, two] = [{ ...part('hero', 0, 1) }, { ...part('heroine', 1, 1) }]
      await call('show', [one, two])
      await call('unload', [two])
      expect(await call('show', [hero])).toEqual(rgb)
      await call('empty')
      await call('unload', [hero])
      await call('unload', [hero])
      expect(await call('has', frames[0])).toBe(false)
      expect(page.asked).toHaveLength(3)
    })
  })

  const [walk = '', idle = ''] = spriteOf('hero', 2).frames
  const place = [0, 0, 0, 16, 16, 0, 0, 16, 16] as const
  const two = spriteOf('hero', 2, {
    frames: { [walk]: [...place, 0.5, 0.75], [idle]: [...place, 0.5, 0.5] },
    animations: Object.fromEntries(
      [walk, idle].map((frame, at) => [`hero/${['walk', 'idle'][at]}`, { frames: [[frame, 100]], fps: 10, loop: true, yoyo: false }]),
    ),
  })
  const idling = {
    ...two,
    animations: { ...two.animations, idle: { ...two.animations.walk!, name: 'hero/idle' } },
    order: ['walk', 'idle'],
  }
  test.each([
    ['the frames', undefined, [0.5, 0.75]],
    ['the game, once it has set one', [0.25, 0.25], [0.25, 0.25]],
  ])('an object that plays another animation has the anchor of %s (kind: two anchors for one thing)', async (_, own, last) => {
    expect(await call('anchors', idling, own)).toEqual([[0.5, 0.75], [0.5, 0.5], last])
  })

  test.each([
    ['the frames have another anchor than the spec', { x: 0.5, y: 1 }],
    ['the spec has none', undefined],
  ])('an object has the anchor of its frames: %s', async (_, anchor) => {
    const [frame = ''] = hero.frames
    const own = spriteOf('hero', 1, { frames: { [frame]: [0, 0, 0, 16, 16, 0, 0, 16, 16, 0.5, 0.75] } })
    expect(await call('anchor', { ...own, ...(anchor ? { anchor } : {}) })).toEqual([0.5, 0.75])
  })
})

describe.each(engines)('$name in a worker, without a document', ({ engine }) => {
  test.each([['png'], ['webp']])('loads and draws sprites whose pages are %s', async (format) => {
    const page = await openRuntime(browser, 'pixi-worker', engine, 'webworker.min.mjs')
    onTestFinished(() => page.close())
    const pages = hero.frames.map((_, at) => ({ url: `pages/${at}.${format}`, width: 16, height: 16, format }))
    const sprites = [spriteOf('hero', 3, { pages })]
    expect(await page.page.evaluate((all) => kit.inWorker(all), sprites)).toEqual(rgb)
  })
})
