import { withOutlines } from '../../atlas/index.ts'
import type { SpritewrightError } from '../errors.ts'
import { mirrorsOf } from '../sprite-spec/mirrors.ts'
import { animationId } from '../sprite-spec/request.ts'
import { frameName } from '../sprite-spec/spec.ts'
import { withBoxes } from './boxes.ts'
import { makeAnimation, readAnimation } from './cache/animation.ts'
import type { AnimationPorts } from './cache/cache.ts'
import { type AskedGroup, readSheet, scalesOf, sheetKey, writeSheet } from './cache/sheet.ts'
import { encodeSheet, type TextureEncoder } from './encode.ts'
import { type CutAnimation, ownerOf, toSequence, untrimmed } from './frames.ts'
import { type Layout, layoutDigest, layoutName, toLayout } from './layout.ts'
import { bakedMirrors, drawnMirrors, withBaked } from './mirrors.ts'
import type { BuiltAtlas, BuiltGroup, PackedAtlas, PackedGroup } from './model.ts'
import { layOut } from './pack-group.ts'
import { isChecked, type SheetInput } from './sources.ts'

/** Ports for making sheets. */
export interface SheetPorts extends AnimationPorts {
  /** Encodes KTX2; needed if KTX2 is one of the encodings. */
  readonly encodeTexture?: TextureEncoder | undefined
  /**
   * Positions of frames in an earlier build; read only with `stable`.
   *
   * @default none
   */
  readonly earlier?: Layout | undefined
  /**
   * Aborts the work with its reason, before the next animation, group or page. Finished animations are
   * cached.
   *
   * @default the work is not aborted
   */
  readonly signal?: AbortSignal | undefined
  /** Receives a warning for a person. */
  readonly warn: (message: string) => void
  /**
   * Receives the error of touched-up frames; their group is then made without touched-up frames.
   *
   * @default the error is thrown
   */
  readonly onOverrideFault?: ((fault: SpritewrightError) => void) | undefined
  /**
   * Whether the quality of an animation (`sprite.animation`) is checked even if many animations have to be opened.
   *
   * @default only if few animations have to be opened
   */
  readonly isJudged?: ((id: string) => boolean) | undefined
  /**
   * The last sheets of a dev server, reused if nothing changed.
   *
   * @default none
   */
  readonly memory?: SheetMemory | undefined
}

/**
 * The last sheet of each group, by the group's name. An unchanged sheet stays the same object, by which the dev
 * server recognises unchanged sprites. Cut frames are not stored here, because reading the frames of a sprite
 * from the cache takes about a millisecond.
 */
export type SheetMemory = Map<
  string,
  { readonly key: string; readonly pace: string; readonly packed: PackedGroup; readonly group: BuiltGroup }
>

/**
 * The quality of all opened animations is checked if at most this many have to be opened, as for a new or edited
 * sprite, but not for an empty cache. `status` and `review` check the others on demand.
 */
const fewAnimations = 8

/**
 * Makes the atlases of a group of animations. If the group's content has not changed, the atlases come from
 * memory or the cache.
 *
 * @throws As {@link makeAnimation}, and errors of `atlas/`.
 */
export async function makeGroup(asked: AskedGroup, ports: SheetPorts): Promise<BuiltGroup> {
  const { name, members } = asked
  const key = sheetKey(asked, ports.codec)
  const last = ports.memory?.get(name)
  const packed = last?.key === key ? last.packed : await readOrPack(asked, ports)
  const pace = JSON.stringify(members.map(({ spec, animation }) => [animation.fps, animation.durations, mirrorsOf(spec, animation)]))
  const group = last?.packed === packed && last.pace === pace ? last.group : withAnimations(packed, asked)
  ports.memory?.set(name, { key, pace, packed, group })
  for (const warning of group.warnings) ports.warn(warning)
  return group
}

