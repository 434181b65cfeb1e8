import { type Bitmap, crop, turnBack } from '../bitmap.ts'
import type { PlacedFrame } from './placed-frame.ts'

/** The trimmed picture of a frame, cut from its page, upright. */
export function cutPlaced(page: Bitmap, { x, y, width, height, isTurned = false }: PlacedFrame): Bitmap {
  return isTurned ? turnBack(crop(page, x, y, height, width)) : crop(page, x, y, width, height)
}
