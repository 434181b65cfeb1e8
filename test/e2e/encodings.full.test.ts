import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FrameSequence, PageEncoding } from '../../atlas/index.ts'
import { nodeTextures, type TextureSettings } from '../../src/host/modules/textures.ts'
import { drawAll } from '../atlas/drawn.ts'
import { painting } from '../atlas/formats/project.ts'
import { openBrowser } from './browser.ts'
import { encodeGame, showModule, showWritten } from './encoded-game.ts'

let browser: Browser

beforeAll(async () => {
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
})

/** Speckles of every colour and alpha, so that any change by a codec is visible. */
const speckles = [painting('hero/walk', { width: 48, height: 40 }), painting('hero/idle', { width: 40, height: 56 })]

test('PixiJS takes the best encoding that the browser shows at the scale that it is to take, and no other', async () => {
  const grid = await encodeGame(speckles, [{ format: 'png' }, { format: 'webp' }, { format: 'avif' }], [1, 0.5])
  expect((await showWritten(browser, grid)).asked).toEqual(['sprites-0.avif', 'sprites-0.avif.json'])
  const small = await showWritten(browser, grid, { formats: ['webp', 'png'], resolution: 0.5 })
  expect(small.asked).toEqual(['sprites-0@0.5x.webp', 'sprites-0@0.5x.webp.json'])
})

test('frames of a written project are exact as PNG, and 1 of 255 off at most as WebP, which PixiJS loads over ImageBitmaps', async () => {
  const both = await encodeGame(speckles, [{ format: 'webp' }, { format: 'png', level: 9 }])
  const png = await showWritten(browser, both, { formats: ['png'] })
  expect(png).toEqual({ asked: ['sprites-0.png', 'sprites-0.png.json'], largest: 0, mean: 0 })
  expect((await showWritten(browser, both, { formats: ['webp'] })).largest).toBeLessThanOrEqual(1)
  expect((await showWritten(browser, both, { formats: ['webp'], isExact: true })).largest).toBe(0)
})

test("the plugin's runtime takes the best encoding too, and draws every frame exactly", async () => {
  const both = await encodeGame(speckles, [{ format: 'png' }, { format: 'webp' }])
  expect(await showModule(browser, both)).toEqual({ asked: ['sprites-0.webp'], largest: 0, mean: 0 })
})

test('turned frames are exact in both ways of loading them', async () => {
  const mixed = [painting('hero/lie', { width: 90, height: 20, trim: false }), painting('hero/stand', { width: 20, height: 90 })]
  const game = await encodeGame(mixed, [{ format: 'png' }], [1], true)
  expect(game.atlases[0]!.atlas.frames.some(({ isTurned }) => isTurned)).toBe(true)
  expect((await showWritten(browser, game)).largest).toBe(0)
  expect((await showModule(browser, game)).largest).toBe(0)
})

describe('KTX2', () => {
  const encodeTexture = nodeTextures()
  const entry = import.meta.resolve('ktx2-encoder')
  const ktx2 = (settings: TextureSettings): PageEncoding => ({
    format: 'ktx2',
    texture: (bitmap) => encodeTexture(entry, bitmap, settings),
  })

  /**
   * Drawings, for which the codec is made, with soft edges. Colours that were multiplied twice or never would
   * be visible there.
   */
  async function drawings(): Promise<readonly FrameSequence[]> {
    const [drawn] = await drawAll(['a wizard with a blue hat'], [['walk', 7]])
    const frames = drawn!.frames.slice(0, 3).map((bitmap, at) => ({ name: `hero/walk/000${at}`, bitmap, durationMs: 80 }))
    return [{ ...painting('hero/walk'), frames, play: frames.map(({ name }) => name) }]
  }

  /** Mean difference over all visible pixels, of 255. */
  const tolerance = { uastc: 4, etc1s: 12 }

  test('as UASTC is taken by PixiJS where it has learnt to load it, and looks alike', async () => {
    const game = await encodeGame(await drawings(), [{ format: 'png' }, ktx2({ mode: 'uastc', quality: 50 })])
    const shown = await showWritten(browser, game, { hasKtx2: true })
    console.log(`UASTC in PixiJS: ${shown.mean.toFixed(2)} of 255 off in the mean, ${shown.largest} at most.`)
    expect(shown.asked).toEqual(['sprites-0.ktx2', 'sprites-0.ktx2.json'])
    expect(shown.mean).toBeLessThan(tolerance.uastc)
  })

  test("as ETC1S is taken by the plugin's runtime, and looks alike", async () => {
    const game = await encodeGame(await drawings(), [{ format: 'png' }, ktx2({ mode: 'etc1s', quality: 80 })])
    const shown = await showModule(browser, game, { hasKtx2: true })
    console.log(`ETC1S in PixiJS: ${shown.mean.toFixed(2)} of 255 off in the mean, ${shown.largest} at most.`)
    expect(shown.asked).toEqual(['sprites-0.ktx2'])
    expect(shown.mean).toBeLessThan(tolerance.etc1s)
  })

  test('is left alone where PixiJS has not', async () => {
    const game = await encodeGame(speckles, [{ format: 'png' }, ktx2({ mode: 'uastc', quality: 50 })])
    expect(await showWritten(browser, game)).toEqual({ asked: ['sprites-0.json', 'sprites-0.png'], largest: 0, mean: 0 })
  })
})
