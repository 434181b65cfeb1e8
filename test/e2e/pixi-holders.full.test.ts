import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isOffered } from '../kit/extras.ts'
import { openBrowser } from './browser.ts'
import { moved, openRuntime, type RuntimePage } from './runtime-page.ts'

const engines = (
  [
    { name: 'PixiJS 8', engine: 'pixi.js' },
    { name: 'PixiJS 8.8', engine: 'pixi8.8' },
  ] as const
).filter(({ engine }) => isOffered(engine))

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const [red, green, blue] = ['200,0,0', '0,200,0', '0,0,200'] as const

describe.each(engines)('$name: a swap reaches whatever holds a frame', ({ engine }) => {
  let page: RuntimePage
  const call: RuntimePage['call'] = (...args) => page.call(...args)
  beforeAll(async () => {
    page = await openRuntime(browser, 'pixi-swap', engine)
  })
  beforeEach(async () => {
    await page.reload()
  })
  afterAll(() => page?.close())

  test.each([
    ['sprite', 256, 576],
    ['tiles', 2304, 2304],
    ['nine-slice', 2304, 2304],
    ['plane', 256, 576],
    ['particle', 256, 576],
    ['cached sprite', 256, 576],
    ['cached particle', 256, 576],
    ['cached twice', 256, 576],
    // Kind: fields of a game that have names of PixiJS.
    ['sprite in a container with fields of its own', 256, 576],
    ['particle in a container with an update of its own', 256, 576],
  ])('a %s shows the new art at its new place, size and colour, and nothing of its neighbours', async (kind, before, after) => {
    expect(await call('hold', kind, moved('before'))).toEqual({ [red]: before })
    expect(await call('swap', moved('after'))).toEqual({ [green]: after })
    expect(await call('swap', moved('before'))).toEqual({ [red]: before })
  })

  test.each([['sprite'], ['particle'], ['cached particle']])('a %s on a stage that is not rendered last does too', async (kind) => {
    expect(await call('holdBelow', kind, moved('before'))).toEqual({ [red]: 256 })
    expect(await call('swap', moved('after'))).toEqual({ [green]: 576 })
  })

  test('a fill on a stage that is not rendered last has copied the old place', async () => {
    await call('holdBelow', 'fill', moved('before'))
    expect(await call('swap', moved('after'))).toContain('copied where its frames lay')
  })

  test.each([
    ['the application with textures and sources', 'again', { children: true, texture: true, textureSource: true }],
    ['the application with textures', 'again', { children: true, texture: true }],
    ['the application alone', 'again', {}],
    ['a page', 'destroyFrame', 0, true],
    ['a frame', 'destroyFrame', 0, false],
    ['a frame that comes later', 'destroyFrame', 1, false],
  ])('the game has destroyed %s: the next load is whole, without a reload', async (_, method, ...values) => {
    await call('hold', 'sprite', moved('before'))
    await call(method, ...values)
    expect(await call('swapAndLoad', moved('after'))).toEqual({ [green]: 576 })
    expect(await call('swapAndLoad', moved('before'))).toEqual({ [red]: 256 })
  })

  test('a swap and an unloading wait for each other', async () => {
    await call('hold', 'sprite', moved('before'))
    expect(await call('swapAndLoad', moved('after'), 'unload')).toEqual({ [green]: 576 })
  })

  test('a rope, which is smooth at its ends, does too', async () => {
    const before = await call<Record<string, number>>('hold', 'rope', moved('before'))
    expect(before[red]).toBeGreaterThan(22 * 16)
    const after = await call<Record<string, number>>('swap', moved('after'))
    expect(after[green]).toBeGreaterThan(22 * 22)
    expect(after).not.toHaveProperty(red)
  })

  test('particles of several frames do too', async () => {
    expect(await call('hold', 'particles', moved('before'))).toEqual({ [red]: 256, [green]: 256 })
    expect(await call('swap', moved('after'))).toEqual({ [green]: 576, [blue]: 576 })
  })

  test.each([['fill'], ['stroke'], ['stamp'], ['cut'], ['particle of a cut']])(
    'a %s has copied the old place, so the page reloads',
    async (kind) => {
      await call('hold', kind, moved('before'))
      expect(await call('swap', moved('after'))).toMatch(/^"hero" could not be swapped in place \(.*copied where its frames lay\)$/)
    },
  )

  test('particles of frames that come to lie on several pages need a reload', async () => {
    const { atlases, frames } = moved('after')
    const [page] = atlases[0]?.pages ?? []
    const rows = Object.values(atlases[0]?.frames ?? {}).map(([, ...row], at) => [at, ...row])
    const pages = [page, { ...page, url: `${page?.url}?again` }] as never
    const several = moved('after', { pages, frames: Object.fromEntries(frames.map((frame, at) => [frame, rows[at]])) as never })
    await call('hold', 'particles', moved('before'))
    expect(await call('swap', several)).toContain('a ParticleContainer draws one page')
  })

  test.each([['fill'], ['cut']])('a change of playback alone leaves a %s and the page as they are', async (kind) => {
    const before = await call('hold', kind, moved('before'))
    const [walk] = Object.values(moved('before').atlases[0]?.animations ?? {})
    expect(await call('swap', moved('before', { animations: { 'hero/walk': { ...walk!, fps: 3 } } }))).toEqual(before)
  })
})
