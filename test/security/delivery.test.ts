import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { AtlasError } from '../../atlas/errors.ts'
import { decodePng } from '../../atlas/png.ts'

function refusal(run: () => unknown): AtlasError {
  try {
    run()
  } catch (error) {
    if (error instanceof AtlasError) return error
    throw error
  }
  throw new Error('Expected a refusal, found none.')
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
