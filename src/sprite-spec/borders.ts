import { ofPicture } from './pictures.ts'
import type { SpecFile } from './schema.ts'
import type { AnimationSpec, SpriteSpec } from './spec.ts'

/** Borders of a nine-slice that keep their size, in whole pixels. */
export type SpecBorders = NonNullable<SpriteSpec['borders']>

/** Borders of the frames of an animation or picture. */
export interface FrameBorders {
  readonly sides: SpecBorders
  /** Whether borders count in pixels of the source. If not, they count in pixels of the frames at scale 1. */
  readonly isOfSource: boolean
}

/**
 * The borders of an animation or picture, from the spec, or else from its source. Returns `undefined` if neither has
 * borders.
 */
export function bordersOf(spec: SpriteSpec, animation: Pick<AnimationSpec, 'name' | 'isPicture'>): FrameBorders | undefined {
  const { borders, pictureBorders, art } = spec
  if (!borders && !pictureBorders) return art?.borders && { sides: art.borders, isOfSource: true }
  const sides = borders ?? ofPicture(spec, animation, pictureBorders)
  return sides && { sides, isOfSource: false }
}

type BordersField = SpecFile['borders']
type Sides = Exclude<NonNullable<BordersField>, Readonly<Record<string, unknown>>>

/** Reads the field of a spec file. */
export function toBorders(field: BordersField): Pick<SpriteSpec, 'borders' | 'pictureBorders'> {
  if (field === undefined) return {}
  if (typeof field === 'number' || Array.isArray(field)) return { borders: toSides(field as Sides) }
  return { pictureBorders: Object.fromEntries(Object.entries(field).map(([name, sides]) => [name, toSides(sides as Sides)])) }
}

function toSides(field: Sides): SpecBorders {
  const [left, top, right, bottom] = typeof field === 'number' ? [field, field, field, field] : field
  return { left, top, right, bottom }
}
