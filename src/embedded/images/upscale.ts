import { type Bitmap, resize } from '../../../atlas/index.ts'
import { isPixelArt } from '../artist/pixel-art.ts'

/** Doubles the width and height of a picture. Pixel art keeps its hard edges; other pictures are interpolated. */
export async function upscale(picture: Bitmap): Promise<Bitmap> {
  return resize(picture, picture.width * 2, picture.height * 2, isPixelArt(picture) ? 'nearest' : 'lanczos')
}
