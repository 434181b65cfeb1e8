import type { Bitmap } from './bitmap.ts'

/** One picture of an animation as it goes into an atlas. All frames of one animation have one size. */
export interface Frame {
  /** `sprite/animation/0000`: the name in every engine, unique in a project. */
  readonly name: string
  /** The whole, untrimmed picture. */
  readonly bitmap: Bitmap
  /** How long it is shown, milliseconds. */
  readonly durationMs: number
}

/** Frames in playing order and how to play them. An animation never spans two pages. */
export interface FrameSequence {
  /** `sprite/animation`. */
  readonly name: string
  /** Name of the sprite. */
  readonly sprite: string
  /** The pictures, each once, in the order of their names. */
  readonly frames: readonly Frame[]
  /** Names of frames in playing order; a name may come more than once. */
  readonly play: readonly string[]
  /** Frames a second; durations rule where they differ. */
  readonly fps: number
  readonly loop: boolean
  /** There and back, ends once. */
  readonly yoyo: boolean
  /** 0 to 1 of the untrimmed frame; only where the author set it. */
  readonly anchor?: { readonly x: number; readonly y: number }
  /** Cut the clear border off. */
  readonly trim: boolean
  /** Rings of repeated edge pixels around the frame, 0 to 16. */
  readonly extrude: number
  /** Clear pixels between frames, 0 to 64; the larger of two neighbours counts. */
  readonly padding: number
  /** Nearest-neighbour in the engine. */
  readonly pixelArt: boolean
}
