import type { Bitmap } from '../../../atlas/index.ts'

/** Maximum number of colours of pixel art. */
const PIXEL_ART_COLOURS = 64

/** Whether a picture is pixel art: few colours, and no half-clear pixels. */
export function isPixelArt(picture: Bitmap): boolean {
  const colours = new Set<number>()
  for (const [at, pixel] of pixelsOf(picture).entries()) {
    const alpha = picture.data[at * 4 + 3]!
    if (alpha === 0) continue
    if (alpha < 255) return false
    colours.add(pixel)
    if (colours.size > PIXEL_ART_COLOURS) return false
  }
  return true
}

/** The pixels of a picture, a word each. All clear ones are equal, whatever colour they have. */
export function pixelsOf({ data }: Bitmap): Uint32Array {
  // A copy, because the bytes of a picture may start between two words.
  const pixels = new Uint32Array(Uint8Array.from(data).buffer)
  for (let at = 0; at < pixels.length; at++) if (data[at * 4 + 3] === 0) pixels[at] = 0
  return pixels
}
