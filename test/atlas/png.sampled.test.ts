import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { PNG } from 'pngjs'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap } from '../../atlas/bitmap.ts'
import { AtlasError } from '../../atlas/errors.ts'
import { decodePng } from '../../atlas/png/read.ts'
import { encodePng } from '../../atlas/png/write.ts'
import { describeWith } from '../kit/needs.ts'
import { byLevel } from '../level.ts'
import { corpus, corpusBytes } from './corpus.ts'
import { pngChunk as chunk } from './png-chunk.ts'

const files = corpus('png')

function outcome(bytes: Uint8Array): { bitmap?: Bitmap; found: string } {
  try {
    return { bitmap: decodePng(bytes), found: 'read' }
  } catch (error) {
    return {
      found: error instanceof AtlasError && typeof error.facts.rule === 'string' ? `${error.code} ${error.facts.rule}` : String(error),
    }
  }
}

/** Colour under alpha 0 is never visible, and pngjs drops some of it. */
function shown(data: Uint8Array): Uint8Array {
  return data.map((value, at) => (data[at | 3] === 0 ? 0 : value))
}

/** Rules that some files break besides those that the corpus names, and that this reader checks first. */
const metFirst = ['chunk-type', 'zlib-unfinished']

describeWith(files.length > 0, 'corpora')('the corpus of PNGs', () => {
  test.each(['accept', 'reject', 'either'] as const)('every file of "%s" is treated so, and refused by the name of its rule', (verdict) => {
    const wrong: string[] = []
    for (const { file, why, codes } of files.filter((each) => each.expect === verdict)) {
      const { found } = outcome(corpusBytes('png', file))
      if (verdict === 'accept' && found !== 'read') wrong.push(`${file}: ${found}`)
      const named = [...codes, ...metFirst].map((rule) => `SW_PNG ${rule}`)
      if (verdict === 'reject' && !named.includes(found)) wrong.push(`${file} (${why}): ${found}`)
      if (verdict === 'either' && found !== 'read' && !found.startsWith('SW_PNG ')) wrong.push(`${file}: ${found}`)
    }
    expect(wrong).toEqual([])
  })

  test('what is read has the pixels that pngjs or sharp reads, the high byte of 16 bits taken', async () => {
    const wrong: string[] = []
    const unread: string[] = []
    for (const { file, ihdr } of files.filter((each) => each.expect === 'accept')) {
      const bytes = corpusBytes('png', file)
      const { bitmap } = outcome(bytes)
      const deep = ihdr?.endsWith('depth 16') === true
      const data = pixelsByPngjs(bytes, deep) ?? (await pixelsBySharp(bytes))
      if (data === undefined) unread.push(file)
      else if (bitmap === undefined || Buffer.compare(shown(bitmap.data), shown(data)) !== 0) wrong.push(`${file} ${ihdr}`)
    }
    expect(wrong).toEqual([])
    expect(unread).toEqual([])
  })
})

/**
 * Returns `undefined` if pngjs cannot read the picture.
 *
 * @param isDeep Whether it has 16 bits a channel.
 */
function pixelsByPngjs(bytes: Uint8Array, isDeep: boolean): Uint8Array | undefined {
  try {
    const { data } = PNG.sync.read(Buffer.from(bytes), isDeep ? { skipRescale: true } : {})
    return isDeep ? Uint8Array.from(data as unknown as Uint16Array, (value) => value >> 8) : data
  } catch {
    return undefined
  }
}

async function pixelsBySharp(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const image = sharp(bytes).toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' })
  return image.toBuffer().catch(() => undefined)
}

describe('decodePng and encodePng', () => {
  const bitmaps = fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
    .chain(([width, height]) =>
      fc
        .uint8Array({ minLength: width * height * 4, maxLength: width * height * 4 })
        .map((data) => createBitmap(width, height, new Uint8Array(data))),
    )

  test('a written picture is read back pixel by pixel, by us and by pngjs', () => {
    fc.assert(
      fc.property(bitmaps, fc.integer({ min: 0, max: 9 }), (bitmap, level) => {
        const bytes = encodePng(bitmap, level)
        expect(decodePng(bytes)).toEqual(bitmap)
        expect(Buffer.compare(PNG.sync.read(Buffer.from(bytes)).data, bitmap.data)).toBe(0)
      }),
    )
  })

  test('every filter, interlacing and depth that libpng writes is read with its pixels', async () => {
    await fc.assert(
      fc.asyncProperty(bitmaps, fc.boolean(), fc.boolean(), async ({ width, height, data }, adaptiveFiltering, progressive) => {
        const written = await sharp(data, { raw: { width, height, channels: 4 } })
          .png({ adaptiveFiltering, progressive })
          .toBuffer()
        expect(Buffer.compare(decodePng(written).data, data)).toBe(0)
      }),
      { numRuns: byLevel({ quick: 15, full: 40, long: 40 }) },
    )
  })

  test.each([
    [1, 0, [0, 1], 'read'],
    [1, 0, [0, 2], 'trns-depth'],
    [4, 0, [0, 15], 'read'],
    [4, 0, [1, 15], 'trns-depth'],
    [8, 2, [0, 255, 0, 0, 0, 7], 'read'],
    [8, 2, [0, 255, 0, 0, 1, 7], 'trns-depth'],
    [16, 0, [255, 255], 'read'],
  ])('of %i bits and colour type %i, with the transparent colour %j: %s', (depth, colourType, key, rule) => {
    const row = new Uint8Array(1 + Math.ceil((depth * (colourType === 2 ? 3 : 1)) / 8))
    const header = [0, 0, 0, 1, 0, 0, 0, 1, depth, colourType, 0, 0, 0]
    const chunks = [chunk('IHDR', header), chunk('tRNS', key), chunk('IDAT', deflateSync(row)), chunk('IEND', [])]
    const bytes = Buffer.concat([Buffer.of(137, 80, 78, 71, 13, 10, 26, 10), ...chunks])
    expect(outcome(bytes).found).toBe(rule === 'read' ? rule : `SW_PNG ${rule}`)
  })

  test('a changed byte is refused', () => {
    const bytes = encodePng(createBitmap(3, 3, new Uint8Array(36).fill(77)))
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice()
      damaged[at]! ^= 0x41
      expect(outcome(damaged).found).toMatch(/^SW_PNG /)
    }
  })

  test('a picture over the limit is refused before it is unpacked', () => {
    const { found } = ((): { found: string } => {
      try {
        decodePng(encodePng(createBitmap(5, 5)), { maxPixels: 24 })
        return { found: 'read' }
      } catch (error) {
        return { found: (error as AtlasError).facts.rule as string }
      }
    })()
    expect(found).toBe('too-many-pixels')
  })
})
