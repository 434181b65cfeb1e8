import { crc32, deflateSync } from 'node:zlib'
import type { Bitmap } from './bitmap.ts'
import { PNG_SIGNATURE } from './png-chunks.ts'

/**
 * Writes a PNG of RGBA8 with no row filter, which suits flat art; the same pixels and level give the same bytes on one zlib.
 *
 * @param level zlib level, 0 to 9. @default 6
 */
export function encodePng(bitmap: Bitmap, level: number = 6): Uint8Array {
  const { width, height, data } = bitmap
  const stride = width * 4
  const raw = new Uint8Array(height * (stride + 1))
  for (let row = 0; row < height; row++) raw.set(data.subarray(row * stride, (row + 1) * stride), row * (stride + 1) + 1)
  return writePng(width, height, [deflateSync(raw, { level, memLevel: 9 })])
}

/** A PNG of RGBA8. @param parts Of its zlib stream, in order. */
export function writePng(width: number, height: number, parts: readonly Uint8Array[]): Uint8Array {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  // 8 bits, RGBA, then deflate, adaptive rows, not interlaced: all 0.
  header.set([8, 6], 8)
  // Written where they stay: pages are megabytes.
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

/** A PNG chunk: length, type, content, CRC-32. @param parts Of the content, in order. */
export function chunk(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(CHUNK_FRAME + lengthOf(parts))
  putChunk(bytes, 0, type, parts)
  return bytes
}

/** Bytes of a chunk besides its content. */
const CHUNK_FRAME = 12

/** @returns Where it ends. */
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
