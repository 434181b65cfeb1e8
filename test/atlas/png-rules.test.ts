import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createBitmap } from '../../atlas/bitmap.ts'
import { gamutWarning, isSrgb } from '../../atlas/png/gamut.ts'
import { pictureInfo, sizeIn, sniffFormat } from '../../atlas/png/picture.ts'
import { decodePng, type PictureLimits } from '../../atlas/png/read.ts'
import { encodePng } from '../../atlas/png/write.ts'
import { adam7 } from '../fuzz/png-case.ts'
import { pngChunk as chunk } from './png-chunk.ts'
import { refusal } from './refusal.ts'

const signature = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
const png = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat([signature, ...parts]))
const header = (width = 1, height = 1, depth = 8, colourType = 6, ...methods: readonly number[]): Uint8Array => {
  const sides = Buffer.alloc(8)
  sides.writeUInt32BE(width, 0)
  sides.writeUInt32BE(height, 4)
  return chunk('IHDR', [...sides, depth, colourType, methods[0] ?? 0, methods[1] ?? 0, methods[2] ?? 0])
}
const data = (...rows: readonly number[]): Uint8Array => chunk('IDAT', deflateSync(Uint8Array.from(rows)))
const plain = data(0, 1, 2, 3, 4)
const end = chunk('IEND', [])
const palette = chunk('PLTE', [1, 2, 3])
const grey = header(1, 1, 8, 0)
const indexed = header(1, 1, 8, 3)
const damaged = (bytes: Uint8Array): Uint8Array => bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte))

