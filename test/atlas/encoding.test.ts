import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { likeness } from '../../atlas/encode/likeness.ts'
import { type Bitmap, bleedColours, createBitmap, decodePng, encodePage } from '../../atlas/index.ts'
import { CLOSE_ENOUGH, encodeIndexed } from '../../atlas/png/palette.ts'
import { drawAll, seeded } from './drawn.ts'

/** A picture of at most this many colours, some of them clear. */
function patchwork(width: number, height: number, colours: number, seed: number): Bitmap {
  const chance = seeded(seed)
  const palette = Array.from({ length: colours }, () =>
    [0, 0, 0].map(() => Math.floor(chance() * 256)).concat(chance() < 0.3 ? 0 : 255 - Math.floor(chance() * 3)),
  )
  const bitmap = createBitmap(width, height)
  for (let at = 0; at < bitmap.data.length; at += 4) bitmap.data.set(palette[Math.floor(chance() * colours)]!, at)
  return bitmap
}

function visible(bitmap: Bitmap): Uint8Array {
  const data = bitmap.data.slice()
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 0) data.fill(0, at, at + 4)
  return data
}

describe('a palette', () => {
  test('of at most 256 colours is exact, in whatever depth it needs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 37 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(1, 2, 3, 4, 5, 16, 17, 200),
        fc.nat(),
        async (w, h, colours, seed) => {
          const bitmap = patchwork(w, h, colours, seed)
          expect(visible(decodePng((await encodeIndexed(bitmap, 6))!))).toEqual(visible(bitmap))
        },
      ),
      { numRuns: 100 },
    )
  })

  test('is read alike by another decoder', async () => {
    const bitmap = patchwork(33, 21, 30, 4)
    const { data } = await sharp((await encodeIndexed(bitmap, 6))!)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(visible({ ...bitmap, data: new Uint8Array(data) })).toEqual(visible(bitmap))
  })

  test('is refused over 256 colours, and the page is written in all its colours', async () => {
    const bitmap = patchwork(64, 64, 4000, 1)
    expect(await encodeIndexed(bitmap, 6)).toBeUndefined()
    const plain = await encodePage(bitmap, { format: 'png' })
    expect(await encodePage(bitmap, { format: 'png', palette: 'exact' })).toEqual(plain)
    // Noise looks different with fewer colours.
    expect(await encodePage(bitmap, { format: 'png', palette: 'close' })).toEqual(plain)
  })

  test('makes no page larger, and close pages look alike', async () => {
    const [drawn] = await drawAll(['a wizard with a blue hat'], [['walk', 8]])
    const [frame] = drawn!.frames
    const plain = await encodePage(frame!, { format: 'png' })
    const close = await encodePage(frame!, { format: 'png', palette: 'close' })
    console.log(
      `A drawn frame: ${plain.length} bytes in all its colours, ${close.length} with a palette that looks alike (${likeness(frame!, decodePng(close)).toFixed(4)}).`,
    )
    expect(close.length).toBeLessThan(plain.length)
    expect(likeness(frame!, decodePng(close))).toBeGreaterThanOrEqual(CLOSE_ENOUGH)
    const dot = createBitmap(1, 1)
    for (const palette of ['exact', 'close'] as const)
      expect((await encodePage(dot, { format: 'png', palette })).length).toBeLessThanOrEqual(
        (await encodePage(dot, { format: 'png' })).length,
      )
  })
})

describe('likeness', () => {
  test('is 1 for equal pictures, sees a changed colour and a changed alpha, and leaves the colour of clear pixels out', () => {
    const bitmap = patchwork(40, 40, 12, 7)
    expect(likeness(bitmap, bitmap)).toBeCloseTo(1)
    expect(likeness(bitmap, createBitmap(40, 40, visible(bitmap)))).toBeCloseTo(1)
    for (const channel of [0, 1, 2, 3]) {
      const data = bitmap.data.map((value, at) => (at % 4 === channel ? 255 - value : value))
      expect(likeness(bitmap, createBitmap(40, 40, data))).toBeLessThan(0.9)
    }
  })
})

describe('bleedColours', () => {
  const picture = fc
    .tuple(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 1, max: 24 }), fc.integer({ min: 1, max: 5 }), fc.nat())
    .map(([w, h, colours, seed]) => patchwork(w, h, colours, seed))

  test('leaves visible pixels and all alphas alone, and lends no colour that is farther than the nearest and a pixel', () => {
    fc.assert(
      fc.property(picture, (bitmap) => {
        const { width, height, data } = bitmap
        const bled = bleedColours(bitmap)
        expect(visible(bled)).toEqual(visible(bitmap))
        const seen: { x: number; y: number; colour: string }[] = []
        const colourAt = (bytes: Uint8Array, at: number): string => bytes.subarray(at, at + 3).join()
        for (let y = 0; y < height; y++)
          for (let x = 0; x < width; x++)
            if (data[(y * width + x) * 4 + 3]! > 0) seen.push({ x, y, colour: colourAt(data, (y * width + x) * 4) })
        for (let y = 0; y < height; y++)
          for (let x = 0; x < width; x++) {
            const at = (y * width + x) * 4
            if (data[at + 3]! > 0 || seen.length === 0) continue
            const near = Math.min(...seen.map((other) => Math.hypot(other.x - x, other.y - y)))
            if (near > 15) continue
            const lender = seen.filter(({ colour }) => colour === colourAt(bled.data, at))
            expect(Math.min(...lender.map((other) => Math.hypot(other.x - x, other.y - y)))).toBeLessThanOrEqual(near + 1)
          }
      }),
      { numRuns: 60 },
    )
  })

  test('reaches so far and no farther', () => {
    const bitmap = createBitmap(40, 1)
    bitmap.data.set([9, 8, 7, 255], 0)
    const { data } = bleedColours(bitmap, 16)
    expect([...data.subarray(16 * 4, 16 * 4 + 4)]).toEqual([9, 8, 7, 0])
    expect([...data.subarray(17 * 4, 17 * 4 + 4)]).toEqual([0, 0, 0, 0])
  })

  test('what lies under clear pixels does not show in a lossy page', async () => {
    const disc = (under: readonly number[]): Bitmap => {
      const bitmap = createBitmap(64, 64)
      for (let y = 0; y < 64; y++)
        for (let x = 0; x < 64; x++)
          bitmap.data.set(Math.hypot(x - 32, y - 32) < 20 ? [240, 220, 40, 255] : [...under, 0], (y * 64 + x) * 4)
      return bitmap
    }
    for (const format of ['webp', 'avif'] as const) {
      const pages = await Promise.all(
        [
          [0, 0, 255],
          [0, 0, 0],
          [240, 220, 40],
        ].map((under) => encodePage(disc(under), { format, lossless: false, quality: 60 })),
      )
      const edge = await sharp(pages[0]!).ensureAlpha().raw().toBuffer()
      for (let at = 0; at < edge.length; at += 4) if (edge[at + 3]! > 200) expect(Math.abs(edge[at]! - 240)).toBeLessThanOrEqual(24)
    }
  })
})
