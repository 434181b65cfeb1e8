import type Phaser from 'phaser'

/**
 * The internals of Phaser that a swap uses. They are the same in 3.90 and 4, but its typings omit some of
 * them.
 */
export interface LiveTexture {
  readonly key: string
  source: LiveSource[]
  /** Normal maps, by page. */
  dataSource: (LiveSource | undefined)[]
  frames: Record<string, LiveFrame>
  frameTotal: number
  firstFrame: string
  customData: object
  add(name: string, page: number, x: number, y: number, width: number, height: number): LiveFrame | null
}

/** One page of a texture. */
export interface LiveSource {
  readonly scaleMode: number
  setFilter(mode: number): void
  destroy(): void
}

/** One frame. All objects that show it share this object. */
export interface LiveFrame {
  readonly name: string
  texture: LiveTexture
  /** Size of the untrimmed frame. */
  readonly realWidth: number
  readonly realHeight: number
  customPivot: boolean
  pivotX: number
  pivotY: number
  customData: object
  /** The part of a nine-slice that stretches; valid if `scale9` is true. */
  readonly data?: { readonly scale9: boolean; readonly scale9Borders: { readonly x: number; readonly y: number } }
  setTrim(width: number, height: number, x: number, y: number, w: number, h: number): void
  setScale9(x: number, y: number, width: number, height: number): void
  u0: number
  u1: number
  updateUVs(): this
  /** Sets the texture coordinates of the shown part of a frame, see `setCrop`. */
  setCropUVs<Crop extends { u0: number; u1: number; flipX: boolean }>(
    crop: Crop,
    x: number,
    y: number,
    width: number,
    height: number,
    flipX: boolean,
    flipY: boolean,
  ): Crop
}

/** A frame of an animation. */
export interface LiveStep {
  readonly textureKey: string
  readonly textureFrame: string
  readonly frame: LiveFrame
  readonly index: number
  readonly duration: number
}

/** An animation, of the game or of one sprite alone. */
export interface LiveAnimation {
  readonly key: string
  frames: LiveStep[]
  frameRate: number
  duration: number
  msPerFrame: number
  repeat: number
  repeatDelay: number
  yoyo: boolean
  getFrames(textures: unknown, frames: unknown, key: string | null, isSorted: boolean): LiveStep[]
  calculateDuration(target: unknown, frames: number, duration: number | null, rate: number): void
  destroy(): void
}

/** The playback state of an object. */
export interface LiveState {
  readonly parent: LiveObject
  /** Animations of this sprite alone. */
  readonly anims: { readonly entries?: Readonly<Record<string, LiveAnimation>>; getArray(): LiveAnimation[] } | null
  currentAnim: LiveAnimation | null
  currentFrame: LiveStep | null
  isPlaying: boolean
  frameRate: number
  duration: number
  msPerFrame: number
  repeat: number
  repeatCounter: number
  repeatDelay: number
  yoyo: boolean
  nextTick: number
  pendingRepeat: boolean
  _pendingStop: number
  _pendingStopValue: unknown
  setCurrentFrame(frame: LiveStep): void
}

/** A body of Arcade physics. A static one has no size before scaling, and one of Matter has no size at all. */
interface LiveBody {
  readonly isCircle?: boolean
  readonly sourceWidth?: number
  readonly sourceHeight?: number
  readonly width?: number
  readonly height?: number
  /** Takes the size of the frame for 0. */
  setSize(width: 0, height: 0, isCentred: false): void
  updateFromGameObject(): void
}

/** An object that is drawn. */
export interface LiveObject {
  readonly type: string
  readonly texture?: unknown
  readonly displayTexture?: unknown
  readonly frame?: LiveFrame
  readonly displayFrame?: LiveFrame
  readonly list?: readonly LiveObject[]
  readonly mask?: { readonly bitmapMask?: LiveObject } | null
  readonly body?: LiveBody | null
  readonly displayWidth?: number
  readonly displayHeight?: number
  readonly originX?: number
  readonly originY?: number
  readonly width?: number
  readonly height?: number
  readonly leftWidth?: number
  readonly topHeight?: number
  readonly is3Slice?: boolean
  setSlices?(width: number | undefined, height: number | undefined): void
  setFrame?(frame: unknown): void
  setOrigin?(x: number, y: number): void
  updateUVs?(): void
  currentFrame?: unknown
  dirty?: boolean
}

/**
 * All states that play animations, on the display list or off it. Each playing state listens to the removal
 * of animations.
 */
export function liveStates(game: Phaser.Game): readonly LiveState[] {
  const { _events } = game.anims as unknown as { readonly _events: Readonly<Record<string, Listener | readonly Listener[]>> }
  return [_events.remove ?? []].flat().flatMap(({ context }) => (isState(context) ? [context] : []))
}

/** One listener of an emitter, as the `eventemitter3` in Phaser keeps it. */
interface Listener {
  readonly context: unknown
}

function isState(context: unknown): context is LiveState {
  const { parent, setCurrentFrame } = context as Partial<LiveState>
  return parent !== undefined && parent !== null && setCurrentFrame !== undefined
}

/**
 * All objects of all scenes, including the content of containers, layers and masks, and objects that play off
 * the display list.
 */
export function liveObjects(game: Phaser.Game, states: readonly LiveState[]): ReadonlySet<LiveObject> {
  const scenes = game.scene.getScenes(false)
  const open = [
    ...scenes.flatMap((scene) => (scene.children?.list ?? []) as unknown as LiveObject[]),
    ...states.map(({ parent }) => parent),
  ]
  const found = new Set<LiveObject>()
  for (let object = open.pop(); object; object = open.pop()) {
    if (found.has(object)) continue
    found.add(object)
    if (Array.isArray(object.list)) open.push(...object.list)
    if (object.mask?.bitmapMask) open.push(object.mask.bitmapMask)
  }
  return found
}
