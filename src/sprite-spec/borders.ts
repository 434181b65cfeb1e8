import { nearestName } from './nearest.ts'
import type { SpecFile } from './schema.ts'
import { type AnimationSpec, nameInSprite, type SpriteSpec } from './spec.ts'

/** Borders of a nine-slice that keep their size, in whole pixels. */
export type SpecBorders = NonNullable<SpriteSpec['borders']>

/** Borders of the frames of an animation or picture. */
export interface FrameBorders {
  readonly sides: SpecBorders
  /** Whether they are pixels of the source. Else they are pixels of the frames at scale 1. */
  readonly isOfSource: boolean
}

/**
 * The borders of an animation or picture: those of the spec, or else those of its source. Returns `undefined` if it
 * has none.
 */
export function bordersOf(spec: SpriteSpec, animation: Pick<AnimationSpec, 'name' | 'isPicture'>): FrameBorders | undefined {
  const { borders, pictureBorders, art } = spec
  if (!borders && !pictureBorders) return art?.borders && { sides: art.borders, isOfSource: true }
  const picture = nameInSprite(spec, animation)
  const own = animation.isPicture && pictureBorders && Object.hasOwn(pictureBorders, picture) ? pictureBorders[picture] : undefined
  const sides = borders ?? own
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

/** A name with borders that no picture has, in words. */
export interface UnknownPicture {
  readonly name: string
  readonly expected: string
}

/** The first name in `borders` that is no picture of the sprite. Returns `undefined` if there is none. */
export function unknownPicture(named: readonly string[], pictures: readonly string[]): UnknownPicture | undefined {
  const name = named.find((one) => !pictures.includes(one))
  if (name === undefined) return undefined
  const near = nearestName(name, pictures)
  const others = pictures.length === 0 ? 'it has none: give borders of all frames' : pictures.slice(0, 20).join(', ')
  return { name, expected: `the name of a picture of this sprite (${near === undefined ? others : `did you mean "${near}"?`})` }
}
