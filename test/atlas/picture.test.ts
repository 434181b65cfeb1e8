import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, test } from 'vitest'
import { makeAtlas } from '../../atlas/atlas.ts'
import { type Bitmap, createBitmap } from '../../atlas/bitmap.ts'
import { makeContactSheet } from '../../atlas/drawing/contact-sheet.ts'
import { makeReviewSheet } from '../../atlas/drawing/review-sheet.ts'
import { encodePage, pngFault, readPicture, resize } from '../../atlas/encode/codec.ts'
import { AtlasError } from '../../atlas/errors.ts'
import { encodePages } from '../../atlas/formats/shared/pages.ts'
import { fitFactor, fitSize, scaleFrames, scaleSequence } from '../../atlas/frames/scale.ts'
import { pictureInfo, withPlainHeaders } from '../../atlas/png/picture.ts'
import { encodePng } from '../../atlas/png/write.ts'
import { sniffPicture } from '../../src/sprite-spec/picture.ts'
import { pngChunk } from './png-chunk.ts'

const opaque = (width: number, height: number, colour: readonly number[] = [200, 40, 90, 255]): Bitmap =>
  createBitmap(
    width,
    height,
    new Uint8Array(width * height * 4).map((_, at) => colour[at % 4]!),
  )
const image = (width: number, height: number): Sharp => sharp(opaque(width, height).data, { raw: { width, height, channels: 4 } })

async function refusalOf(run: () => unknown): Promise<AtlasError> {
  try {
    await run()
  } catch (error) {
    if (error instanceof AtlasError) return error
    throw error
  }
  throw new Error('Expected a refusal, found none.')
}

describe('pictureInfo', () => {
  test('format and size are read from the header of every kind that sharp writes', async () => {
    const written = {
      png: await image(31, 17).png().toBuffer(),
      jpeg: await image(31, 17).jpeg().toBuffer(),
      progressive: await image(31, 17).jpeg({ progressive: true, mozjpeg: true }).toBuffer(),
      lossy: await image(31, 17).webp().toBuffer(),
      lossless: await image(31, 17).webp({ lossless: true }).toBuffer(),
      extended: await image(31, 17).withMetadata().webp({ quality: 80 }).toBuffer(),
    }
    const sizes = Object.entries(written).map(([kind, bytes]) => [kind, pictureInfo(bytes)])
    const size = { width: 31, height: 17 }
    expect(Object.fromEntries(sizes)).toEqual({
      png: { format: 'png', ...size },
      jpeg: { format: 'jpeg', ...size },
      progressive: { format: 'jpeg', ...size },
      lossy: { format: 'webp', ...size },
      lossless: { format: 'webp', ...size },
      extended: { format: 'webp', ...size },
    })
  })

  test.each([
    ['a GIF', Buffer.from('GIF89a')],
    ['an SVG or HTML text', Buffer.from('<svg xmlns="">')],
    ['an empty file', Buffer.from('')],
    ['an AVIF, HEIC or video file', Buffer.from('\0\0\0\x20ftypavif', 'latin1')],
  ])('%s is refused in words', async (words, bytes) => {
    const error = await refusalOf(() => pictureInfo(bytes))
    expect(error.code).toBe('SW_IMAGE')
    expect(error.message).toContain(words)
  })

  test('no bytes make it crash', () => {
    const starts = fc.constantFrom('\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'RIFF____WEBPVP8 ', 'RIFF____WEBPVP8L', 'RIFF____WEBPVP8X', '')
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 60 }), (start, rest) => {
        try {
          pictureInfo(Buffer.concat([Buffer.from(start, 'latin1'), rest]))
        } catch (error) {
          expect(error).toBeInstanceOf(AtlasError)
        }
      }),
    )
  })
})

