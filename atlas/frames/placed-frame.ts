import { type Bitmap, crop, turnBack } from '../bitmap.ts'
import type { Borders, FrameBoxes } from '../frame.ts'
import type { HullPoint } from './hull.ts'

/** Place of a frame in page pixels, with the fields that restore its untrimmed size. */
export interface PlacedFrame {
  /** `sprite/animation/0000`; for a picture that is no animation, `sprite/picture` or `sprite`. */
  readonly name: string
  /**
   * Whether the frame is one picture that belongs to no animation.
   *
   * @default false
   */
  readonly isStill?: boolean
  readonly page: number
  /** Left edge on the page, without extruded rings. */
  readonly x: number
  readonly y: number
  /** Trimmed size, not turned. */
  readonly width: number
  readonly height: number
  /**
   * Whether the frame is turned by 90° clockwise on the page and covers `height` × `width` there.
   *
   * @default false
   */
  readonly isTurned?: boolean
  /** Place of the trimmed rectangle in the untrimmed frame. */
  readonly offsetX: number
  readonly offsetY: number
  /** Untrimmed size. */
  readonly sourceWidth: number
  readonly sourceHeight: number
  readonly anchor?: { readonly x: number; readonly y: number }
  /**
   * Borders of a nine-slice that are not stretched, in pixels of the untrimmed frame at this scale. Such a
   * frame is not trimmed.
   */
  readonly borders?: Borders
  /**
   * Convex outline of the visible pixels, clockwise, in pixels of the untrimmed frame at this scale. `withOutlines`
   * adds the outline. A clear frame has none.
   */
  readonly hull?: readonly HullPoint[]
  /** Boxes by name, in pixels of the untrimmed frame at this scale. */
  readonly boxes?: FrameBoxes
}

/** The fields of an earlier frame that are needed to keep its place. */
export type EarlierFrame = Pick<PlacedFrame, 'name' | 'page' | 'x' | 'y' | 'width' | 'height' | 'isTurned'>

/** Cuts the trimmed picture of a frame from its page and turns it upright. */
export function cutPlaced(page: Bitmap, { x, y, width, height, isTurned = false }: PlacedFrame): Bitmap {
  return isTurned ? turnBack(crop(page, x, y, height, width)) : crop(page, x, y, width, height)
}
