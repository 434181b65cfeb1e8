import { crc32, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import JSZip from 'jszip'
import { describe, expect, test } from 'vitest'
import { createBitmap } from '../../atlas/bitmap.ts'
import { type ArchiveEntry, openArchive } from '../../atlas/delivery/archive.ts'
import { type ExpectedDelivery, readDelivery, readFrames } from '../../atlas/delivery/delivery.ts'
import { readExtraFields } from '../../atlas/delivery/directory.ts'
import { checkNamesApart } from '../../atlas/delivery/entry-name.ts'
import { cutFrame, parseSheetAtlas } from '../../atlas/delivery/sheet-atlas.ts'
import { AtlasError } from '../../atlas/errors.ts'
import { decodePng } from '../../atlas/png/read.ts'
import { encodePng } from '../../atlas/png/write.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { readDelivered } from '../../src/sheets/frames.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { refusal } from '../atlas/refusal.ts'

/** Characters that fill a terminal of 24 lines. */
const SCREENFUL = 24 * 80

function expectBrief(error: AtlasError): void {
  expect(error.message.length).toBeLessThanOrEqual(SCREENFUL)
  expect(JSON.stringify(error.facts).length).toBeLessThanOrEqual(2 * SCREENFUL)
}

interface Header {
  readonly width: number
  readonly height: number
  /** @default 8 */
  readonly depth?: number
  /** @default 6, RGBA */
  readonly colourType?: number
  readonly isInterlaced?: boolean
}

/** A PNG with sound chunks. The default image data is no zlib stream, so unpacking it fails with `zlib`. */
function pngOf(
  { width, height, depth = 8, colourType = 6, isInterlaced = false }: Header,
  data: Uint8Array = Buffer.from('junk'),
): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colourType, 0, 0, isInterlaced ? 1 : 0], 8)
  const chunk = (type: string, content: Uint8Array): Uint8Array => {
    const bytes = Buffer.alloc(12 + content.length)
    bytes.writeUInt32BE(content.length, 0)
    bytes.write(type, 4, 'latin1')
    bytes.set(content, 8)
    bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + content.length)), 8 + content.length)
    return bytes
  }
  const signature = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)
  return new Uint8Array(Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', new Uint8Array())]))
}

/** A sound picture, completely clear. */
function clearPng(width: number, height: number): Uint8Array {
  return pngOf({ width, height }, deflateSync(Buffer.alloc(height * (1 + width * 4))))
}

const text = (name: string, value: unknown): ArchiveEntry => ({ name, bytes: new TextEncoder().encode(JSON.stringify(value)) })

/** An atlas of equal frames. */
function atlasOf(count: number, frame: object): ArchiveEntry {
  return text('atlas.json', { frames: Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, frame])) })
}

const wholeSheet = (side: number): object => ({ frame: { x: 0, y: 0, w: side, h: side } })

async function pack(entries: readonly ArchiveEntry[]): Promise<Uint8Array> {
  const zip = new JSZip()
  for (const { name, bytes } of entries) zip.file(name, bytes, { createFolders: false })
  return zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE' })
}

const sixty = Array.from({ length: 60 }, (_, index) => ({
  name: `frames/${index}.png`,
  bytes: pngOf({ width: 4096, height: 4096 }),
}))
const hundredOfOne = [{ name: 'sheet.png', bytes: pngOf({ width: 4000, height: 4000 }) }, atlasOf(100, wholeSheet(4000))]
const tooMany = { code: 'SW_DELIVERY_LAYOUT', facts: { rule: 'too-many-pixels', maxPixels: 2 ** 27 } }

