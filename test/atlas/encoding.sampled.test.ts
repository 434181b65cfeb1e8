import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { pixelsOf } from '../../atlas/bitmap.ts'
import { type ColourError, colourError } from '../../atlas/encode/likeness.ts'
import { isClose, reduceColours } from '../../atlas/encode/reduce.ts'
import { type Bitmap, bleedColours, createBitmap, decodePng, encodePage, encodePages, readPage } from '../../atlas/index.ts'
import { encodeIndexed } from '../../atlas/png/palette.ts'
import { encodeSmallest } from '../../atlas/png/write.ts'
import { byLevel } from '../level.ts'
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
      { numRuns: byLevel({ quick: 15, full: 100, long: 100 }) },
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
    const words: string[] = []
    expect(await encodePage(bitmap, { format: 'png', palette: 'close', warn: (why) => words.push(why) })).toEqual(plain)
    expect(words).toEqual([
      expect.stringMatching(
        /^Expected an OKLab error of at most 0\.010 on average, 0\.050 for 99 of 100 pixels and 0\.200 for any with 256 colours, found 0\.\d{3} on average, /,
      ),
    ])
    const named: string[] = []
    const atlas = { name: 'sprites', scale: 1, pixelArt: false, frames: [], animations: [], pages: [{ index: 0, bitmap }] }
    await encodePages(atlas, { format: 'png', palette: 'close', warn: (why) => named.push(why) })
    expect(named).toEqual([`sprites-0.png: ${words[0]}`])
  })

  test('makes no page larger, and close pages look alike', async () => {
    const [drawn] = await drawAll(['a wizard with a blue hat'], [['walk', 8]])
    const [frame] = drawn!.frames
    const plain = await encodePage(frame!, { format: 'png' })
    const close = await encodePage(frame!, { format: 'png', palette: 'close' })
    expect(close.length).toBeLessThan(plain.length / 2)
    expect(isClose(errorOf(frame!, decodePng(close)))).toBe(true)
    const dot = createBitmap(1, 1)
    for (const palette of ['exact', 'close'] as const)
      expect((await encodePage(dot, { format: 'png', palette })).length).toBeLessThanOrEqual(
        (await encodePage(dot, { format: 'png' })).length,
      )
  })
})

describe('the best effort', () => {
  test('keeps every visible pixel, and is no larger than the fast one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(2, 40, 2000),
        fc.nat(),
        async (width, height, colours, seed) => {
          const bitmap = patchwork(width, height, colours, seed)
          const fast = await encodePage(bitmap, { format: 'png' })
          const best = await encodePage(bitmap, { format: 'png', effort: 'best' })
          expect(best.length).toBeLessThanOrEqual(fast.length)
          expect(visible(decodePng(best))).toEqual(visible(bitmap))
        },
      ),
      { numRuns: byLevel({ quick: 20, full: 60, long: 60 }) },
    )
  })

  test('filters rows so that any decoder reads the same picture, smaller if it is smooth', async () => {
    const bitmap = createBitmap(90, 70)
    for (let at = 0; at < 6300; at++)
      bitmap.data.set([(at % 90) * 2, Math.floor(at / 90) * 3, ((at % 90) * Math.floor(at / 90)) % 256, 255 - (at % 90)], 4 * at)
    const best = await encodeSmallest(bitmap)
    expect(decodePng(best)).toEqual(bitmap)
    expect(new Uint8Array(await sharp(best).raw().toBuffer())).toEqual(bitmap.data)
    expect(best.length).toBeLessThan((await encodePage(bitmap, { format: 'png', level: 9 })).length / 2)
    expect(await encodeSmallest(bitmap)).toEqual(best)
  })

  test('makes a lossless WebP smaller, with the same visible pixels', async () => {
    const [drawn] = await drawAll(['a wizard with a blue hat'], [['walk', 8]])
    const [frame] = drawn!.frames
    const [fast, best] = await Promise.all((['fast', 'best'] as const).map((effort) => encodePage(frame!, { format: 'webp', effort })))
    expect(best!.length).toBeLessThan(fast!.length)
    expect(visible(await readPage(best!, 'webp'))).toEqual(visible(frame!))
  })
})

/** The error between two pictures, counted pixel by pixel. */
function errorOf(a: Bitmap, b: Bitmap): ColourError {
  return colourError(pixelsOf(a), pixelsOf(b), new Uint8Array(a.width * a.height).fill(1))
}

