import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, crc32, createDeflate, deflate, deflateSync } from 'node:zlib'
import type { Bitmap } from '../bitmap.ts'
import { PNG_SIGNATURE } from './chunks.ts'
import { filterRows } from './filter-rows.ts'

/**
 * Writes a PNG of RGBA8 without row filters, which suits flat art. The same pixels and level give the same
 * bytes on one zlib version.
 *
 * @param level zlib level, 0 to 9.
 * @default 6
 */
export function encodePng(bitmap: Bitmap, level: number = 6): Uint8Array {
  const { width, height } = bitmap
  return writePng(width, height, [deflateSync(rawRows(bitmap, 0, height), { level, memLevel: 9 })])
}

/** Bytes that are compressed in one step. The encoded bytes of a page depend on it. */
const BAND_BYTES = 1 << 20

/**
 * Writes the same pixels as {@link encodePng}, on Node's threads for compression. A megabyte is compressed in
 * one step, and other work runs between two steps.
 *
 * Each step starts with an empty window, which costs a quarter of a percent. It keeps the bytes of pages as
 * they were in earlier versions.
 *
 * @param level zlib level, 0 to 9.
 */
export async function encodePngAsync(bitmap: Bitmap, level: number): Promise<Uint8Array> {
  const { width, height } = bitmap
  const rows = Math.max(1, Math.floor(BAND_BYTES / (4 * width + 1)))
  const parts: Uint8Array[] = []
  await pipeline(
    function* () {
      for (let from = 0; from < height; from += rows) yield rawRows(bitmap, from, Math.min(height, from + rows))
    },
    createDeflate({ level, memLevel: 9, chunkSize: 1 << 18, flush: constants.Z_FULL_FLUSH }),
    async (deflated: AsyncIterable<Buffer>) => {
      for await (const part of deflated) parts.push(part)
    },
  )
  return writePng(width, height, parts)
}

/**
 * Writes the smallest PNG of RGBA8 that it finds: with and without row filters, at the highest level, by two
 * strategies of zlib. It takes up to twenty times as long as {@link encodePngAsync}.
 */
export async function encodeSmallest(bitmap: Bitmap): Promise<Uint8Array> {
  const { width, height } = bitmap
  const { Z_DEFAULT_STRATEGY, Z_FILTERED } = constants
  const filtered = filterRows(bitmap)
  let best: Uint8Array | undefined
  for (const [rows, strategy] of [
    [rawRows(bitmap, 0, height), Z_DEFAULT_STRATEGY],
    [filtered, Z_DEFAULT_STRATEGY],
    [filtered, Z_FILTERED],
  ] as const) {
    const deflated = await promisify(deflate)(rows, { level: 9, memLevel: 9, strategy })
    if (best === undefined || deflated.length < best.length) best = deflated
  }
  return writePng(width, height, [best!])
}

/**
 * Returns rows as PNG compresses them: each starts with its filter number, 0 for none.
 *
 * @param to The row after the last.
 */
function rawRows({ width, data }: Bitmap, from: number, to: number): Uint8Array {
  const stride = width * 4
  const raw = new Uint8Array((to - from) * (stride + 1))
  for (let row = from; row < to; row++) raw.set(data.subarray(row * stride, (row + 1) * stride), (row - from) * (stride + 1) + 1)
  return raw
}

/**
 * Assembles a PNG of RGBA8.
 *
 * @param parts Parts of its zlib stream, in order.
 */
function writePng(width: number, height: number, parts: readonly Uint8Array[]): Uint8Array {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  // 8 bits, RGBA. The other fields are 0: deflate, adaptive filters, not interlaced.
  header.set([8, 6], 8)
  // All chunks are written into one buffer, since pages are megabytes and a copy costs time.
  const bytes = new Uint8Array(PNG_SIGNATURE.length + 3 * CHUNK_FRAME + header.length + lengthOf(parts))
  bytes.set(PNG_SIGNATURE)
  let end = PNG_SIGNATURE.length
  for (const [type, content] of [
    ['IHDR', [header]],
    ['IDAT', parts],
    ['IEND', []],
  ] as const)
    end = putChunk(bytes, end, type, content)
  return bytes
}

/**
 * Returns a PNG chunk: length, type, content, CRC-32.
 *
 * @param parts Parts of the content, in order.
 */
export function chunk(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(CHUNK_FRAME + lengthOf(parts))
  putChunk(bytes, 0, type, parts)
  return bytes
}

/** Bytes of a chunk besides its content. */
const CHUNK_FRAME = 12

/** @returns The offset after the chunk. */
function putChunk(bytes: Uint8Array, start: number, type: string, parts: readonly Uint8Array[]): number {
  const view = new DataView(bytes.buffer)
  view.setUint32(start, lengthOf(parts))
  bytes.set(Buffer.from(type, 'latin1'), start + 4)
  let end = start + 8
  for (const part of parts) {
    bytes.set(part, end)
    end += part.length
  }
  view.setUint32(end, crc32(bytes.subarray(start + 4, end)))
  return end + 4
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0)
}
