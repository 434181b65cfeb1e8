import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { type Bitmap, pixelsOf } from '../bitmap.ts'
import { PNG_SIGNATURE } from './chunks.ts'
import { chunk } from './write.ts'

/**
 * When a page gets a palette. `exact`: if it has at most 256 colours, so that every visible pixel is kept.
 * `close`: also if fewer colours stay close enough, see `CLOSE_ENOUGH`.
 */
export type PaletteMode = 'exact' | 'close'

/**
 * Writes a PNG with a palette of 1, 2, 4 or 8 bits per pixel, as few as the colours need. All clear pixels
 * count as one colour.
 *
 * @param level zlib level, 0 to 9.
 * @returns `undefined` for more than 256 colours.
 */
export async function encodeIndexed(bitmap: Bitmap, level: number): Promise<Uint8Array | undefined> {
  const found = indexColours(bitmap)
  if (found === undefined) return undefined
  const { indices, colours } = found
  const bits = colours.length <= 2 ? 1 : colours.length <= 4 ? 2 : colours.length <= 16 ? 4 : 8
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, bitmap.width)
  view.setUint32(4, bitmap.height)
  header.set([bits, 3], 8)
  const palette = Uint8Array.from(colours.flatMap((colour) => [colour & 255, (colour >>> 8) & 255, (colour >>> 16) & 255]))
  const alphas = Uint8Array.from(colours.map((colour) => colour >>> 24))
  const isOpaque = alphas.every((alpha) => alpha === 255)
  const rows = packRows(indices, bitmap.width, bitmap.height, bits)
  return new Uint8Array(
    Buffer.concat([
      PNG_SIGNATURE,
      chunk('IHDR', header),
      chunk('PLTE', palette),
      ...(isOpaque ? [] : [chunk('tRNS', alphas)]),
      chunk('IDAT', await promisify(deflate)(rows, { level, memLevel: 9 })),
      chunk('IEND'),
    ]),
  )
}

/**
 * Returns the colours (`0xAABBGGRR`) in ascending order, so that equal pages have equal palettes, and the
 * index of each pixel's colour.
 */
function indexColours(bitmap: Bitmap): { indices: Uint8Array; colours: readonly number[] } | undefined {
  const pixels = pixelsOf(bitmap)
  const known = new Set<number>()
  for (const pixel of pixels) if (!known.has(pixel) && known.add(pixel).size > 256) return undefined
  const colours = [...known].sort((a, b) => a - b)
  const places = new Map(colours.map((colour, place) => [colour, place]))
  return { indices: Uint8Array.from(pixels, (pixel) => places.get(pixel)!), colours }
}

/**
 * Packs rows without filters, each preceded by its filter number 0. A byte holds several pixels, the left one
 * in the high bits.
 */
function packRows(indices: Uint8Array, width: number, height: number, bits: number): Uint8Array {
  const stride = Math.ceil((width * bits) / 8)
  const raw = new Uint8Array(height * (stride + 1))
  const perByte = 8 / bits
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * (stride + 1) + 1 + Math.floor(x / perByte)
      raw[at]! |= indices[y * width + x]! << (8 - bits - (x % perByte) * bits)
    }
  return raw
}
