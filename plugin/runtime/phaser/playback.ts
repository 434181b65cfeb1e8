import type Phaser from 'phaser'
import type { AnimationData, AtlasData } from '../shared/data.ts'
import { goOnAt } from '../shared/swap.ts'
import { toAnimation } from './data.ts'
import type { LiveAnimation, LiveState, LiveStep } from './live.ts'

/** Animation managers of games that use animations of the plugin. Other games get none. */
const animated = new WeakSet<object>()

/** The fields of an animation before a swap set them by its spec. */
type Before = Pick<LiveAnimation, 'frames' | 'frameRate' | 'repeat' | 'yoyo'>

/**
 * Updates animations to their current specs. These are the animations of the atlas, by name, and animations
 * that the game made of exactly the same frames. The latter may belong to all sprites or to one alone. A
 * value that the game has set differently from the spec stays. A playing object continues at the frame that
 * it shows, or at the same relative position.
 *
 * @param was The atlas as it was shown; `undefined` if that is unknown.
 */
export function followAnimations(game: Phaser.Game, states: readonly LiveState[], was: AtlasData | undefined, now: AtlasData): void {
  const { anims } = game
  const known = anims as unknown as { readonly anims: { getArray(): LiveAnimation[] } }
  const changed = new Map<LiveAnimation, Before>()
  const follow = (animation: LiveAnimation, isGlobal: boolean): void => {
    const name = isGlobal && now.animations[animation.key] ? animation.key : nameOf(animation, was)
    const [old, fresh] = [was?.animations[name ?? ''], now.animations[name ?? '']]
    if (!fresh || JSON.stringify(old) === JSON.stringify(fresh)) return
    const { frames, frameRate, repeat, yoyo } = animation
    changed.set(animation, { frames, frameRate, repeat, yoyo })
    rewrite(game, animation, now.key, old, fresh)
  }
  if (Object.keys(was?.animations ?? now.animations).some((name) => anims.exists(name))) animated.add(anims)
  for (const animation of known.anims.getArray()) follow(animation, true)
  for (const state of states) for (const animation of state.anims?.getArray() ?? []) follow(animation, false)
  for (const state of states) {
    const before = state.currentAnim && changed.get(state.currentAnim)
    if (before) goOn(state, state.currentAnim as LiveAnimation, before)
  }
  if (animated.has(anims))
    for (const [name, data] of Object.entries(now.animations)) if (!anims.exists(name)) anims.create(toAnimation(name, data, now.key))
  dropGone(game, states, was, now)
}

/** Name of the atlas animation with the same frames as an animation of the game. */
function nameOf(animation: LiveAnimation, was: AtlasData | undefined): string | undefined {
  const { frames } = animation
  const isOf = ({ frames: names }: AnimationData): boolean =>
    names.length === frames.length &&
    frames.every(({ textureKey, textureFrame }, at) => textureKey === was?.key && textureFrame === names[at]?.[0])
  const { animations = {} } = was ?? {}
  return Object.keys(animations).find((name) => isOf(animations[name] as AnimationData))
}

function rewrite(game: Phaser.Game, animation: LiveAnimation, key: string, was: AnimationData | undefined, now: AnimationData): void {
  const { fps, loop, yoyo, frames } = now
  // A frame whose time the game has set keeps that time.
  const own = animation.frames.filter(({ duration }, at) => was && Math.abs(duration - (was.frames[at]?.[1] ?? 0)) > 1e-9)
  const ownOf = new Map(own.map(({ textureFrame, duration }) => [textureFrame, duration]))
  const steps = frames.map(([frame, duration]) => ({ key, frame, duration: ownOf.get(frame) ?? duration }))
  animation.frames = animation.getFrames(game.textures, steps, null, false)
  if (!was || animation.repeat === repeatOf(was)) animation.repeat = repeatOf({ loop })
  if (!was || animation.yoyo === was.yoyo) animation.yoyo = yoyo
  const rate = !was || animation.frameRate === was.fps ? fps : animation.frameRate
  animation.calculateDuration(animation, animation.frames.length, null, rate)
}

function repeatOf({ loop }: { readonly loop: boolean }): number {
  return loop ? -1 : 0
}

/** An object that plays with values of its own (`play({ key, frameRate })`) keeps them. */
function goOn(state: LiveState, animation: LiveAnimation, before: Before): void {
  if (state.frameRate === before.frameRate) {
    state.frameRate = animation.frameRate
    state.duration = animation.duration
    state.msPerFrame = animation.msPerFrame
  }
  if (state.yoyo === before.yoyo) state.yoyo = animation.yoyo
  if (state.repeat === before.repeat && state.repeat !== animation.repeat) {
    state.repeat = animation.repeat
    state.repeatCounter = animation.repeat === -1 ? Number.MAX_VALUE : animation.repeat
  }
  const old = state.currentFrame
  const next = old && stepAt(animation, old, before)
  if (!next) return
  if (state._pendingStop === 3) state._pendingStopValue = stepAt(animation, state._pendingStopValue as LiveStep, before)
  // The elapsed time of the frame is kept.
  state.nextTick = (state.frameRate === animation.frameRate && next.duration) || state.msPerFrame
  if (state.pendingRepeat) state.nextTick += state.repeatDelay
  if (state.parent.frame !== old.frame) state.currentFrame = next
  else show(state, next)
}

function stepAt(animation: LiveAnimation, old: LiveStep, before: Before): LiveStep | undefined {
  const names = (steps: readonly LiveStep[]): readonly string[] => steps.map(({ textureFrame }) => textureFrame)
  return animation.frames[goOnAt({ index: old.index - 1, frames: names(before.frames) }, names(animation.frames))]
}

/** Shows a frame without an ANIMATION_UPDATE event, because the game has not gone on to another frame. */
function show(state: LiveState, step: LiveStep): void {
  const { isPlaying } = state
  state.isPlaying = false
  state.setCurrentFrame(step)
  state.isPlaying = isPlaying
}

/** Destroys gone animations that nothing plays, because each listens to the manager. */
function dropGone({ anims }: Phaser.Game, states: readonly LiveState[], was: AtlasData | undefined, now: AtlasData): void {
  for (const name of Object.keys(was?.animations ?? {})) {
    const animation = anims.get(name) as unknown as LiveAnimation | undefined
    if (now.animations[name] || !animation) continue
    if (!states.some(({ currentAnim }) => currentAnim === animation)) animation.destroy()
  }
}