describe('a PNG made byte for byte', () => {
  test.each<[string, Uint8Array, Readonly<Record<string, unknown>>?, PictureLimits?]>([
    ['signature', new Uint8Array()],
    ['signature', png().map((byte, at) => (at === 7 ? 11 : byte))],
    ['signature', signature.slice(0, 7)],
    ['no-iend', png()],
    ['no-iend', png(header(), plain)],
    ['truncated', png(header().slice(0, 11))],
    ['truncated', png(header().slice(0, 24))],
    ['truncated', png(header(), plain, end.slice(0, 11))],
    ['chunk-type', png(header(), chunk('I1AT', []))],
    ['chunk-length', png(Uint8Array.of(128, 0, 0, 0, 73, 72, 68, 82, 0, 0, 0, 0))],
    ['crc-critical', png(damaged(header())), { chunk: 'IHDR' }],
    ['crc-ancillary', png(header(), damaged(chunk('tEXt', [1]))), { chunk: 'tEXt' }],
    ['ihdr-not-first', png(plain)],
    ['ihdr-not-first', png(end)],
    ['ihdr-not-first', png(chunk('tEXt', []))],
    ['ihdr-twice', png(header(), header())],
    ['ihdr-length', png(chunk('IHDR', new Uint8Array(12)))],
    ['ihdr-length', png(chunk('IHDR', new Uint8Array(14)))],
    ['dimension', png(header(0, 1))],
    ['dimension', png(header(1, 0))],
    ['dimension', png(header(0x80000000, 1))],
    ['dimension', png(header(1, 0x80000000))],
    ['colour-type', png(header(1, 1, 4, 2))],
    ['colour-type', png(header(1, 1, 16, 3))],
    ['colour-type', png(header(1, 1, 3, 0))],
    ['colour-type', png(header(1, 1, 8, 5))],
    ['method', png(header(1, 1, 8, 6, 1))],
    ['method', png(header(1, 1, 8, 6, 0, 1))],
    ['interlace', png(header(1, 1, 8, 6, 0, 0, 2))],
    ['too-many-pixels', png(header(5, 5)), { width: 5, height: 5, maxPixels: 24 }, { maxPixels: 24 }],
    ['too-many-pixels', png(header(2 ** 26 + 1, 1)), { width: 2 ** 26 + 1, height: 1, maxPixels: 2 ** 26 }],
    ['plte-twice', png(indexed, palette, palette)],
    ['plte-late', png(header(1, 1, 8, 2), data(0, 1, 2, 3), palette)],
    ['plte-late', png(header(1, 1, 8, 2), chunk('tRNS', new Uint8Array(6)), palette)],
    ['plte-in-grey', png(grey, palette)],
    ['plte-in-grey', png(header(1, 1, 8, 4), palette)],
    ['plte-length', png(indexed, chunk('PLTE', []))],
    ['plte-length', png(indexed, chunk('PLTE', [1, 2, 3, 4]))],
    ['plte-length', png(header(1, 1, 8, 2), chunk('PLTE', new Uint8Array(771)))],
    ['plte-too-long', png(header(1, 1, 1, 3), chunk('PLTE', new Uint8Array(9)))],
    ['plte-missing', png(indexed, plain)],
    ['trns-twice', png(grey, chunk('tRNS', [0, 0]), chunk('tRNS', [0, 0]))],
    ['trns-late', png(grey, data(0, 1), chunk('tRNS', [0, 0]))],
    ['trns', png(grey, chunk('tRNS', [0]))],
    ['trns', png(header(1, 1, 8, 2), chunk('tRNS', [0, 0]))],
    ['trns', png(header(), chunk('tRNS', [0, 0]))],
    ['trns', png(indexed, chunk('tRNS', [0]), palette)],
    ['trns', png(indexed, palette, chunk('tRNS', [0, 0]))],
    ['idat-split', png(header(), plain, chunk('tEXt', []), plain)],
    ['unknown-critical', png(header(), chunk('ABCd', []))],
    ['iend-not-empty', png(header(), plain, chunk('IEND', [0]))],
    ['no-idat', png(header(), end)],
    ['trailing-bytes', png(header(), plain, end, Uint8Array.of(0))],
    ['excess-data', png(header(), data(0, 1, 2, 3, 4, 5), end)],
    ['short-data', png(header(), data(0, 1, 2, 3), end)],
    ['zlib', png(header(), chunk('IDAT', [1, 2, 3]), end)],
    ['zlib-unfinished', png(header(), chunk('IDAT', deflateSync(Uint8Array.of(0, 1, 2, 3, 4)).subarray(0, -4)), end)],
    ['idat-leftover', png(header(), chunk('IDAT', [...deflateSync(Uint8Array.of(0, 1, 2, 3, 4)), 0]), end)],
    ['palette-index', png(indexed, palette, data(0, 1), end)],
    ['too-much-memory', png(header(2, 2), plain, end), { width: 2, height: 2, bytes: 18, maxBytes: 17 }, { maxBytes: 17 }],
    ['too-much-memory', png(header(2, 2, 8, 2), plain, end), { width: 2, height: 2, bytes: 14 + 16, maxBytes: 29 }, { maxBytes: 29 }],
    ['too-much-memory', png(header(9, 2, 1, 0), plain, end), { width: 9, height: 2, bytes: 6 + 72 + 18, maxBytes: 95 }, { maxBytes: 95 }],
    [
      'too-much-memory',
      png(header(2, 2, 8, 6, 0, 0, 1), plain, end),
      { width: 2, height: 2, bytes: 5 + 5 + 9 + 16 + 8, maxBytes: 42 },
      { maxBytes: 42 },
    ],
  ])('%s: the file of case %# is refused by that rule with all its facts', (rule, bytes, facts, limits) => {
    const error = refusal(() => decodePng(bytes, limits))
    expect([error.code, error.facts]).toEqual(['SW_PNG', { rule, ...facts }])
    expect(error.message).toContain(rule)
  })

  test('just the limits are no limits', () => {
    const bitmap = createBitmap(5, 5)
    expect(decodePng(encodePng(bitmap), { maxPixels: 25, maxBytes: 5 * 21 })).toEqual(bitmap)
  })

  const pixels = (bytes: Uint8Array): readonly number[] => [...decodePng(bytes).data]

  test.each<[string, Uint8Array, readonly number[]]>([
    [
      'RGBA in two parts',
      png(
        header(),
        chunk('IDAT', deflateSync(Uint8Array.of(0, 1, 2, 3, 4)).subarray(0, 5)),
        chunk('IDAT', deflateSync(Uint8Array.of(0, 1, 2, 3, 4)).subarray(5)),
        end,
      ),
      [1, 2, 3, 4],
    ],
    ['RGBA of 16 bits', png(header(1, 1, 16, 6), data(0, 1, 9, 2, 9, 3, 9, 4, 9), end), [1, 2, 3, 4]],
    ['RGB', png(header(1, 1, 8, 2), data(0, 1, 2, 3), end), [1, 2, 3, 255]],
    ['RGB with a palette to choose from', png(header(1, 1, 8, 2), palette, data(0, 1, 2, 3), end), [1, 2, 3, 255]],
    ['RGB of 16 bits', png(header(1, 1, 16, 2), data(0, 1, 9, 2, 9, 3, 9), end), [1, 2, 3, 255]],
    ['grey and alpha', png(header(2, 1, 8, 4), data(0, 7, 8, 9, 10), end), [7, 7, 7, 8, 9, 9, 9, 10]],
    ['grey and alpha of 16 bits', png(header(1, 1, 16, 4), data(0, 7, 1, 8, 2), end), [7, 7, 7, 8]],
    [
      'grey of 1 bit',
      png(header(9, 2, 1, 0), data(0, 0b10000000, 128, 0, 1, 0), end),
      [255, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 255, 0].flatMap((value) => [value, value, value, 255]),
    ],
    [
      'grey of 2 bits',
      png(header(5, 1, 2, 0), data(0, 0b00011011, 0b10000000), end),
      [0, 85, 170, 255, 170].flatMap((value) => [value, value, value, 255]),
    ],
    ['grey of 4 bits', png(header(3, 1, 4, 0), data(0, 0x0f, 0x20), end), [0, 255, 34].flatMap((value) => [value, value, value, 255])],
    ['grey with a clear value', png(header(2, 1, 8, 0), chunk('tRNS', [0, 7]), data(0, 7, 8), end), [7, 7, 7, 0, 8, 8, 8, 255]],
    [
      'grey of 2 bits with a clear value',
      png(header(3, 1, 2, 0), chunk('tRNS', [0, 2]), data(0, 0b10011000), end),
      [170, 170, 170, 0, 85, 85, 85, 255, 170, 170, 170, 0],
    ],
    [
      'grey of 16 bits with a clear value',
      png(header(3, 1, 16, 0), chunk('tRNS', [7, 1]), data(0, 7, 1, 7, 2, 8, 1), end),
      [7, 7, 7, 0, 7, 7, 7, 255, 8, 8, 8, 255],
    ],
    [
      'RGB with a clear colour',
      png(header(4, 1, 8, 2), chunk('tRNS', [0, 1, 0, 2, 0, 3]), data(0, 1, 2, 3, 1, 2, 4, 1, 3, 3, 2, 2, 3), end),
      [1, 2, 3, 0, 1, 2, 4, 255, 1, 3, 3, 255, 2, 2, 3, 255],
    ],
    [
      'RGB of 16 bits with a clear colour',
      png(header(2, 1, 16, 2), chunk('tRNS', [1, 0, 2, 0, 3, 5]), data(0, 1, 0, 2, 0, 3, 5, 1, 0, 2, 0, 3, 6), end),
      [1, 2, 3, 0, 1, 2, 3, 255],
    ],
    [
      'a palette',
      png(header(3, 1, 2, 3), chunk('PLTE', [1, 2, 3, 4, 5, 6, 7, 8, 9]), chunk('tRNS', [10, 11]), data(0, 0b00011000), end),
      [1, 2, 3, 10, 4, 5, 6, 11, 7, 8, 9, 255],
    ],
    [
      'a palette of 1 bit',
      png(header(2, 1, 1, 3), chunk('PLTE', [1, 2, 3, 4, 5, 6]), data(0, 0b01000000), end),
      [1, 2, 3, 255, 4, 5, 6, 255],
    ],
    [
      'rows with all filters',
      png(header(2, 6, 8, 0), data(0, 10, 20, 1, 10, 20, 2, 1, 2, 3, 1, 2, 4, 1, 2, 4, 250, 250), end),
      [10, 20, 10, 30, 11, 32, 6, 21, 7, 23, 1, 17].flatMap((value) => [value, value, value, 255]),
    ],
  ])('%s is read pixel by pixel', (_, bytes, expected) => {
    expect(pixels(bytes)).toEqual(expected)
  })

  test('an interlaced picture of any size has each pixel in its place', () => {
    for (const [width, height] of [
      [1, 1],
      [3, 2],
      [5, 9],
      [9, 10],
    ] as const) {
      const rows: number[] = []
      for (const [left, top, stepX, stepY] of adam7)
        for (let y = top; y < height; y += stepY) {
          const row: number[] = []
          for (let x = left; x < width; x += stepX) row.push(x * 16 + y)
          if (row.length > 0) rows.push(0, ...row)
        }
      const bitmap = decodePng(png(header(width, height, 8, 0, 0, 0, 1), data(...rows), end))
      const expected = Array.from({ length: width * height }, (_, at) => (at % width) * 16 + Math.floor(at / width))
      expect([...bitmap.data].filter((_, at) => at % 4 === 0)).toEqual(expected)
    }
  })
})