describe('a close palette', () => {
  /** Soft slopes of colour and alpha with some noise: few colours to thousands. */
  const slope = fc
    .tuple(fc.integer({ min: 1, max: 48 }), fc.integer({ min: 1, max: 48 }), fc.integer({ min: 0, max: 60 }), fc.nat())
    .map(([width, height, noise, seed]) => {
      const chance = seeded(seed)
      const ends = Array.from({ length: 8 }, () => Math.floor(chance() * 256))
      const bitmap = createBitmap(width, height)
      for (let at = 0; at < width * height; at++) {
        const part = (at % width) / width
        const value = (channel: number): number =>
          Math.max(0, Math.min(255, Math.round(ends[channel]! * part + ends[channel + 4]! * (1 - part) + (chance() - 0.5) * noise)))
        const alpha = chance() < 0.3 ? 0 : chance() < 0.5 ? 255 : value(3)
        bitmap.data.set([value(0), value(1), value(2), alpha], 4 * at)
      }
      return bitmap
    })

  test('is written only within the stated error, for every picture, and says why it is not', async () => {
    let reduced = 0
    await fc.assert(
      fc.asyncProperty(slope, async (bitmap) => {
        const words: string[] = []
        const written = decodePng(await encodePage(bitmap, { format: 'png', palette: 'close', warn: (why) => words.push(why) }))
        const error = errorOf(bitmap, written)
        expect(isClose(error)).toBe(true)
        if (words.length > 0) expect(written).toEqual(bitmap)
        if (error.mean > 0) reduced++
      }),
      // With other seeds it would be chance how many pictures have fewer colours.
      { seed: 20261128, numRuns: byLevel({ quick: 15, full: 40, long: 40 }) },
    )
    expect(reduced).toBeGreaterThan(byLevel({ quick: 1, full: 5, long: 5 }))
  })

  test('keeps clear pixels clear, opaque ones opaque and others neither, in at most 256 colours, and measures its error', () => {
    fc.assert(
      fc.property(slope, (bitmap) => {
        const { bitmap: fewer, colours, error } = reduceColours(bitmap)
        const kind = ({ data }: Bitmap): number[] =>
          [...data].flatMap((alpha, at) => (at % 4 < 3 ? [] : [Math.sign(alpha) + Math.floor(alpha / 255)]))
        expect(kind(fewer)).toEqual(kind(bitmap))
        expect(new Set(pixelsOf(fewer)).size).toBe(colours)
        expect(colours).toBeLessThanOrEqual(256)
        const whole = errorOf(bitmap, fewer)
        for (const figure of ['mean', 'most', 'worst'] as const) expect(error[figure]).toBeCloseTo(whole[figure], 9)
      }),
      { numRuns: byLevel({ quick: 20, full: 60, long: 60 }) },
    )
  })

  test('has as few colours as it needs', () => {
    const bitmap = createBitmap(64, 64)
    for (let at = 0; at < 4096; at++) bitmap.data.set([at % 8, Math.floor(at / 64) % 8, (at % 5) + 100, 255], 4 * at)
    expect(new Set(pixelsOf(bitmap)).size).toBeGreaterThan(256)
    expect(reduceColours(bitmap).colours).toBeLessThan(16)
  })

  test('does not lose the colour of a small detail', () => {
    const bitmap = createBitmap(64, 64)
    for (let at = 0; at < 4096; at++) bitmap.data.set([at % 64, Math.floor(at / 64), 40, 255], 4 * at)
    bitmap.data.set([255, 0, 255, 255], 4 * 2000)
    const { bitmap: fewer, error } = reduceColours(bitmap)
    expect(isClose(error)).toBe(true)
    expect([...fewer.data.subarray(4 * 2000, 4 * 2001)]).toEqual([255, 0, 255, 255])
  })
})

describe('the error of colours', () => {
  const flat = (...pixels: readonly (readonly number[])[]): Bitmap => createBitmap(pixels.length, 1, Uint8Array.from(pixels.flat()))

  test('is 0 for equal colours, 1 from black to white, and the distance in OKLab between', () => {
    const [black, white] = [flat([0, 0, 0, 255]), flat([255, 255, 255, 255])]
    expect(errorOf(white, white)).toEqual({ mean: 0, most: 0, worst: 0 })
    expect(errorOf(black, white).mean).toBeCloseTo(1, 5)
    // Red is (0.628, 0.225, 0.126) there, and blue (0.452, −0.032, −0.312).
    expect(errorOf(flat([255, 0, 0, 255]), flat([0, 0, 255, 255])).mean).toBeCloseTo(Math.hypot(0.176, 0.257, 0.438), 2)
  })

  test('is that over the worse of black and white', () => {
    // Half clear white is white over white, and grey over black.
    expect(errorOf(flat([255, 255, 255, 128]), flat([255, 255, 255, 255])).mean).toBeCloseTo(0.4, 1)
    expect(errorOf(flat([0, 0, 0, 128]), flat([0, 0, 0, 255])).mean).toBeCloseTo(0.6, 1)
  })

  test('leaves clear pixels out, and a hundredth of the others for the percentile', () => {
    const pixels = Array.from({ length: 300 }, (_, at) => (at < 200 ? [9, 9, 9, 255] : [0, 0, 0, 0]))
    const other = (count: number): Bitmap => flat(...pixels.map((pixel, at) => (at < count ? [255, 255, 255, 255] : pixel)))
    const error = errorOf(flat(...pixels), other(2))
    expect([error.most, error.mean > error.worst / 101, error.worst > 0.8]).toEqual([0, true, true])
    expect(errorOf(flat(...pixels), other(3)).most).toBe(error.worst)
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
      { numRuns: byLevel({ quick: 20, full: 60, long: 60 }) },
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
