import { type Bitmap, blit, createBitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { bleedColours } from './bleed.ts'

/** Encodes a picture as KTX2. Both sides are multiples of four. Alpha stays straight. */
export type TextureCodec = (bitmap: Bitmap) => Promise<Uint8Array>

/** Side of a compressed block in pixels. Browsers accept only textures of whole blocks. */
const BLOCK = 4

/** Most pixels that the encoders of Basis Universal accept. */
const MOST_PIXELS = 12 * 1024 * 1024

/**
 * Adds clear columns on the right and clear rows below until both sides are whole blocks. Frames keep their
 * places.
 */
export function wholeBlocks(bitmap: Bitmap): Bitmap {
  const whole = (side: number): number => Math.ceil(side / BLOCK) * BLOCK
  const [width, height] = [whole(bitmap.width), whole(bitmap.height)]
  if (width === bitmap.width && height === bitmap.height) return bitmap
  const larger = createBitmap(width, height)
  blit(larger, bitmap, 0, 0)
  return larger
}

/**
 * Encodes a page as KTX2. The page is enlarged to whole blocks, and clear pixels get the colours of visible
 * neighbours.
 *
 * @throws {AtlasError} `SW_ATLAS_OPTION` without a codec, or for a page of more than 12 Mi pixels.
 */
export async function encodeTexture(bitmap: Bitmap, codec: TextureCodec | undefined): Promise<Uint8Array> {
  if (!codec) throw new AtlasError('SW_ATLAS_OPTION', { message: 'Expected a codec for KTX2, found none. Pass one as "texture".' })
  const { width, height } = bitmap
  if (width * height > MOST_PIXELS)
    throw new AtlasError('SW_ATLAS_OPTION', {
      message: `Expected pages of at most ${MOST_PIXELS} pixels for KTX2, found ${width} × ${height}. Set atlas.maxSize to ${Math.floor(Math.sqrt(MOST_PIXELS))} or less.`,
      facts: { width, height, most: MOST_PIXELS },
    })
  return codec(bleedColours(wholeBlocks(bitmap)))
}
