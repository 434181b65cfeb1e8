import { type Bitmap, blit, createBitmap } from '../../bitmap.ts'
import { AtlasError } from '../../errors.ts'
import { cutPlaced, type PlacedFrame } from '../../frames/placed-frame.ts'
import type { EncodedAtlas } from '../format.ts'

/**
 * Cuts a frame from its page and restores its untrimmed size.
 *
 * @throws {AtlasError} `SW_ATLAS_OPTION` if the atlas has no pixels of the page.
 */
export function cutWhole({ atlas }: EncodedAtlas, frame: PlacedFrame): Bitmap {
  const page = atlas.pages[frame.page]
  if (page === undefined) {
    throw new AtlasError('SW_ATLAS_OPTION', {
      message: `Expected the pixels of page ${frame.page} of "${atlas.name}", found ${atlas.pages.length} pages. A format with pages: 'pixels' needs decoded pages.`,
      facts: { atlas: atlas.name, page: frame.page },
    })
  }
  const whole = createBitmap(frame.sourceWidth, frame.sourceHeight)
  blit(whole, cutPlaced(page.bitmap, frame), frame.offsetX, frame.offsetY)
  return whole
}
