import { type Bitmap, blit, createBitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { bleedColours } from './bleed.ts'

/** Encodes a picture whose sides are multiples of four as KTX2. Alpha stays straight. */
export type TextureCodec = (bitmap: Bitmap) => Promise<Uint8Array>

/** Graphics cards keep blocks of so many pixels a side, and browsers take no others. */
const BLOCK = 4

/** Pixels that the encoders of Basis Universal take. */
const MOST_PIXELS = 12 * 1024 * 1024

/** The picture with clear columns on the right and rows below until its sides are whole blocks: frames stay where they are. */
export function wholeBlocks(bitmap: Bitmap): Bitmap {
  const whole = (side: number): number => Math.ceil(side / BLOCK) * BLOCK
  const [width, height] = [whole(bitmap.width), whole(bitmap.height)]
  if (width === bitmap.width && height === bitmap.height) return bitmap
  const larger = createBitmap(width, height)
  blit(larger, bitmap, 0, 0)
  return larger
}

/**
 * Writes a page as KTX2, in whole blocks, the colours of visible pixels bled under clear ones.
 *
 * @throws {AtlasError} `SW_ATLAS_OPTION` without a codec, or for a page of more than 12 Mi pixels.
 */
export async function encodeTexture(bitmap: Bitmap, codec: TextureCodec | undefined): Promise<Uint8Array> {
  if (!codec) throw new AtlasError('SW_ATLAS_OPTION', { message: 'Expected a codec for KTX2 in "texture", found none. Hand one in.' })
  const { width, height } = bitmap
  if (width * height > MOST_PIXELS)
    throw new AtlasError('SW_ATLAS_OPTION', {
      message: `Expected pages of at most ${MOST_PIXELS} pixels for KTX2, found ${width} × ${height}. Set atlas.maxSize to ${Math.floor(Math.sqrt(MOST_PIXELS))} or less.`,
      facts: { width, height, most: MOST_PIXELS },
    })
  return codec(bleedColours(wholeBlocks(bitmap)))
}
