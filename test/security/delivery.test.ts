import { crc32 } from 'node:zlib'
import JSZip from 'jszip'
import { describe, expect, test } from 'vitest'
import { type ArchiveEntry, openArchive } from '../../atlas/archive.ts'
import { checkNamesApart } from '../../atlas/archive-name.ts'
import { AtlasError } from '../../atlas/errors.ts'
import { decodePng } from '../../atlas/png.ts'
import { parseSheetAtlas } from '../../atlas/sheet-atlas.ts'

/** Characters that fill a terminal of 24 lines. */
const SCREENFUL = 24 * 80

function refusal(run: () => unknown): AtlasError {
  try {
    run()
  } catch (error) {
    if (error instanceof AtlasError) return error
    throw error
  }
  throw new Error('Expected a refusal, found none.')
}

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

/** A PNG with sound chunks. The default image data is no zlib stream, so that whoever unpacks it says `zlib`. */
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

async function pack(entries: readonly ArchiveEntry[]): Promise<Uint8Array> {
  const zip = new JSZip()
  for (const { name, bytes } of entries) zip.file(name, bytes, { createFolders: false })
  return zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE' })
}

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
  test('D2: the time to compare names does not grow with the square of their length', { timeout: 30_000 }, () => {
    const names = Array.from({ length: 5_000 }, (_, index) => deep(16_000, `${10_000 + index}.png`))
    expect(checkNamesApart(names)).toBeUndefined()
    expect(refusal(() => checkNamesApart([...names, `${names[7]}/x`])).facts.entry).toBe(names[7])
  })

  test('D2: an atlas whose frames have names of more than 1,024 bytes is none', () => {
    const atlas = (bytes: number): string =>
      JSON.stringify({ frames: { [`${'é'.repeat(bytes >> 1)}`]: { frame: { x: 0, y: 0, w: 1, h: 1 } } } })
    expect(parseSheetAtlas(atlas(1024))?.frames).toHaveLength(1)
    expect(parseSheetAtlas(atlas(1026))).toBeUndefined()
  })
})

describe('D3', () => {
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
})