describe('the header of a picture', () => {
  const jpeg = (...segments: readonly (readonly number[])[]): Uint8Array => Uint8Array.from([0xff, 0xd8, ...segments.flat()])
  const frame = (marker = 0xc0): readonly number[] => [0xff, marker, 0, 8, 8, 1, 2, 3, 4, 1]
  const riff = (name: string, ...rest: readonly number[]): Uint8Array =>
    Uint8Array.from([...Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), ...Buffer.from(name, 'latin1'), 0, 0, 0, 0, ...rest])

  test.each<[string, Uint8Array, object]>([
    ['png', png(header(0x10203, 0x40506), end), { width: 0x10203, height: 0x40506 }],
    ['jpeg', jpeg([0xff, 0xe0, 0, 4, 1, 2], frame()), { width: 0x304, height: 0x102 }],
    [
      'jpeg',
      jpeg([0xff, 0xff, 0, 0xff, 0xd0], [0xff, 0xc4, 0, 2], [0xff, 0xc8, 0, 2], [0xff, 0xcc, 0, 9, ...frame().slice(3)], frame(0xcf)),
      { width: 0x304, height: 0x102 },
    ],
    ['webp', riff('VP8 ', 0, 0, 0, 0x9d, 0x01, 0x2a, 0x34, 0xd2, 0x78, 0xd6), { width: 0x1234, height: 0x1678 }],
    ['webp', riff('VP8L', 0x2f, 0xff, 0xff, 0xff, 0x3f, 0, 0, 0, 0, 0), { width: 0x4000, height: 0x4000 }],
    ['webp', riff('VP8L', 0x2f, 0x02, 0x80, 0x01, 0, 0, 0, 0, 0, 0), { width: 3, height: 7 }],
    ['webp', riff('VP8X', 0, 0, 0, 0, 1, 2, 3, 4, 5, 6), { width: 0x30202, height: 0x60505 }],
  ])('of a %s has its size, case %#', (format, bytes, size) => {
    expect([sniffFormat(bytes), pictureInfo(bytes)]).toEqual([format, { format, ...size }])
    for (let length = 12; length < Math.min(bytes.length, format === 'jpeg' ? 11 : 30); length++)
      expect(sizeIn(bytes.slice(0, length), format as 'png')).toBeUndefined()
  })

  test.each<[string, Uint8Array, object]>([
    ['a PNG of no width', png(header(0, 1), end), { rule: 'header', format: 'png' }],
    ['a PNG of no height', png(header(1, 0), end), { rule: 'header', format: 'png' }],
    ['a PNG with another chunk first', png(chunk('IDAT', new Uint8Array(13))), { rule: 'header', format: 'png' }],
    ['a PNG with a longer header', png(chunk('IHDR', new Uint8Array(14).fill(1))), { rule: 'header', format: 'png' }],
    ['a JPEG whose pixels come first', jpeg([0xff, 0xda, 0, 2], frame()), { rule: 'header', format: 'jpeg' }],
    ['a JPEG that ends first', jpeg([0xff, 0xd9], frame()), { rule: 'header', format: 'jpeg' }],
    ['a JPEG with a short frame', jpeg([0xff, 0xc0, 0, 6, 8, 1, 2, 3, 4]), { rule: 'header', format: 'jpeg' }],
    ['a WebP of another kind', riff('VP8Z', ...new Uint8Array(10)), { rule: 'header', format: 'webp' }],
    ['a WebP without its mark', riff('VP8L', ...new Uint8Array(10)), { rule: 'header', format: 'webp' }],
    ['nothing', new Uint8Array(), { rule: 'format' }],
    ['a sound', Uint8Array.from(Buffer.from('RIFF\0\0\0\0WAVE')), { rule: 'format' }],
  ])('%s is refused', (_, bytes, facts) => {
    const error = refusal(() => pictureInfo(bytes))
    expect([error.code, error.facts]).toEqual(['SW_IMAGE', { ...facts, bytes: bytes.length }])
  })
})

