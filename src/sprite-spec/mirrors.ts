import type { Fault } from './document.ts'
import { nearestName } from './nearest.ts'
import { type AnimationSpec, nameInSprite, type SpriteSpec } from './spec.ts'

/** The names of the mirror images of an animation or picture, in the order of the file. */
export function mirrorsOf(spec: Pick<SpriteSpec, 'name' | 'mirrors'>, animation: Pick<AnimationSpec, 'name'>): readonly string[] {
  const of = nameInSprite(spec, animation)
  return Object.entries(spec.mirrors ?? {}).flatMap(([name, source]) => (source === of ? [name] : []))
}

/** All animations and pictures of a sprite. Mirror images come last, with the fields of their sources. */
export function withMirrors(spec: SpriteSpec): readonly AnimationSpec[] {
  const images = spec.animations.flatMap((animation) => mirrorsOf(spec, animation).map((name) => ({ ...animation, name })))
  return [...spec.animations, ...images]
}

/**
 * Finds names that are taken, sources that do not exist, and mirror images of mirror images.
 *
 * @param names All animations and pictures of the sprite.
 */
export function mirrorFaults(mirror: Readonly<Record<string, unknown>>, names: readonly string[]): readonly Fault[] {
  const taken = new Map(names.map((name) => [name.toLowerCase(), name]))
  return Object.entries(mirror).flatMap(([name, source]): readonly Fault[] => {
    const path = ['mirror', name]
    const other = taken.get(name.toLowerCase())
    taken.set(name.toLowerCase(), other ?? name)
    if (other !== undefined)
      return [
        {
          path,
          expected: `a new name, which differs from ${JSON.stringify(other)} in more than case`,
          found: JSON.stringify(name),
          isAtKey: true,
        },
      ]
    if (typeof source !== 'string' || names.includes(source)) return []
    return [{ path, expected: sourceWords(source, mirror, names), found: JSON.stringify(source) }]
  })
}

function sourceWords(source: string, mirror: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  const words = 'the name of an animation or picture of this sprite'
  if (Object.hasOwn(mirror, source)) return `${words} that is no mirror image`
  const near = nearestName(source, names)
  return `${words} (${near === undefined ? names.slice(0, 20).join(', ') || 'it has none' : `did you mean "${near}"?`})`
}
