import type { AnimatedSprite, FrameObject, Texture } from 'pixi.js'
import type { AnimationData, AtlasData } from '../shared/data.ts'
import { goOnAt } from '../shared/swap.ts'
import { type LoadedAtlas, toFrameObjects, toRound } from './atlas.ts'

/** An animation as it was before a swap. */
interface Round {
  readonly name: string
  readonly data: AnimationData
  readonly names: readonly string[]
  readonly textures: readonly Texture[]
}

/** All animations of an atlas, with the textures that play them. */
export type Rounds = readonly Round[]

/**
 * The animation that a sprite of the runtime plays. It is recorded because two animations may have the same
 * frames.
 */
const played = new WeakMap<AnimatedSprite, string>()

/** Remembers the animation that a sprite was made to play. */
export function notePlayed(sprite: AnimatedSprite, animation: string): void {
  played.set(sprite, animation)
}

/** The current animations of an atlas. */
export function roundsOf(atlas: LoadedAtlas): Rounds {
  return Object.entries(atlas.data.animations).map(([name, data]) => ({
    name,
    data,
    names: toRound(atlas.data, name).map(([frame]) => frame),
    textures: toFrameObjects(atlas, name).map(({ texture }) => texture as Texture),
  }))
}

/** Private fields of a playing sprite in PixiJS. */
interface Live {
  /** Milliseconds of each frame; null if each frame takes one sixtieth of a second. */
  readonly _durations: readonly number[] | null
  /** Index of the frame, plus the share of it that has passed. */
  _currentTime: number
}

/**
 * Continues a sprite in the new animation, if it plays a whole animation of the atlas. It continues at the
 * frame that it shows, or at the same relative position. A value that the game has set differently from the
 * spec stays.
 *
 * @param before The animations before the swap.
 */
export function goOn(sprite: AnimatedSprite, loaded: LoadedAtlas, before: Rounds): void {
  const was = roundOf(sprite, before)
  const is = was && loaded.data.animations[was.name]
  if (!was || !is || JSON.stringify(was.data) === JSON.stringify(is)) return
  const { currentFrame, playing, onFrameChange } = sprite
  const live = sprite as unknown as Live
  const passed = live._currentTime - Math.floor(live._currentTime)
  const frames = withOwnTimes(toFrameObjects(loaded, was.name), live._durations, was, loaded.data)
  // The setter stops and rewinds. The game must not get an event for that.
  delete sprite.onFrameChange
  sprite.textures = frames
  if (sprite.loop === was.data.loop) sprite.loop = is.loop
  const names = toRound(loaded.data, was.name).map(([name]) => name)
  sprite.currentFrame = goOnAt({ index: currentFrame, frames: was.names }, names)
  live._currentTime += passed
  if (playing) sprite.play()
  if (onFrameChange) sprite.onFrameChange = onFrameChange
}

function roundOf(sprite: AnimatedSprite, before: Rounds): Round | undefined {
  const plays = ({ textures }: Round): boolean =>
    textures.length === sprite.textures.length && textures.every((texture, at) => texture === sprite.textures[at])
  const fits = before.filter(plays)
  return fits.find(({ name }) => name === played.get(sprite)) ?? fits[0]
}

/** The new frames. Frames without times stay so, and a frame whose time the game has set keeps that time. */
function withOwnTimes(frames: readonly FrameObject[], times: Live['_durations'], was: Round, now: AtlasData): Texture[] | FrameObject[] {
  if (times === null) return frames.map(({ texture }) => texture as Texture)
  const specTimes = toRound({ ...now, animations: { [was.name]: was.data } }, was.name).map(([, time]) => time)
  const own = new Map(was.names.flatMap((name, at) => (times[at] !== undefined && times[at] !== specTimes[at] ? [[name, times[at]]] : [])))
  const names = toRound(now, was.name).map(([name]) => name)
  return frames.map((frame, at) => ({ ...frame, time: own.get(names[at] ?? '') ?? frame.time }))
}
