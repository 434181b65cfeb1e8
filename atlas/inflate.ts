import { inflateSync } from 'node:zlib'

/** Most bytes to which deflate can expand one byte. */
const MAX_DEFLATE_RATIO = 1032

/** Stable names of the rules that packed bytes may break. */
export type InflateRule = 'excess-data' | 'zlib-unfinished' | 'zlib' | 'short-data' | 'zlib-leftover'

/**
 * Unpacks one zlib stream of a known length. It takes no more memory than this length, nor more than the packed
 * bytes can expand to.
 *
 * @param length Bytes of the unpacked data.
 * @param refuse Called with the broken rule and its sentence if the bytes are not one complete stream of this
 * length.
 */
export function inflateExactly(packed: Uint8Array, length: number, refuse: (rule: InflateRule, message: string) => never): Uint8Array {
  let raw: Buffer
  let taken: number
  try {
    // One output chunk, since several would be copied into one at the end. The ratio limits its size for a
    // small file that claims a huge picture.
    const chunkSize = Math.min(length, packed.length * MAX_DEFLATE_RATIO) + 64
    const options = { maxOutputLength: length, chunkSize, info: true }
    const result = inflateSync(packed, options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
    raw = result.buffer
    taken = result.engine.bytesWritten
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ERR_BUFFER_TOO_LARGE') refuse('excess-data', `expected ${length} bytes of image data, found more.`)
    return refuse(code === 'Z_BUF_ERROR' ? 'zlib-unfinished' : 'zlib', `expected sound image data, found: ${String(error)}`)
  }
  if (raw.length !== length) refuse('short-data', `expected ${length} bytes of image data, found ${raw.length}.`)
  if (taken !== packed.length)
    refuse('zlib-leftover', `expected image data to end with its stream, found ${packed.length - taken} bytes after it.`)
  return new Uint8Array(raw.buffer, raw.byteOffset, length)
}
