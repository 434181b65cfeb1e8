import { type Bitmap, createBitmap, resize } from '../../../atlas/index.ts'

/**
 * Doubles the width and height of a picture. Pixel art keeps its hard edges by Scale2x, which gives slanted
 * lines steps of one pixel: a pixel becomes four, and a corner of it takes the colour of its two neighbours
 * if they are equal. Every other picture is interpolated.
 *
 * @see https://www.scale2x.it/algorithm for the rules of Scale2x.
 */
export async function upscale(picture: Bitmap): Promise<Bitmap> {
  if (isPixelArt(picture)) return doubleCrisp(picture)
  return resize(picture, picture.width * 2, picture.height * 2, 'lanczos')
}

/** Maximum number of colours of pixel art. */
const PIXEL_ART_COLOURS = 96

/** Whether a picture is pixel art: few colours, and next to no half-clear pixels. */
function isPixelArt(picture: Bitmap): boolean {
  const pixels = pixelsOf(picture)
  const colours = new Set<number>()
  let halfClear = 0
  for (let at = 0; at < pixels.length; at++) {
    const alpha = picture.data[at * 4 + 3]!
    if (alpha > 0 && alpha < 255) halfClear++
    if (alpha > 0 && colours.size <= PIXEL_ART_COLOURS) colours.add(pixels[at]!)
  }
  return colours.size <= PIXEL_ART_COLOURS && halfClear <= pixels.length * 0.01
}

function pixelsOf({ data }: Bitmap): Uint32Array {
  // A copy, because the bytes of a picture may start between two words.
  const pixels = new Uint32Array(Uint8Array.from(data).buffer)
  // All clear pixels are equal, whatever colour they have.
  for (let at = 0; at < pixels.length; at++) if (data[at * 4 + 3] === 0) pixels[at] = 0
  return pixels
}

function doubleCrisp(picture: Bitmap): Bitmap {
  const { width, height } = picture
  const pixels = pixelsOf(picture)
  const doubled = new Uint32Array(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      const own = pixels[at]!
      const up = y > 0 ? pixels[at - width]! : own
      const down = y < height - 1 ? pixels[at + width]! : own
      const left = x > 0 ? pixels[at - 1]! : own
      const right = x < width - 1 ? pixels[at + 1]! : own
      const isCorner = up !== down && left !== right
      const to = y * 2 * width * 2 + x * 2
      doubled[to] = isCorner && left === up ? left : own
      doubled[to + 1] = isCorner && up === right ? right : own
      doubled[to + width * 2] = isCorner && left === down ? left : own
      doubled[to + width * 2 + 1] = isCorner && down === right ? right : own
    }
  return createBitmap(width * 2, height * 2, new Uint8Array(doubled.buffer))
}
