import type { Bitmap } from '../bitmap.ts'
import type { FrameMeasure } from './measure.ts'

/** What may be wrong with an animation. */
export type QualityFault =
  /** The whole figure jumps up or down and back, or creeps away from its ground over the loop. */
  | 'foot-line'
  /** The same, sideways. */
  | 'body-anchor'
  /** The whole figure grows or shrinks and comes back. */
  | 'scale'
  /** The step from the last frame to the first is larger than the steps of the motion. */
  | 'loop-seam'
  /** The figure's own colours change. */
  | 'palette'
  /** A light or key-coloured rim round the figure, left by the background that was removed. */
  | 'halo'
  /** Background that was not removed. */
  | 'background'
  /** The same picture twice, one after the other, in the middle of a motion. */
  | 'duplicate'
  /** Nothing to see. */
  | 'blank'
  /** The figure goes on beyond the canvas. */
  | 'cut-off'

/** Something that a person should look at. */
export interface QualityFlag {
  readonly fault: QualityFault
  /** Places in the frames that were given, 0 for the first; ascending. */
  readonly frames: readonly number[]
  /** The worst of its figures, in the unit of {@link QualityFigures}. */
  readonly value: number
  /** From where on it is told, in the same unit. */
  readonly limit: number
}

/** One figure for each fault: how far the worst frame goes. Each can be held against its limit. */
export interface QualityFigures {
  /** Pixels. */
  readonly 'foot-line': number
  /** Pixels. */
  readonly 'body-anchor': number
  /** Part of the figure's size, 0.05 for 5 %. */
  readonly scale: number
  /** Times a usual large step; 0 where the animation does not loop. */
  readonly 'loop-seam': number
  /** Steps of 0 to 255. */
  readonly palette: number
  /** Part of the outline, 0 to 1. */
  readonly halo: number
  /** Part of the canvas's edge, 0 to 1. */
  readonly background: number
  /** Number of frames that repeat the one before. */
  readonly duplicate: number
  /** Number of blank frames. */
  readonly blank: number
  /** Pixels along an edge of the canvas. */
  readonly 'cut-off': number
}

/** How an animation is looked at. */
export interface QualityOptions {
  /** Whether the last frame is followed by the first. */
  readonly loop: boolean
  /** There and back: the first and the last frame are turning points then, not neighbours. @default false */
  readonly yoyo?: boolean
  /** With `keep`, background, halo and cut-off are not looked for: the background belongs there. @default 'remove' */
  readonly background?: 'remove' | 'keep'
}

/** What was found out about an animation. */
export interface QualityReport {
  readonly figures: QualityFigures
  /** In the order of {@link QualityFigures}; empty where nothing stands out. */
  readonly flags: readonly QualityFlag[]
}

/** Frames as the checks see them. */
export interface Inspected {
  /** Playing order. */
  readonly frames: readonly Bitmap[]
  readonly measures: readonly FrameMeasure[]
  /** Places of frames that show a figure alone: neither blank nor with background left over. What follows from those is not told again. */
  readonly present: readonly number[]
  readonly isClosed: boolean
  readonly isCutOut: boolean
}

/** What a check found: its figure, its limit, and where it is over it. */
export interface Finding {
  readonly value: number
  readonly limit: number
  readonly frames: readonly number[]
}
