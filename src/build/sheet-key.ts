import { buildKey } from '../spec/key.ts'
import type { SheetInput } from './sources.ts'

const memberKeys = new WeakMap<SheetInput, string>()

/** The key of everything of an animation that shows in an atlas. */
export function memberKey(input: SheetInput): string {
  const known = memberKeys.get(input)
  if (known !== undefined) return known
  const key = buildKey(keyParts(input))
  memberKeys.set(input, key)
  return key
}

function keyParts(input: SheetInput): unknown {
  const { fps, durations } = input.animation
  const { anchor } = input.spec
  return { ...lookParts(input), anchor: anchor ?? null, pace: { fps, durations: durations ?? null } }
}

/** Everything of it that makes pixels, or is found out about them. */
export function lookParts(input: SheetInput): object {
  const { size, trim, extrude, padding, borders } = input.spec
  return { ...playedParts(input), sprite: { size: size ?? null, trim, extrude, padding, ...(borders ? { borders } : {}) } }
}

/** Whether frames of a result are cut to what is seen of them, and nothing else happens to them: nothing needs them whole, and none has a say in another. */
export function isCutAlone({ spec, source, overrides }: SheetInput): boolean {
  const { stabilize, size, trim, borders } = spec
  return source.kind === 'result' && !overrides && !stabilize && size === undefined && trim && !borders
}

/** The key of the frames of an animation as they are cut for its pages, in whatever order and at whatever pace they are played; undefined where that has a say in what they are, or they are not cut. */
export function framesKey(input: SheetInput): string | undefined {
  if (!isCutAlone(input)) return undefined
  const { play: _, ...frames } = playedParts(input)
  return buildKey({ frames })
}

/** The key of the frames that are played, at the size in which they were delivered. */
export function playedKey(input: SheetInput, isJudged: boolean): string {
  return buildKey({ ...playedParts(input), anchor: input.spec.anchor ?? null, isJudged })
}

function playedParts({ spec, animation, source, overrides }: SheetInput): { readonly play: object; readonly [part: string]: unknown } {
  const { background, pixelArt, stabilize } = spec
  const { loop, yoyo, use, frames } = animation
  return {
    name: `${spec.name}/${animation.name}`,
    source: [source.kind, source.sha256, frames],
    // What the service said of the frames is told with them, and says which ones are put back.
    review: source.kind === 'result' ? (source.review ?? null) : null,
    background,
    // Over a placeholder nothing lies.
    ...(source.kind === 'result' && overrides ? { overrides: overrides.key } : {}),
    pixelArt,
    stabilize,
    play: { loop, yoyo, use: use ?? null },
  }
}

/** Whether anchor and pace say nothing about pixels: frames that are put back move with their anchor, and so do those that share a layout with other scales. */
export function isPlayedAlone(members: readonly SheetInput[]): boolean {
  return members.every(({ spec }) => !spec.stabilize && spec.scales.length === 1)
}
