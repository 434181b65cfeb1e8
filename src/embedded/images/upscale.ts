import { type Bitmap, createBitmap, resize } from '../../../atlas/index.ts'
import { isPixelArt, pixelsOf } from '../artist/pixel-art.ts'

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
