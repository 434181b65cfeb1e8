import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { colourError } from '../../../atlas/encode/likeness.ts'
import { type Bitmap, createBitmap, encodePng, findTruePixels, readPalette, resize, toTruePixels } from '../../../atlas/index.ts'
import { createChance } from '../../fuzz/chance.ts'

/** Noise of cells, each of a colour of its own, some clear. */
function noisyArt(seed: number, side: number): Bitmap {
  const { under } = createChance(seed)
  const art = createBitmap(side, side)
  for (let at = 0; at < art.data.length; at += 4)
    art.data.set(under(4) === 0 ? [0, 0, 0, 0] : [under(256), under(256), under(256), 255], at)
  return art
}

const measure = (frames: readonly Bitmap[], wanted: Parameters<typeof findTruePixels>[1]) => findTruePixels(frames, wanted).truePixels

describe('true pixels', () => {
  test('law: art that was enlarged by a whole factor from 4 on comes back exactly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 4, max: 16 }), async (seed, factor) => {
        const art = noisyArt(seed, 16)
        const large = await resize(art, 16 * factor, 16 * factor, 'nearest')
        const found = measure([large], { grid: 'find' })
        expect(found.grid?.period).toBeCloseTo(factor, 1)
        expect(toTruePixels([large], found)).toEqual([art])
        expect(toTruePixels([large], measure([large], { grid: factor }))).toEqual([art])
      }),
      { numRuns: 15 },
    )
  })

  test('frames without edges, or with smooth shading alone, have no grid and keep their pixels', async () => {
    const smooth = createBitmap(96, 96)
    for (let at = 0; at < smooth.data.length / 4; at++) smooth.data.set([at % 96, Math.floor(at / 96), 80, 255], 4 * at)
    const blank = createBitmap(64, 64)
    for (const frame of [smooth, blank]) {
      const found = measure([frame], { grid: 'find', palette: 4 })
      expect(found.grid).toBeUndefined()
      expect(toTruePixels([frame], found)[0]).toMatchObject({ width: frame.width, height: frame.height })
    }
    expect(measure([], { grid: 'find', palette: 4 })).toEqual({})
  })

  test('hard alpha leaves no half-clear pixel, and clear pixels have no colour', async () => {
    const frame = createBitmap(4, 1, Uint8Array.from([9, 9, 9, 0, 9, 9, 9, 127, 9, 9, 9, 128, 9, 9, 9, 255]))
    const [made] = toTruePixels([frame], { isHard: true })
    expect([...made!.data]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 255, 9, 9, 9, 255])
  })

  test('a found palette has no more colours than asked for, and all frames share it', async () => {
    const frames = [noisyArt(1, 24), noisyArt(2, 24)]
    const found = measure(frames, { palette: 12 })
    expect(found.palette!.length).toBeLessThanOrEqual(12)
    const used = new Set(
      toTruePixels(frames, found).flatMap(({ data }) => [...new Uint32Array(data.buffer)].filter((pixel) => pixel !== 0)),
    )
    expect([...used].every((colour) => found.palette!.includes(colour))).toBe(true)
    expect(measure(frames, { palette: 12 })).toEqual(found)
  })

  test('99 of 100 pixels are nearer to a found palette than to that of libimagequant, which sharp has', async () => {
    const frame = await sharp(
      Buffer.from(
        '<svg width="96" height="96"><linearGradient id="a"><stop stop-color="#e43"/><stop offset=".5" stop-color="#fd8"/><stop offset="1" stop-color="#26c"/></linearGradient><rect width="96" height="96" fill="url(#a)"/><circle cx="40" cy="50" r="20" fill="#3a5"/><circle cx="60" cy="40" r="4" fill="#fff"/></svg>',
      ),
    )
      .ensureAlpha()
      .raw()
      .toBuffer()
    const art = createBitmap(96, 96, new Uint8Array(frame))
    const [ours] = toTruePixels([art], measure([art], { palette: 16 }))
    const indexed = await sharp(encodePng(art)).png({ palette: true, colours: 16, dither: 0, effort: 10 }).toBuffer()
    const theirs = createBitmap(96, 96, new Uint8Array(await sharp(indexed).ensureAlpha().raw().toBuffer()))
    const pixels = (made: Bitmap): Uint32Array => new Uint32Array(made.data.buffer, made.data.byteOffset, made.data.length / 4)
    const error = (made: Bitmap): number => colourError(pixels(art), pixels(made), new Uint8Array(96 * 96).fill(1)).most
    expect(error(ours!)).toBeLessThan(error(theirs))
  })
})

describe('a palette file', () => {
  const colours = [0xff000000, 0xff0000ff, 0xff563412]
  const read = (text: string): readonly number[] => readPalette(new TextEncoder().encode(text))

  test.each([
    ['.hex of Lospec', '000000\nff0000\n123456\n'],
    ['.hex with # and Windows lines', '#000000\r\n#FF0000\r\n#123456\r\n#123456\r\n'],
    ['.hex with several colours on a line', '000000 FF0000, 123456\n; ffffff\n'],
    ['.hex with lines of an old Mac', '000000\rff0000\r123456\r'],
    ['.gpl of Aseprite, with a clear colour', 'GIMP Palette\nChannels: RGBA\n#\n9 9 9 0 Mask\n0 0 0 255\n255 0 0 128 Red\n18 52 86 255\n'],
    ['.gpl of GIMP', 'GIMP Palette\nName: abcdef\nColumns: 3\n# 123456\n  0   0   0\tBlack\n255   0   0\n 18  52  86 Deep\n'],
    ['.pal of JASC', 'JASC-PAL\n0100\n3\n0 0 0\n255 0 0\n18 52 86\n'],
  ])('%s gives its colours', (_, text) => {
    expect(read(text)).toEqual(colours)
  })

  test('a PNG gives its visible colours', () => {
    const picture = createBitmap(2, 2, Uint8Array.from([0, 0, 0, 255, 255, 0, 0, 255, 18, 52, 86, 255, 7, 7, 7, 0]))
    expect(readPalette(encodePng(picture))).toEqual(colours)
  })

  test.each([
    ['empty', ''],
    ['of words', 'a palette of mine'],
    ['with numbers out of range', 'JASC-PAL\n0100\n1\n256 0 0\n'],
    ['of too many colours', Array.from({ length: 257 }, (_, at) => at.toString(16).padStart(6, '0')).join('\n')],
  ])('a file %s is refused', (_, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'SW_IMAGE' }))
  })
})