describe('readPicture', () => {
  test('JPEG and WebP are read, a JPEG turned as its EXIF says', async () => {
    const jpeg = await image(31, 17).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).withMetadata({ orientation: 6 }).toBuffer()
    expect(await readPicture(jpeg)).toMatchObject({ width: 17, height: 31 })
    expect(await readPicture(await image(31, 17).webp({ lossless: true }).toBuffer())).toEqual(opaque(31, 17))
    expect(await readPicture(encodePng(opaque(5, 5)))).toEqual(opaque(5, 5))
  })

  test('a picture over the limit, a cut one and one of another format are refused', async () => {
    const webp = await image(31, 17).webp().toBuffer()
    expect(await refusalOf(() => readPicture(webp, { maxPixels: 526 }))).toMatchObject({ code: 'SW_IMAGE', facts: { maxPixels: 526 } })
    const jpeg = await image(64, 64).jpeg().toBuffer()
    expect((await refusalOf(() => readPicture(jpeg.subarray(0, jpeg.length - 80)))).code).toBe('SW_IMAGE')
    expect((await refusalOf(async () => readPicture(await image(4, 4).gif().toBuffer()))).code).toBe('SW_IMAGE')
    expect((await refusalOf(() => readPicture(encodePng(opaque(9, 9)).slice(0, 50)))).code).toBe('SW_PNG')
  })
})

/** A picture of 48 × 32 pixels whose rows differ, so that a cut file shows. */
const striped = sharp(
  Uint8Array.from({ length: 48 * 32 * 3 }, (_, at) => (at * 7 + Math.floor(at / 144) * 31) % 256),
  { raw: { width: 48, height: 32, channels: 3 } },
)
const endOfJpeg = Uint8Array.of(0xff, 0xd9)

/** Changes the bytes from `offset` after the first place of a marker. */
function changed(jpeg: Buffer, marker: number, offset: number, bytes: readonly number[]): Buffer {
  const copy = Buffer.from(jpeg)
  copy.set(bytes, copy.indexOf(Uint8Array.of(0xff, marker)) + offset)
  return copy
}

/** Puts bytes before the first place of a marker. */
function before(jpeg: Buffer, marker: number, bytes: readonly number[]): Buffer {
  const at = jpeg.indexOf(Uint8Array.of(0xff, marker))
  return Buffer.concat([jpeg.subarray(0, at), Uint8Array.from(bytes), jpeg.subarray(at)])
}

