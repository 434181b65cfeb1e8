import type { Bitmap } from './bitmap.ts'

/** Colours that belong together, such as those of a cloth, and the colours in their place. */
export interface Ramp {
  /** `#rrggbb`, one or more, from dark to light. */
  readonly from: readonly string[]
  /** As `from`. A list of another length is stretched to the length of `from`. */
  readonly to: readonly string[]
  /** Distance in OKLab up to which a colour belongs to the ramp, 0 to 1. */
  readonly tolerance: number
}

/** Further looks of the frames of a sequence. */
export interface Looks {
  /** Recoloured frames, by the name of the variant. */
  readonly variants?: Readonly<Record<string, readonly Ramp[]>> | undefined
}

/** One packed picture. */
export interface Page {
  /** Index of the page, from 0. */
  readonly index: number
  /**
   * Drawn when it is read, and possibly again on a later read. Do not write to the bitmap, and do not compare it by
   * identity.
   */
  readonly bitmap: Bitmap
}

/** Pages with the sizes and places of an atlas, drawn from other pictures. */
export interface AtlasLayer {
  readonly kind: 'variant'
  /** Name of the variant. */
  readonly name: string
  /** Names of the sprites that it shows, sorted. */
  readonly sprites: readonly string[]
  /** For each page of the layer, the index of its page in the atlas. Pages without frames of the sprites are left out. */
  readonly of: readonly number[]
  readonly pages: readonly Page[]
}
