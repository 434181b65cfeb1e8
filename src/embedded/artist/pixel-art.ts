import { pixelsOf } from '../../../atlas/bitmap.ts'
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
