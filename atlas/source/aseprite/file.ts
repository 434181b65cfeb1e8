import type { Bitmap } from '../../bitmap.ts'

/** One frame: all visible layers, drawn on the whole canvas. */
export interface AsepriteFrame {
  readonly bitmap: Bitmap
  /** Milliseconds, 1 to 65,535. */
  readonly durationMs: number
}

/** The order in which a tag plays its frames. The names are those of Aseprite's JSON, with a dash. */
export type AsepriteDirection = 'forward' | 'reverse' | 'pingpong' | 'pingpong-reverse'

/** The directions by their numbers in the file. */
export const directions: readonly AsepriteDirection[] = ['forward', 'reverse', 'pingpong', 'pingpong-reverse']

/** A named range of frames. */
export interface AsepriteTag {
  readonly name: string
  /** First frame, from 0. */
  readonly from: number
  /** Last frame, from 0; not before `from`. */
  readonly to: number
  readonly direction: AsepriteDirection
  /** Number of plays, up to 65,535; 0 if the author has not set it. */
  readonly repeat: number
}

/** A rectangle in whole pixels. */
export interface AsepriteRectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The rectangle of a slice, beginning with one frame. */
export interface AsepriteSliceKey extends AsepriteRectangle {
  /** First frame with this rectangle, from 0. */
  readonly frame: number
  /** The middle of a nine-slice, relative to the slice. Never empty. */
  readonly center?: AsepriteRectangle
  /** Relative to the slice's top left corner. */
  readonly pivot?: { readonly x: number; readonly y: number }
}

/** A named rectangle that may change from frame to frame. A width of 0 hides it. */
export interface AsepriteSlice {
  readonly name: string
  readonly keys: readonly AsepriteSliceKey[]
}

/** The content of an Aseprite file without its pixels. */
export interface AsepriteInfo extends Omit<AsepriteFile, 'frames'> {
  /** Display time of each frame, in milliseconds, 1 to 65,535. */
  readonly durations: readonly number[]
}

/** The content of an Aseprite file, for reading and writing. */
export interface AsepriteFile {
  /** Size of the canvas and of every frame, pixels, 1 to 65,535. */
  readonly width: number
  readonly height: number
  /** 1 to 65,535 frames. */
  readonly frames: readonly AsepriteFrame[]
  readonly tags: readonly AsepriteTag[]
  readonly slices: readonly AsepriteSlice[]
}

/**
 * Coordinates of an unset pivot, in a slice with a pivot in another key.
 *
 * @see Aseprite, `src/doc/slice.h`, `SliceKey::NoPivot`.
 */
export const NO_PIVOT: number = -(2 ** 31)
