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

/** Options of normal maps. */
export interface NormalOptions {
  /** `shape`: the figure is round, as its outline shows. `luminance`: light pixels are high, dark ones low. */
  readonly from: 'shape' | 'luminance'
  /** Unscaled pixels: from the outline to the flat middle of a shape, or the height of white over black. */
  readonly depth?: number | undefined
  /** Unscaled pixels, 0 or more: the radius of the blur. */
  readonly soften: number
}

/** Further looks of the frames of a sequence. */
export interface Looks {
  /** Recoloured frames, by the name of the variant. */
  readonly variants?: Readonly<Record<string, readonly Ramp[]>> | undefined
  readonly normals?: NormalOptions | undefined
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
  readonly kind: 'variant' | 'normals'
  /** Name of the variant; `normals` for the normal maps. */
  readonly name: string
  /** Names of the sprites that it shows, sorted. */
  readonly sprites: readonly string[]
  /**
   * For each page of the layer, the index of its page in the atlas. A variant has
   * no pages without frames of its sprites; normal maps have all pages.
   */
  readonly of: readonly number[]
  readonly pages: readonly Page[]
}
