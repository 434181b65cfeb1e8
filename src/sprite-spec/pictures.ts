import { knownWords } from './nearest.ts'
import { type AnimationSpec, type FrameFault, nameInSprite, type SpriteSpec } from './spec.ts'

/** A picture's value in a field by name of picture. Returns `undefined` if there is none, and for an animation. */
export function ofPicture<Value>(
  spec: Pick<SpriteSpec, 'name'>,
  { name, isPicture }: Pick<AnimationSpec, 'name' | 'isPicture'>,
  values: Readonly<Record<string, Value>> = {},
): Value | undefined {
  const picture = nameInSprite(spec, { name })
  return isPicture && Object.hasOwn(values, picture) ? values[picture] : undefined
}

/** Faults of the quality check that the spec lists as intended for an animation or picture. */
export function meantOf(spec: SpriteSpec, animation: AnimationSpec): readonly FrameFault[] {
  return [...(animation.meant ?? []), ...(ofPicture(spec, animation, spec.pictureMeant) ?? [])]
}

/** A name without a picture, described for a message. */
export interface UnknownPicture {
  readonly name: string
  readonly expected: string
}

/** The first name that is no picture of the sprite. Returns `undefined` if all names are pictures. */
export function unknownPicture(named: readonly string[], pictures: readonly string[]): UnknownPicture | undefined {
  const name = named.find((one) => !pictures.includes(one))
  return name === undefined ? undefined : { name, expected: knownWords('the name of a picture of this sprite', name, pictures) }
}