describe('a picture that browsers show whole is read, although a decoder warns of it:', () => {
  const jfif = [0xff, 0xe0, 0, 16, ...Buffer.from('JFIF\0'), 2, 1, 0, 0, 1, 0, 1, 0, 0]
  const adobe = [0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 9]
  test.each<[string, (jpeg: Buffer) => Buffer]>([
    ['a JPEG with the scan range of some phones', (jpeg) => changed(jpeg, 0xda, 12, [0])],
    ['a JPEG with another scan range', (jpeg) => changed(jpeg, 0xda, 11, [1, 5, 0x11])],
    ['a JPEG of an unknown version of JFIF', (jpeg) => before(jpeg, 0xdb, jfif)],
    ['a JPEG with an unknown transform of Adobe', (jpeg) => before(jpeg, 0xdb, adobe)],
    ['a JPEG with stray bytes before its size', (jpeg) => before(jpeg, 0xc0, [0, 1, 0xff, 0])],
    ['a JPEG with stray bytes before its pixels', (jpeg) => before(jpeg, 0xda, [7, 7, 7])],
    ['a JPEG with all of these', (jpeg) => before(before(changed(jpeg, 0xda, 12, [0]), 0xdb, jfif), 0xda, [7])],
  ])('%s', async (_, change) => {
    const jpeg = await striped.clone().jpeg().toBuffer()
    const odd = change(jpeg)
    expect(await readPicture(odd)).toEqual(await readPicture(jpeg))
    expect(sniffPicture(odd)).toMatchObject({ header: { width: 48, height: 32 } })
    // What is missing stays missing.
    const cut = odd.subarray(0, Math.floor(odd.length * 0.7))
    expect((await refusalOf(() => readPicture(cut))).code).toBe('SW_IMAGE')
    expect((await refusalOf(() => readPicture(Buffer.concat([cut, endOfJpeg])))).code).toBe('SW_IMAGE')
  })

  const jfifName = [...Buffer.from('JFIF\0')]
  const adobeName = [...Buffer.from('Adobe')]
  test.each<[string, readonly number[]]>([
    ['JFIF alone', [0xff, 0xe0, 0, 7, ...jfifName]],
    ['JFIF and a version', [0xff, 0xe0, 0, 9, ...jfifName, 2, 1]],
    ['a part of the name JFIF', [0xff, 0xe0, 0, 4, ...jfifName.slice(0, 2)]],
    ['Adobe alone', [0xff, 0xee, 0, 7, ...adobeName]],
    ['Adobe and all but its transform', [0xff, 0xee, 0, 13, ...adobeName, 0, 100, 0, 0, 0, 0]],
    ['nothing', [0xff, 0xee, 0, 2]],
  ])('a JPEG with a short segment, which has %s (kind: segments shorter than the standard says)', async (_, segment) => {
    const jpeg = await striped.clone().jpeg().toBuffer()
    const odd = before(jpeg, 0xdb, segment)
    expect(await readPicture(odd)).toEqual(await readPicture(jpeg))
  })

  test('a scan header that is too short is refused, and stays as it is (kind: segments shorter than the standard says)', async () => {
    const jpeg = await striped.clone().jpeg().toBuffer()
    for (const length of [2, 3, 4]) {
      const odd = changed(jpeg, 0xda, 2, [0, length])
      expect(withPlainHeaders(odd)).toEqual(Uint8Array.from(odd))
      expect((await refusalOf(() => readPicture(odd))).code).toBe('SW_IMAGE')
    }
  })

  test('a JPEG that is cut anywhere in its scan header is refused as damaged', async () => {
    const jpeg = await striped.clone().jpeg().toBuffer()
    const scan = jpeg.indexOf(Uint8Array.of(0xff, 0xda))
    for (let length = scan; length < scan + 14; length++) {
      const cut = jpeg.subarray(0, length)
      expect(withPlainHeaders(cut)).toEqual(Uint8Array.from(cut))
    }
    expect((await refusalOf(() => readPicture(jpeg.subarray(0, scan + 13)))).code).toBe('SW_IMAGE')
  })

  test('a frame header that is too short has no size', async () => {
    const jpeg = changed(await striped.clone().jpeg().toBuffer(), 0xc0, 2, [0, 5])
    expect(() => pictureInfo(jpeg)).toThrow('a header without a size')
  })

  test('the bytes that are read do not change', async () => {
    const jpeg = before(await striped.clone().jpeg().toBuffer(), 0xdb, jfif)
    const copy = Buffer.from(jpeg)
    await readPicture(jpeg)
    expect(jpeg.equals(copy)).toBe(true)
  })

  test('a grey JPEG, and one in CMYK, with the scan range of some phones', async () => {
    for (const jpeg of [
      await striped.clone().greyscale().jpeg().toBuffer(),
      await striped.clone().toColourspace('cmyk').jpeg().toBuffer(),
    ]) {
      const odd = Buffer.from(jpeg)
      const scan = odd.indexOf(Uint8Array.of(0xff, 0xda))
      odd[scan + odd.readUInt16BE(scan + 2)] = 0
      expect(odd).not.toEqual(jpeg)
      expect(await readPicture(odd)).toEqual(await readPicture(jpeg))
    }
  })

  const rows = Buffer.concat(Array.from({ length: 5 }, (_, y) => Uint8Array.from([0, ...Array.from({ length: 12 }, (_, x) => x * 9 + y)])))
  const packed = deflateSync(rows)
  const pngOf = (...chunks: readonly Uint8Array[]): Buffer =>
    Buffer.concat([Buffer.of(137, 80, 78, 71, 13, 10, 26, 10), pngChunk('IHDR', [0, 0, 0, 4, 0, 0, 0, 5, 8, 2, 0, 0, 0]), ...chunks])
  const end = pngChunk('IEND', [])
  test.each<[string, Buffer, Buffer]>([
    [
      'bytes after the image data',
      pngOf(pngChunk('IDAT', [...packed, 1, 2, 3]), end),
      pngOf(pngChunk('IDAT', [...packed.subarray(0, 20)]), end),
    ],
    [
      'a second chunk after the image data',
      pngOf(pngChunk('IDAT', packed), pngChunk('IDAT', [9, 9]), end),
      pngOf(pngChunk('IDAT', packed.subarray(0, 20)), pngChunk('IDAT', [9, 9]), end),
    ],
    [
      'more rows than it shows',
      pngOf(pngChunk('IDAT', deflateSync(Buffer.concat([rows, rows]))), end),
      pngOf(pngChunk('IDAT', deflateSync(rows.subarray(0, 30))), end),
    ],
    [
      'an end with content',
      pngOf(pngChunk('IDAT', packed), pngChunk('IEND', [1])),
      pngOf(pngChunk('IDAT', packed.subarray(0, 20)), pngChunk('IEND', [1])),
    ],
    ['a damaged end', pngOf(pngChunk('IDAT', packed), end.with(-1, 0)), pngOf(pngChunk('IDAT', packed), end.subarray(0, 6))],
  ])('a PNG with %s', async (_, odd, cut) => {
    expect(await readPicture(odd)).toEqual(await readPicture(pngOf(pngChunk('IDAT', packed), end)))
    expect(pngFault(odd)).toBeUndefined()
    expect((await refusalOf(() => readPicture(cut))).code).toMatch(/^SW_(PNG|IMAGE)$/)
  })
})

