import type { Bitmap } from './bitmap.ts'

/** One packed picture. */
export interface Page {
  /** 0 for the first. */
  readonly index: number
  readonly bitmap: Bitmap
}

/** Where a frame lies, in page pixels, and how it is restored to its untrimmed size. */
export interface PlacedFrame {
  /** `sprite/animation/0000`. */
  readonly name: string
  readonly page: number
  /** Left edge on the page; extruded rings lie outside. */
  readonly x: number
  readonly y: number
  /** Trimmed size. */
  readonly width: number
  readonly height: number
  /** Place of the trimmed rectangle in the untrimmed frame. */
  readonly offsetX: number
  readonly offsetY: number
  /** Untrimmed size. */
  readonly sourceWidth: number
  readonly sourceHeight: number
  readonly anchor?: { readonly x: number; readonly y: number }
}

/** An animation of placed frames, all on one page. */
export interface AtlasAnimation {
  /** `sprite/animation`. */
  readonly name: string
  readonly sprite: string
  /** In playing order. */
  readonly frames: readonly { readonly name: string; readonly durationMs: number }[]
  readonly fps: number
  readonly loop: boolean
  readonly yoyo: boolean
}

/** Pages, frames and animations of one group at one scale: the engine-neutral model that every format writes. */
export interface Atlas {
  /** Group name, e.g. `sprites`. */
  readonly name: string
  /** Page pixels per unscaled pixel: 1, 0.5 … */
  readonly scale: number
  readonly pages: readonly Page[]
  /** Sorted by name. */
  readonly frames: readonly PlacedFrame[]
  /** Sorted by name. */
  readonly animations: readonly AtlasAnimation[]
  /** Whether the engine is to scale by nearest neighbour. */
  readonly pixelArt: boolean
}
