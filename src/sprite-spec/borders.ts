import type { AnimationSpec, SpriteSpec } from './spec.ts'

/** Borders of a nine-slice that keep their size, in whole pixels. */
export type SpecBorders = NonNullable<SpriteSpec['borders']>

/** Borders of the frames of an animation or picture. */
export interface FrameBorders {
  readonly sides: SpecBorders
  /** Whether they are pixels of the source. Else they are pixels of the frames at scale 1. */
  readonly isOfSource: boolean
}

/** The borders of an animation or picture: those of the spec, or else those of its source. */
export function bordersOf({ borders, art }: SpriteSpec, _animation: Pick<AnimationSpec, 'name' | 'isPicture'>): FrameBorders | undefined {
  if (borders) return { sides: borders, isOfSource: false }
  return art?.borders && { sides: art.borders, isOfSource: true }
}
