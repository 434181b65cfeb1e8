import type { Fault } from './document.ts'
import { knownWords } from './nearest.ts'
import { isObject } from './schema-faults.ts'
import { type AnimationSpec, nameInSprite, type SpriteSpec } from './spec.ts'

/** A valid source of a mirror image, in words. */
export const sourceWords = 'the name of an animation or picture of this sprite'

/** The names of the mirror images of an animation or picture, in the order of the file. */
export function mirrorsOf(spec: Pick<SpriteSpec, 'name' | 'mirrors'>, animation: Pick<AnimationSpec, 'name'>): readonly string[] {
  const of = nameInSprite(spec, animation)
  return Object.entries(spec.mirrors ?? {}).flatMap(([name, source]) => (source === of ? [name] : []))
}

/** Animations and pictures of a sprite. Mirror images come last, with the fields of their sources. */
export function withMirrors(spec: SpriteSpec, animations = spec.animations): readonly AnimationSpec[] {
  const images = animations.flatMap((animation) => mirrorsOf(spec, animation).map((name) => ({ ...animation, name })))
  return [...animations, ...images]
}

/**
 * Finds names that are taken, sources that do not exist, and mirror images of mirror images.
 *
 * @param framesOf All animations and pictures of the sprite by name.
 * @default nothing is checked
 */
export function mirrorFaults(mirror: unknown, framesOf?: ReadonlyMap<string, number>): readonly Fault[] {
  if (!framesOf || !isObject(mirror)) return []
  const names = [...framesOf.keys()]
  const taken = new Map(names.map((name) => [name.toLowerCase(), name]))
  return Object.entries(mirror).flatMap(([name, source]): readonly Fault[] => {
    const path = ['mirror', name]
    const other = taken.get(name.toLowerCase())
    taken.set(name.toLowerCase(), other ?? name)
    const expectedName = `a new name, which differs from ${JSON.stringify(other)} in more than case`
    if (other !== undefined) return [{ path, expected: expectedName, found: JSON.stringify(name), isAtKey: true }]
    if (typeof source !== 'string' || names.includes(source)) return []
    const isImage = Object.hasOwn(mirror, source)
    const expected = isImage ? `${sourceWords} that is no mirror image` : knownWords(sourceWords, source, names)
    return [{ path, expected, found: JSON.stringify(source) }]
  })
}