describe('pages and scaling', () => {
  const bitmap = createBitmap(
    7,
    5,
    new Uint8Array(140).map((_, at) => (at % 4 === 3 ? 255 : at)),
  )

  test.each(['png', 'webp'] as const)('a page in %s comes back pixel by pixel, and the same bytes are written twice', async (format) => {
    const bytes = await encodePage(bitmap, { format })
    expect(await readPicture(bytes)).toEqual(bitmap)
    expect(await encodePage(bitmap, { format })).toEqual(bytes)
  })

  test('a page in AVIF has its size', async () => {
    expect(await sharp(await encodePage(bitmap, { format: 'avif' })).metadata()).toMatchObject({ width: 7, height: 5 })
  })

  test('pages are named by atlas, index and scale, or by the caller', async () => {
    const atlas = { name: 'ui', scale: 0.5, pages: [{ index: 0, bitmap }], frames: [], animations: [], pixelArt: false }
    expect((await encodePages(atlas, { format: 'png' })).pages).toMatchObject([{ file: 'ui-0@0.5x.png', width: 7, height: 5 }])
    const named = await encodePages(
      { ...atlas, scale: 1 },
      { format: 'webp', file: ({ name }, page, extension) => `${name}.${page}.${extension}` },
    )
    expect(named.pages[0]?.file).toBe('ui.0.webp')
  })

  test.each(['png', 'webp'] as const)('a page that its maker has drawn over is written in %s as it is now', async (format) => {
    const frames = [{ name: 'dot/idle/0000', bitmap: opaque(3, 3), durationMs: 80 }]
    const dot = { name: 'dot/idle', sprite: 'dot', frames, play: ['dot/idle/0000'], fps: 12, loop: true, yoyo: false, pixelArt: false }
    const atlas = makeAtlas('ui', [{ ...dot, trim: true, extrude: 0, padding: 0 }])
    const over = { ...atlas, pages: atlas.pages.map((page) => ({ ...page, bitmap })) }
    const { pages } = await encodePages(over, { format })
    expect(pages).toMatchObject([{ width: bitmap.width, height: bitmap.height }])
    expect(await readPicture(pages[0]!.bytes)).toEqual(bitmap)
  })

  test('clear pixels lend no colour to their neighbours when scaled', async () => {
    const half = opaque(8, 8, [255, 255, 255, 255])
    for (let at = 0; at < half.data.length; at += 4) if ((at / 4) % 8 < 4) half.data.set([255, 0, 0, 0], at)
    const { data } = await resize(half, 5, 5, 'lanczos')
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3]! > 8) expect([...data.subarray(at, at + 3)].every((value) => value > 240)).toBe(true)
  })

  test('nearest neighbour makes no new colour', async () => {
    const { data } = await resize(bitmap, 19, 3, 'nearest')
    const colours = new Set(Array.from({ length: 35 }, (_, i) => bitmap.data.subarray(i * 4, i * 4 + 4).join()))
    for (let at = 0; at < data.length; at += 4) expect(colours.has(data.subarray(at, at + 4).join())).toBe(true)
  })

  test('sizes fit the longest side or a box, proportions kept', async () => {
    expect(fitSize(200, 100, { kind: 'longest', px: 64 })).toEqual({ width: 64, height: 32 })
    expect(fitSize(200, 100, { kind: 'box', width: 50, height: 50 })).toEqual({ width: 50, height: 25 })
    expect(fitSize(1000, 1, { kind: 'longest', px: 10 })).toEqual({ width: 10, height: 1 })
    expect(await scaleFrames([opaque(8, 4)], { kind: 'longest', px: 4 }, true)).toEqual([opaque(4, 2)])
  })

  test.each([
    [384, 384, 1],
    [384, 383, 1 / 2],
    [384, 256, 1 / 2],
    [384, 192, 1 / 2],
    [384, 191, 1 / 3],
    [384, 128, 1 / 3],
    [49, 1, 1 / 49],
    [384, 767, 1],
    [384, 768, 2],
  ])('pixel art of %i pixels that must fit %i pixels is scaled by %f', (from, px, factor) => {
    expect(fitFactor(from, from, { kind: 'longest', px }, true)).toBe(factor)
  })

  test('a variant of a sequence keeps everything but its pixels', async () => {
    const sequence = {
      ...{
        name: 'a/b',
        sprite: 'a',
        play: ['a/b/0000'],
        fps: 12,
        loop: true,
        yoyo: false,
        trim: true,
        extrude: 1,
        padding: 2,
        pixelArt: true,
      },
      frames: [{ name: 'a/b/0000', bitmap: opaque(9, 4), durationMs: 80 }],
    }
    expect(await scaleSequence(sequence, 0.5)).toEqual({ ...sequence, frames: [{ ...sequence.frames[0], bitmap: opaque(5, 2) }] })
  })
})