describe('D1', () => {
  test.each([
    ['a sheet that an atlas cuts whole a hundred times', hundredOfOne, { frames: 100 }],
    ['such a sheet, if nobody says how many frames were asked for', hundredOfOne, {}],
    ['60 frames of 4096 × 4096', sixty, { frames: 60 }],
    ['frames of 4096 × 4096 with names of their own', sixty.map((each) => ({ ...each, name: each.name.replace('frames/', '') })), {}],
  ] satisfies [string, ArchiveEntry[], ExpectedDelivery][])('D1: %s: refused before a pixel is unpacked', (_, entries, expected) => {
    // Unpacking any of these pictures would end in `zlib`.
    const error = refusal(() => readFrames(entries, expected))
    expect(error).toMatchObject(tooMany)
    expectBrief(error)
    expect(refusal(() => readDelivery(entries, expected))).toMatchObject(tooMany)
  })

  test('D1: the budget follows the number of frames that were asked for, and a caller may set it', () => {
    const entries = [0, 1, 2].map((index) => ({ name: `frames/${index}.png`, bytes: clearPng(64, 64) }))
    expect(readFrames(entries, { maxPixels: 3 * 64 * 64 }).frames).toHaveLength(3)
    expect(refusal(() => readFrames(entries, { maxPixels: 3 * 64 * 64 - 1 })).facts).toEqual({
      rule: 'too-many-pixels',
      entry: 'frames/2.png',
      pixels: 3 * 64 * 64,
      maxPixels: 3 * 64 * 64 - 1,
    })
    expect(refusal(() => readFrames(sixty, { frames: 1 })).facts).toMatchObject({ maxPixels: 2 ** 25, pixels: 3 * 2 ** 24 })
  })

  test('D1: frames of a sheet that overlap count each, and those within the budget share the pixels of one place', () => {
    const side = 64
    const sheet = { name: 'sheet.png', bytes: encodePng(createBitmap(side, side, new Uint8Array(side * side * 4).fill(200))) }
    const entries = [sheet, atlasOf(50, wholeSheet(side))]
    const { frames } = readFrames(entries, { maxPixels: 51 * side * side })
    expect(frames).toHaveLength(50)
    expect(new Set(frames.map(({ data }) => data.buffer)).size).toBe(1)
    expect(refusal(() => readFrames(entries, { maxPixels: 51 * side * side - 1 })).facts.rule).toBe('too-many-pixels')
    const part = { frame: { x: 1, y: 1, w: 60, h: 60 }, trimmed: true, spriteSourceSize: { x: 2, y: 2 }, sourceSize: { w: 90, h: 90 } }
    expect(new Set(readFrames([sheet, atlasOf(9, part)]).frames).size).toBe(1)
    // The untrimmed size counts.
    expect(refusal(() => readFrames([sheet, atlasOf(1, part)], { maxPixels: 64 * 64 + 90 * 90 - 1 })).facts.rule).toBe('too-many-pixels')
  })

  test('D1: sound frames are read beside a sheet for which no pixels are left, which is not unpacked', () => {
    const sound = [0, 1].map((index) => ({ name: `${index}.png`, bytes: clearPng(8, 8) }))
    const entries = [...sound, { name: 'sheet.png', bytes: pngOf({ width: 16, height: 8 }) }, atlasOf(2, wholeSheet(8))]
    const { frames, warnings } = readDelivery(entries, { maxPixels: 255 })
    expect(frames).toHaveLength(2)
    expect(warnings).toEqual([expect.stringContaining('found 256 up to "sheet.png"')])
    expect(readDelivery(entries, { maxPixels: 256 }).warnings).toEqual([expect.stringContaining('"zlib"')])
    // A preview is never decoded, so it takes no pixels from the sheet.
    const preview = { name: 'preview.png', bytes: pngOf({ width: 4096, height: 4096 }) }
    expect(readDelivery([...entries, preview], { maxPixels: 256 }).warnings).toEqual([expect.stringContaining('"zlib"')])
  })

  test('D1: 100 frames of 1158 × 1158 and 8 of 4096 × 4096 are within the default, and are refused for their contents alone', () => {
    for (const [count, side] of [
      [100, 1158],
      [8, 4096],
    ] as const) {
      const bytes = pngOf({ width: side, height: side })
      const entries = Array.from({ length: count }, (_, index) => ({ name: `frames/${index}.png`, bytes }))
      expect(refusal(() => readFrames(entries, { frames: count })).facts.rule).toBe('zlib')
      const more = [...entries, { name: `frames/${count}.png`, bytes }]
      expect(refusal(() => readFrames(more, { frames: count })).facts.rule).toBe('too-many-pixels')
    }
  })

  test('D1: the workshop refuses such a result by the name of the rule and keeps it', async () => {
    const zip = await pack(hundredOfOne)
    const spec = parseSpec(
      JSON.stringify({ reference: './x.png', prompt: 'x', animations: { walk: { frames: 100 } } }),
      '/game/hero.sprite.json',
    )
    const source = { kind: 'result', sha256: sha256(zip), read: async () => zip } as const
    const reading = readDelivered({ spec, animation: spec.animations[0]!, source: { ...source, review: undefined } }, undefined)
    await expect(reading).rejects.toMatchObject({
      code: 'SW_DELIVERY',
      facts: { id: 'hero.walk', result: sha256(zip), rule: 'too-many-pixels', atlasCode: 'SW_DELIVERY_LAYOUT' },
      message: expect.stringContaining(`It is kept as ${sha256(zip)}.zip`),
    })
  })
})