describe('a colour profile', () => {
  const tags = { rXYZ: [0.436, 0.2225, 0.0139], gXYZ: [0.3851, 0.7169, 0.0971], bXYZ: [0.1431, 0.0606, 0.7139] }
  const profile = (colours: Readonly<Record<string, readonly number[]>>, count = Object.keys(colours).length): Buffer => {
    const names = Object.keys(colours)
    const bytes = Buffer.alloc(132 + names.length * 32)
    bytes.writeUInt32BE(count, 128)
    for (const [index, name] of names.entries()) {
      const at = 132 + names.length * 12 + index * 20
      bytes.write(name, 132 + index * 12, 'latin1')
      bytes.writeUInt32BE(at, 132 + index * 12 + 4)
      for (const [part, value] of colours[name]!.entries()) bytes.writeInt32BE(Math.round(value * 65_536), at + 8 + part * 4)
    }
    return bytes
  }
  const moved = (name: keyof typeof tags, part: number, by: number) => ({
    ...tags,
    [name]: tags[name].map((value, at) => (at === part ? value + by : value)),
  })
  const named = (name: string, content: Uint8Array): Uint8Array =>
    chunk('iCCP', [...Buffer.from(`${name}\0\0`, 'latin1'), ...deflateSync(content)])
  const warned = (...before: readonly Uint8Array[]): boolean =>
    gamutWarning([{ name: 'a.png', bytes: png(header(), ...before, plain, end) }]).length > 0

  test('is another one if one part of one colour is, by more than a fiftieth', () => {
    expect([isSrgb(profile(tags)), warned(named('own', profile(tags)))]).toEqual([true, false])
    for (const name of ['rXYZ', 'gXYZ', 'bXYZ'] as const)
      for (const part of [0, 1, 2])
        for (const [by, isOther] of [
          [0.019, false],
          [-0.019, false],
          [0.021, true],
          [-0.021, true],
        ] as const) {
          const changed = profile(moved(name, part, by))
          expect([isSrgb(changed), warned(named('own', changed))]).toEqual([!isOther, isOther])
        }
  })

  test('without a colour is no proof of anything', () => {
    const { bXYZ: _, ...two } = tags
    expect([isSrgb(profile(two)), warned(named('own', profile(two)))]).toEqual([false, false])
    expect([isSrgb(profile(tags, 2)), isSrgb(profile(tags, 99)), isSrgb(new Uint8Array(100))]).toEqual([false, true, false])
    expect(warned(named('own', profile(tags).subarray(0, 150)))).toBe(false)
  })

  test('counts if it stands before the pixels and has a name, which the warning tells with the first file', () => {
    const foreign = named('P3', profile(moved('rXYZ', 0, 0.1)))
    expect([warned(chunk('tEXt', [1, 2]), foreign), warned(named('', profile(moved('rXYZ', 0, 0.1)))), warned()]).toEqual([
      true,
      false,
      false,
    ])
    const file = (name: string, ...before: readonly Uint8Array[]) => ({ name, bytes: png(header(), ...before, plain, end) })
    const after = { name: 'c.png', bytes: png(header(), plain, foreign, end) }
    expect(gamutWarning([after])).toEqual([])
    const [told, ...more] = gamutWarning([file('a.png'), file('b.png', foreign), after, file('d.png', foreign)])
    expect(more).toEqual([])
    expect(told).toMatch(/^2 of 4 .*"P3".*"b\.png"/)
  })
})
