import type { Borders } from '../frame.ts'
import type { HullPoint } from './hull.ts'

/** Where a frame lies, in page pixels, and how it is restored to its untrimmed size. */
export interface PlacedFrame {
  /** `sprite/animation/0000`. */
  readonly name: string
  readonly page: number
  /** Left edge on the page; extruded rings lie outside. */
  readonly x: number
  readonly y: number
  /** Trimmed size, upright. */
  readonly width: number
  readonly height: number
  /** Whether it lies on the page turned by 90° clockwise, covering `height` × `width` there. @default false */
  readonly isTurned?: boolean
  /** Place of the trimmed rectangle in the untrimmed frame. */
  readonly offsetX: number
  readonly offsetY: number
  /** Untrimmed size. */
  readonly sourceWidth: number
  readonly sourceHeight: number
  readonly anchor?: { readonly x: number; readonly y: number }
  /** What a nine-slice keeps unstretched at each side, pixels of the untrimmed frame at this scale. Such a frame is not trimmed. */
  readonly borders?: Borders
  /** Convex outline of what is seen, clockwise, pixels of the untrimmed frame at this scale; absent where nothing is seen, and until `withOutlines` adds it. */
  readonly hull?: readonly HullPoint[]
}

/** What is to be known of a frame of an earlier atlas to leave it where it was. */
export type EarlierFrame = Pick<PlacedFrame, 'name' | 'page' | 'x' | 'y' | 'width' | 'height' | 'isTurned'>