describe('contact sheets', () => {
  test('a contact sheet shows every frame, with a red border round a flagged one', () => {
    const sheet = makeContactSheet([opaque(20, 10), createBitmap(20, 10), opaque(20, 10)], { columns: 2, flagged: [1] })
    const at = (x: number, y: number): number[] => [...sheet.data.subarray((y * sheet.width + x) * 4, (y * sheet.width + x) * 4 + 4)]
    expect([sheet.width, sheet.height]).toEqual([52, 32])
    expect([at(5, 5), at(27, 3), at(29, 5), at(5, 19)]).toEqual([
      [200, 40, 90, 255],
      [230, 40, 40, 255],
      [204, 204, 204, 255],
      [200, 40, 90, 255],
    ])
  })

  test.each([12, 24])('a review sheet has each caption of the last row under its frame (%i frames)', (count) => {
    const frames = Array.from({ length: count }, () => opaque(32, 32))
    const captions = (last: (index: number) => string): string[][] =>
      frames.map((_, index) => [index < count - (count % 10) ? '' : last(index)])
    const draw = (last: (index: number) => string): Bitmap =>
      makeReviewSheet([{ title: '', frames, captions: captions(last), flagged: [], isClosed: true }])
    const plain = draw(() => '')
    for (let place = 0; place < count % 10; place++) {
      const sheet = draw((index) => (index % 10 === place ? `${index}` : ''))
      const columns = Array.from({ length: sheet.width * sheet.height }, (_, at) => at)
        .filter((at) => sheet.data[at * 4] !== plain.data[at * 4])
        .map((at) => at % sheet.width)
      // A cell is 36 pixels wide and begins 8 pixels from the left.
      expect(Math.floor((Math.min(...columns) - 8) / 36)).toBe(place)
      expect(Math.floor((Math.max(...columns) - 8) / 36)).toBe(place)
    }
  })
})