describe('D2', () => {
  /** Folders of one letter. */
  const deep = (bytes: number, end: string): string => `${'a/'.repeat((bytes - end.length) >> 1)}${end}`

  test.each([
    [10, 16_000],
    [40, 65_000],
  ])('D2: %i names of %i bytes are refused by their length', async (count, bytes) => {
    const names = Array.from({ length: count }, (_, index) => deep(bytes, `${10 + index}.png`))
    const zip = await pack(names.map((name) => ({ name, bytes: new Uint8Array(1) })))
    const error = refusal(() => openArchive(zip))
    expect([error.code, error.facts.rule]).toEqual(['SW_ARCHIVE', 'name-too-long'])
    expectBrief(error)
  })

  test('D2: a name of 1,024 bytes is read and one of 1,025 is not', async () => {
    const [longest, longer] = [deep(1024, '10.png'), deep(1025, '1.png')]
    expect([longest.length, longer.length]).toEqual([1024, 1025])
    expect(openArchive(await pack([{ name: longest, bytes: new Uint8Array(1) }])).map(({ name }) => name)).toEqual([longest])
    const zip = await pack([{ name: longer, bytes: new Uint8Array(1) }])
    expect(refusal(() => openArchive(zip)).facts.rule).toBe('name-too-long')
  })

  // If each folder of each name is looked up by itself, this takes minutes of CPU.
  test('D2: the time to compare names does not grow with the square of their length', () => {
    const before = process.cpuUsage()
    const names = Array.from({ length: 5_000 }, (_, index) => deep(16_000, `${10_000 + index}.png`))
    expect(checkNamesApart(names)).toBeUndefined()
    expect(refusal(() => checkNamesApart([...names, `${names[7]}/x`])).facts.entry).toBe(names[7])
    expect(process.cpuUsage(before).user).toBeLessThan(30_000_000)
  })

  test('D2: a delivery without frames is refused in a screenful, whatever its entries are called', () => {
    const entries = Array.from({ length: 2_000 }, (_, index) => ({ name: deep(1000, `${index}.txt`), bytes: new Uint8Array(1) }))
    const error = refusal(() => readDelivery(entries))
    expect(error.facts).toMatchObject({ rule: 'no-frames', count: 2_000 })
    expect(error.message).toContain('and 1990 more')
    expectBrief(error)
  })

  test('D2: warnings and refusals of frames quote long names by their beginning', () => {
    const sound = [0, 1, 5].map((index) => ({ name: deep(1000, `frame${'x'.repeat(99 + index)}${index}.png`), bytes: clearPng(4, 4) }))
    const { warnings } = readDelivery(sound)
    expect(warnings.length).toBeGreaterThan(0)
    expect(warnings.join('').length).toBeLessThanOrEqual(SCREENFUL)
    const other = { name: deep(60_000, 'frame7.png'), bytes: clearPng(5, 4) }
    const broken = { name: deep(60_000, 'frame8.png'), bytes: pngOf({ width: 4, height: 4 }) }
    for (const bad of [broken, { ...broken, bytes: Uint8Array.of(0xff, 0xd8, 0xff) }])
      expectBrief(refusal(() => readDelivery([...sound, bad])))
    expectBrief(refusal(() => readDelivery([sound[0]!, other])))
  })

  test('D2: an atlas whose frames have names of more than 1,024 bytes is none', () => {
    const atlas = (bytes: number): string =>
      JSON.stringify({ frames: { [`${'é'.repeat(bytes >> 1)}`]: { frame: { x: 0, y: 0, w: 1, h: 1 } } } })
    expect(parseSheetAtlas(atlas(1024))?.frames).toHaveLength(1)
    expect(parseSheetAtlas(atlas(1026))).toBeUndefined()
  })
})