async function readOrPack(asked: AskedGroup, ports: SheetPorts): Promise<PackedGroup> {
  const { name, members, options } = asked
  const names = scalesOf(members).map((scale) => layoutName(name, scale))
  const from = options.stable ? layoutDigest(ports.earlier ?? new Map(), names) : undefined
  const cached = await readSheet(asked, ports.cache, ports.codec)
  if (cached && (from === undefined || cached.layouts?.includes(from))) return cached
  const packed = await pack(asked, ports)
  // The next build starts from this build's layout and would pack the same pages.
  const layouts = from === undefined ? {} : { layouts: [from, layoutDigest(toLayout(packed.atlases), names)] }
  const group = { ...packed, ...layouts }
  await writeSheet(asked, group, ports.cache, ports.codec)
  return group
}

async function pack({ name, members, options }: AskedGroup, ports: SheetPorts): Promise<PackedGroup> {
  const { hull, maxSize, effort, rotate = false } = options
  const { encodeTexture: textures, signal } = ports
  const scales = scalesOf(members)
  const isScaled = scales.length > 1 || scales[0] !== 1
  const animations = await readAnimations(members, ports)
  const sequences = members.map((input, at) => {
    const cut = isScaled ? untrimmed(animations[at]!) : animations[at]!
    const mirrors = bakedMirrors(input, options).map((mirror) => `${input.spec.name}/${mirror}`)
    return { ...withBoxes(toSequence(input, cut), input, cut), mirrors }
  })
  const atlases = await layOut(name, sequences, scales, { maxSize, rotate, effort, earlier: options.stable ? ports.earlier : undefined })
  const warnings: string[] = []
  const aids = { textures, signal, warn: (message: string) => void warnings.push(message) }
  return {
    atlases: await Promise.all(atlases.map((atlas) => encodeSheet(hull === undefined ? atlas : withOutlines(atlas, hull), options, aids))),
    quality: animations.flatMap(({ quality }) => quality ?? []),
    warnings: [...animations.flatMap((animation) => animation.warnings), ...warnings.sort()],
  }
}

async function readAnimations(members: readonly SheetInput[], ports: SheetPorts): Promise<readonly CutAnimation[]> {
  const cached: (CutAnimation | undefined)[] = []
  for (const input of members) cached.push(await readAnimation(input, ports))
  const isFew = cached.filter((cut) => cut === undefined).length <= fewAnimations
  const all: CutAnimation[] = []
  for (const [at, input] of members.entries()) {
    ports.signal?.throwIfAborted()
    const isJudged = ports.isJudged?.(animationId(input.spec, input.animation)) === true
    const cut = cached[at]
    const isEnough = cut && (!isJudged || cut.quality !== undefined || !isChecked(input))
    all.push(isEnough ? cut : await makeAnimation(input, isJudged || isFew, ports))
  }
  return all
}

/** Adds the animations to a packed group, with the playback of the current specs. */
function withAnimations({ atlases, quality, warnings }: PackedGroup, { members, options }: AskedGroup): BuiltGroup {
  const mirrors = members.flatMap((input) =>
    drawnMirrors(input, options).map((name) => [`${input.spec.name}/${name}`, `${input.spec.name}/${input.animation.name}`]),
  )
  const toAtlas = (atlas: PackedAtlas): BuiltAtlas => {
    const names = groupBy(
      atlas.frames.map((frame) => frame.name),
      ownerOf,
    )
    const made = members.flatMap((input) => withBaked(input, options).map((animation) => ({ spec: input.spec, animation })))
    const animations = made.flatMap(({ spec, animation }) => {
      if (animation.isPicture) return []
      const { fps, durations, loop, yoyo, use } = animation
      const name = `${spec.name}/${animation.name}`
      // Frames are sorted by name, which is their playing order.
      const play = use?.map((index) => frameName(spec, animation, index)) ?? names.get(name) ?? []
      const frames = play.map((frame, at) => ({ name: frame, durationMs: durations?.[at] ?? 1000 / fps }))
      return { name, sprite: spec.name, frames, fps, loop, yoyo }
    })
    const ofAtlas = { ...atlas, animations: animations.sort((a, b) => (a.name < b.name ? -1 : 1)) }
    return mirrors.length > 0 ? { ...ofAtlas, mirrors: Object.fromEntries(mirrors) } : ofAtlas
  }
  return { atlases: atlases.map(toAtlas), quality, warnings }
}

/** Groups items by a key and keeps their order. */
export function groupBy<T, Key>(items: readonly T[], keyOf: (item: T) => Key): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
