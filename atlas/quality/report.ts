import type { Bitmap } from '../bitmap.ts'
import type { FrameMeasure } from './measure.ts'

/** Faults of an animation. */
export type QualityFault =
  /** The whole figure jumps up or down and back, or creeps away from its ground over the loop. */
  | 'foot-line'
  /** The whole figure jumps or creeps sideways. */
  | 'body-anchor'
  /** The whole figure grows or shrinks and returns. */
  | 'scale'
  /** The step from the last frame to the first is larger than the steps of the motion. */
  | 'loop-seam'
  /** The figure's own colours change. */
  | 'palette'
  /** A light or key-coloured rim around the figure, left from a removed background. */
  | 'halo'
  /** Background that was not removed. */
  | 'background'
  /** The same picture twice in a row, in the middle of a motion. */
  | 'duplicate'
  /** A frame without visible content. */
  | 'blank'
  /** The figure extends beyond the canvas. */
  | 'cut-off'

/** A fault that a person should review. */
export interface QualityFlag {
  readonly fault: QualityFault
  /** Indices of the inspected frames, ascending. */
  readonly frames: readonly number[]
  /** The worst figure, in the unit of {@link QualityFigures}. */
  readonly value: number
  /** The exceeded limit, in the same unit. */
  readonly limit: number
}

/** One figure per fault: the value of the worst frame, to compare with its limit. */
export interface QualityFigures {
  /** Pixels. */
  readonly 'foot-line': number
  /** Pixels. */
  readonly 'body-anchor': number
  /** Share of the figure's size, 0.05 for 5 %. */
  readonly scale: number
  /** Multiple of a usual large step; 0 if the animation does not loop. */
  readonly 'loop-seam': number
  /** Steps of 0 to 255. */
  readonly palette: number
  /** Share of the outline, 0 to 1. */
  readonly halo: number
  /** Share of the canvas's edge, 0 to 1. */
  readonly background: number
  /** Number of frames that repeat the previous one. */
  readonly duplicate: number
  /** Number of blank frames. */
  readonly blank: number
  /** Pixels along an edge of the canvas. */
  readonly 'cut-off': number
}

/** Options of `inspectQuality`. */
export interface QualityOptions {
  /** Whether the first frame follows the last. */
  readonly loop: boolean
  /**
   * Whether the animation plays forwards and backwards. Then the first and the last frame are turning points, not
   * neighbours.
   *
   * @default false
   */
  readonly yoyo?: boolean
  /**
   * `keep` skips the checks for background, halo and cut-off, since the background is intended.
   *
   * @default 'remove'
   */
  readonly background?: 'remove' | 'keep'
}

/** Result of `inspectQuality`. */
export interface QualityReport {
  readonly figures: QualityFigures
  /** In the order of {@link QualityFigures}; empty if no limit is exceeded. */
  readonly flags: readonly QualityFlag[]
}

/** Input of the checks. */
export interface Inspected {
  /** In playing order. */
  readonly frames: readonly Bitmap[]
  readonly measures: readonly FrameMeasure[]
  /**
   * Indices of the frames that show only a figure: not blank, without leftover background. Other checks skip all other
   * frames, so that one fault is not reported twice.
   */
  readonly present: readonly number[]
  readonly isClosed: boolean
  readonly isCutOut: boolean
}

/** Result of a check: its figure, its limit, and the frames over the limit. */
export interface Finding {
  readonly value: number
  readonly limit: number
  readonly frames: readonly number[]
}