describe('D3', () => {
  const huge = { frame: { x: 0, y: 0, w: 4, h: 4 }, trimmed: true, spriteSourceSize: { x: 0, y: 0 }, sourceSize: { w: 60_000, h: 60_000 } }
  const sheet = { name: 'sheet.png', bytes: clearPng(8, 8) }

  test('D3: an atlas with a source size of 60,000 × 60,000 is refused by the name of a rule', () => {
    expect(refusal(() => readFrames([sheet, atlasOf(1, huge)]))).toMatchObject(tooMany)
    const [frame] = parseSheetAtlas(JSON.stringify({ frames: { f: huge } }))!.frames
    expect(refusal(() => cutFrame(createBitmap(8, 8), frame!))).toMatchObject({
      code: 'SW_DELIVERY_LAYOUT',
      facts: { rule: 'frame-too-large', frame: 'f' },
    })
  })

  test('D3: sound frames beside such an atlas are read', () => {
    const { frames, warnings } = readDelivery([
      { name: '0.png', bytes: clearPng(4, 4) },
      { name: '1.png', bytes: clearPng(4, 4) },
      sheet,
      atlasOf(2, huge),
    ])
    expect(frames).toHaveLength(2)
    expect(warnings).toEqual([expect.stringContaining('2 of 2 frames differ from the sheet')])
  })

  test.each([
    ['16 bits a channel', { depth: 16 }, 8192 * (8192 * 8 + 1) + 8192 * 8192 * 4],
    ['interlacing', { isInterlaced: true }, undefined],
  ])('D3: a picture of 8192 × 8192 with %s is refused before it is unpacked', (_, kind, bytes) => {
    const error = refusal(() => decodePng(pngOf({ width: 8192, height: 8192, ...kind })))
    expect([error.code, error.facts.rule, error.facts.maxBytes]).toEqual(['SW_PNG', 'too-much-memory', 2 ** 29])
    if (bytes) expect(error.facts.bytes).toBe(bytes)
    // With 8 bits a channel it is still unpacked.
    expect(refusal(() => decodePng(pngOf({ width: 8192, height: 8192 }))).facts.rule).toBe('zlib')
  })

  test('D3: memory counts the rows, the pixels and the copies of a pass', () => {
    const taken = (header: Omit<Header, 'width' | 'height'>): unknown =>
      refusal(() => decodePng(pngOf({ width: 16, height: 16, ...header }), { maxBytes: 1 })).facts.bytes
    expect(taken({})).toBe(16 * 65)
    expect(taken({ colourType: 2 })).toBe(16 * 49 + 1024)
    expect(taken({ depth: 16 })).toBe(16 * 129 + 1024)
    expect(taken({ depth: 1, colourType: 0 })).toBe(16 * 3 + 1024 + 256)
    // Adam7 has 30 rows of 256 pixels in all; its last pass has half of them.
    expect(taken({ isInterlaced: true })).toBe(30 + 1024 + 1024 + 128 * 4)
  })

  test('D3: whatever an atlas says, its delivery is read, or refused by the name of a rule', () => {
    const side = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom(8191, 32_001, 60_000, 65_535))
    const box = fc.record({ x: side, y: side, w: side, h: side })
    const frame = fc.record({ frame: box, rotated: fc.boolean(), spriteSourceSize: box, sourceSize: fc.record({ w: side, h: side }) })
    const count = fc.integer({ min: 1, max: 4 })
    fc.assert(
      fc.property(frame, count, fc.boolean(), (each, frames, hasFrames) => {
        const sound = hasFrames ? [0, 1].map((index) => ({ name: `${index}.png`, bytes: clearPng(4, 4) })) : []
        try {
          expect(readFrames([...sound, sheet, atlasOf(frames, each)]).frames.length).toBeGreaterThan(0)
        } catch (error) {
          if (!(error instanceof AtlasError)) throw error
          expect([hasFrames, typeof error.facts.rule]).toEqual([false, 'string'])
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('D4', () => {
  const sheet = { name: 'sheet.png', bytes: clearPng(8, 8) }
  const ok = '"frames":{"f":{"frame":{"x":0,"y":0,"w":8,"h":8}}}'
  const json = (name: string, words: string): ArchiveEntry => ({ name, bytes: new TextEncoder().encode(words) })
  const members = (count: number, of: (index: number) => string): string => Array.from({ length: count }, (_, index) => of(index)).join(',')
  const frameOf = (name: string): string => `"${name}":{"frame":{"x":0,"y":0,"w":8,"h":8}}`
  /** A chunk without content. */
  const empty = (type: string): Buffer => {
    const bytes = Buffer.alloc(12)
    bytes.write(type, 4, 'latin1')
    bytes.writeUInt32BE(crc32(bytes.subarray(4, 8)), 8)
    return bytes
  }
  /** A sound picture with many chunks between its header and its pixels. */
  const withChunks = (chunks: readonly Buffer[]): Uint8Array => {
    const png = Buffer.from(clearPng(4, 4))
    return new Uint8Array(Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]))
  }
  const profiles = (count: number): ArchiveEntry[] => {
    const content = Buffer.concat([Buffer.from('p\0\0', 'latin1'), deflateSync(Buffer.alloc(1024))])
    const chunk = Buffer.concat([Buffer.alloc(8), content, Buffer.alloc(4)])
    chunk.writeUInt32BE(content.length, 0)
    chunk.write('iCCP', 4, 'latin1')
    chunk.writeUInt32BE(crc32(chunk.subarray(4, chunk.length - 4)), chunk.length - 4)
    return Array.from({ length: count }, (_, index) => ({ name: `frames/${index}.png`, bytes: withChunks([chunk]) }))
  }

  const tooMuch: [string, ArchiveEntry[]][] = [
    ['5 MB of blanks', [sheet, json('atlas.json', `{${' '.repeat(5e6)}${ok}}`)]],
    ['100,000 brackets', [sheet, json('atlas.json', `{"x":${'['.repeat(1e5)}${']'.repeat(1e5)},${ok}}`)]],
    ['100,000 brackets that nothing closes', [sheet, json('atlas.json', `{"x":${'['.repeat(1e5)}`)]],
    ['a hundred thousand objects in each other', [sheet, json('atlas.json', `{"x":${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)},${ok}}`)]],
    ['a list of a hundred thousand lists', [sheet, json('atlas.json', `{"x":[${'[],'.repeat(1e5)}1],${ok}}`)]],
    ['half a million members', [sheet, json('atlas.json', `{"x":{${members(5e5, (index) => `"${index}":1`)}},${ok}}`)]],
    ['10,000 frames', [sheet, json('atlas.json', `{"frames":{${members(1e4, (index) => frameOf(`f${index}`))}}}`)]],
    [
      'frames with long names',
      [sheet, json('atlas.json', `{"frames":{${members(2500, (index) => frameOf(`${'a1'.repeat(500)}${index}`))}}}`)],
    ],
    ['many texts, none of which is too long', [sheet, ...[1, 2, 3, 4, 5].map((at) => json(`${at}.json`, `{${' '.repeat(1e6)}}`))]],
    [
      'many entries with long names',
      Array.from({ length: 5000 }, (_, at) => ({ name: `${'a1/'.repeat(300)}${at}.png`, bytes: sheet.bytes })),
    ],
    ['a picture of a million chunks', [{ name: 'frames/0.png', bytes: withChunks(Array(1e6).fill(empty('teXt'))) }]],
    ['pictures of many chunks', [0, 1, 2].map((at) => ({ name: `frames/${at}.png`, bytes: withChunks(Array(2e5).fill(empty('teXt'))) }))],
    ['the profiles of 300 pictures', profiles(300)],
  ]
  test.each(tooMuch)('D4: %s: refused by the same count everywhere, and kept', (_, entries) => {
    const error = refusal(() => readFrames(entries))
    expect(error).toMatchObject({ code: 'SW_DELIVERY_LAYOUT', facts: { rule: 'too-much-work', maxSteps: 2 ** 24 } })
    expect(error.message).toMatch(
      /found more up to ".*"\. The result is kept\. Name only the entries that are needed: service\.profile\.readDelivery/s,
    )
    expectBrief(error)
    expect(refusal(() => readDelivery(entries)).facts).toEqual(error.facts)
  })

  test('D4: what a delivery of 100 frames needs is within the budget', () => {
    const pretty = JSON.stringify({ frames: JSON.parse(`{${members(100, (index) => frameOf(`hero/walk/${index}`))}}`) }, null, 8)
    expect(readFrames([sheet, json('atlas.json', pretty)]).frames).toHaveLength(100)
    expect(readFrames([sheet, json('atlas.json', `{${' '.repeat(3e6)}${ok}}`)]).frames).toHaveLength(1)
    expect(readFrames([sheet, json('atlas.json', `{"x":"${'{['.repeat(1e6)}\\"{",${ok}}`)]).frames).toHaveLength(1)
    expect(readFrames(profiles(100)).frames).toHaveLength(100)
    // 16 MB each, in chunks of 8 kB.
    const chunks = Array.from({ length: 100 }, (_, at) => ({
      name: `frames/${at}.png`,
      bytes: withChunks(Array(2000).fill(empty('teXt'))),
    }))
    expect(readFrames(chunks).frames).toHaveLength(100)
  })

  test('D4: an entry with more extra fields than any writer makes is refused', () => {
    const area = (count: number): Uint8Array => new Uint8Array(Buffer.concat(Array(count).fill(Buffer.from([0x55, 0x55, 0, 0]))))
    expect(readExtraFields(area(256)).size).toBe(1)
    expect(refusal(() => readExtraFields(area(257)))).toMatchObject({ code: 'SW_ARCHIVE', facts: { rule: 'extra-malformed' } })
  })

  test('D4: frames in their own folder are read whatever lies beside them', () => {
    const frames = [0, 1].map((index) => ({ name: `frames/${index}.png`, bytes: clearPng(4, 4) }))
    expect(readFrames([...frames, ...tooMuch[1]![1]]).frames).toHaveLength(2)
  })

  test('D4: the workshop keeps such a result, and says why', async () => {
    const zip = await pack(tooMuch[1]![1])
    const spec = parseSpec(
      JSON.stringify({ reference: './x.png', prompt: 'x', animations: { walk: { frames: 100 } } }),
      '/game/hero.sprite.json',
    )
    const source = { kind: 'result', sha256: sha256(zip), read: async () => zip } as const
    const reading = readDelivered({ spec, animation: spec.animations[0]!, source: { ...source, review: undefined } }, undefined)
    await expect(reading).rejects.toMatchObject({
      code: 'SW_DELIVERY',
      facts: { id: 'hero.walk', result: sha256(zip), rule: 'too-much-work' },
      message: expect.stringContaining(`It is kept as ${sha256(zip)}.zip`),
    })
  })
})
