import type Phaser from 'phaser'
import type { AnimationData, AtlasData } from './data.ts'
import { toAnimation, toTextures } from './phaser-data.ts'

/** The insides of Phaser that a swap touches, the same in 3.90 and 4; its typings keep some of them to themselves. */
interface LiveTexture {
  source: LiveSource[]
  frames: Record<string, LiveFrame>
  frameTotal: number
  firstFrame: string
  customData: object
}
interface LiveSource {
  readonly scaleMode: number
  setFilter(mode: number): void
  destroy(): void
}
interface LiveFrame {
  readonly name: string
}

/** Frames that an atlas had once and has no more: what still holds one shows it again when it comes back. */
const goneFrames = new WeakMap<LiveTexture, Readonly<Record<string, LiveFrame>>>()

interface LiveAnimation {
  getFrames(textures: unknown, frames: unknown, key: string | null, isSorted: boolean): Phaser.Animations.AnimationFrame[]
  calculateDuration(target: unknown, frames: number, duration: number | null, rate: number): void
}
interface LiveObject {
  readonly type: string
  readonly texture?: unknown
  readonly displayTexture?: unknown
  readonly frame?: LiveFrame
  readonly displayFrame?: LiveFrame
  readonly list?: readonly LiveObject[]
  readonly anims?: Phaser.Animations.AnimationState
  setFrame?(frame: unknown): void
  dirty?: boolean
}

/**
 * Replaces the art of an atlas in a running game, in place: textures, frames and animations keep their identity, sprites on screen go on playing.
 *
 * The new pages are decoded first; the rest happens in one task, between two drawn frames. Frames that are gone show Phaser's missing-texture picture, with a warning.
 */
export async function swapAtlas(game: Phaser.Game, atlas: AtlasData): Promise<void> {
  if (!game.textures.exists(atlas.key)) return
  const images = await Promise.all(atlas.pages.map((page) => decode(new URL(page.url, document.baseURI).href)))
  const texture = game.textures.get(atlas.key) as unknown as LiveTexture
  const oldSources = texture.source
  const gone = replaceFrames(game, texture, atlas, images)
  const changed = replaceAnimations(game, atlas)
  for (const scene of game.scene.getScenes(false)) for (const object of liveObjects(scene)) refresh(object, texture, changed)
  for (const source of oldSources) source.destroy()
  if (gone.length > 0)
    console.warn(`[spritewright] frames of "${atlas.key}" are gone and show the missing-texture picture: ${gone.join(', ')}`)
}

async function decode(url: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.crossOrigin = 'anonymous'
  image.src = url
  await image.decode()
  return image
}

/** New sources under the same Texture, cut by Phaser's own parser; each frame that still exists keeps its object. Answers the names that have gone. */
function replaceFrames(game: Phaser.Game, texture: LiveTexture, atlas: AtlasData, images: readonly HTMLImageElement[]): string[] {
  const { textures } = game
  const filter = texture.source[0]?.scaleMode
  const Source = texture.source[0]?.constructor as new (owner: unknown, image: HTMLImageElement) => LiveSource
  texture.source = images.map((image) => new Source(texture, image))
  if (filter === 1 || atlas.pixelArt) for (const source of texture.source) source.setFilter(1)
  const old = { ...goneFrames.get(texture), ...texture.frames }
  const wasGone = new Set(Object.keys(goneFrames.get(texture) ?? {}))
  texture.frames = {}
  texture.frameTotal = 0
  texture.firstFrame = '__BASE'
  texture.customData = {}
  const data = toTextures(atlas)
  // Handing over a Texture makes Phaser parse into it; one page goes as plain `{frames}`, several as `textures[]`.
  textures.addAtlasJSONArray(
    '',
    texture as unknown as HTMLImageElement,
    (data.length > 1 ? data : { frames: data[0]?.frames ?? [] }) as object,
  )
  const missing = (textures.get('__MISSING') as unknown as LiveTexture).frames.__BASE
  const gone: Record<string, LiveFrame> = {}
  for (const [name, frame] of Object.entries(old)) {
    const fresh = texture.frames[name]
    if (fresh) {
      Object.assign(frame, fresh)
      texture.frames[name] = frame
    } else {
      // It stays a frame of this texture: whoever is given it would else become a user of another one.
      Object.assign(frame, missing, { name, texture })
      gone[name] = frame
    }
  }
  goneFrames.set(texture, gone)
  return Object.keys(gone).filter((name) => !wasGone.has(name))
}

/** The same Animation objects with new frame lists; answers each changed one with the rate it had. */
function replaceAnimations(game: Phaser.Game, atlas: AtlasData): ReadonlyMap<Phaser.Animations.Animation, number> {
  const changed = new Map<Phaser.Animations.Animation, number>()
  for (const [name, data] of Object.entries(atlas.animations)) {
    const animation = game.anims.exists(name) ? game.anims.get(name) : undefined
    if (animation) {
      changed.set(animation, animation.frameRate)
      rewrite(game, animation, name, data, atlas.key)
    } else game.anims.create(toAnimation(name, data, atlas.key))
  }
  return changed
}

function rewrite(game: Phaser.Game, animation: Phaser.Animations.Animation, name: string, data: AnimationData, key: string): void {
  const config = toAnimation(name, data, key)
  // The typings leave the last arguments of both methods out: whether frames are sorted, and the rate that durations are taken by.
  const live = animation as unknown as LiveAnimation
  animation.frames = live.getFrames(game.textures, config.frames ?? [], null, false)
  animation.repeat = config.repeat ?? 0
  animation.yoyo = config.yoyo ?? false
  live.calculateDuration(animation, animation.getTotalFrames(), null, data.fps)
}

function* liveObjects(scene: Phaser.Scene): Generator<LiveObject> {
  const roots = (scene.children?.list ?? []) as unknown as LiveObject[]
  const open = [...roots]
  for (let object = open.pop(); object; object = open.pop()) {
    yield object
    if (Array.isArray(object.list)) open.push(...object.list)
  }
}

/** Size, origin and hit area come from the frame, and a playing state walks a list of old frames: both are told anew. */
function refresh(object: LiveObject, texture: LiveTexture, changed: ReadonlyMap<Phaser.Animations.Animation, number>): void {
  const current = object.anims?.currentAnim
  if (object.anims && current && changed.has(current)) replay(object.anims, current, changed.get(current) ?? current.frameRate)
  else if (object.type === 'TileSprite') {
    // Phaser 3 copies the frame to a canvas of its own: there the atlas is displayTexture.
    if (object.texture === texture) object.setFrame?.(object.frame?.name)
    else if (object.displayTexture === texture) object.setFrame?.(object.displayFrame?.name)
  } else if (object.texture === texture) object.setFrame?.(object.frame)
  if (object.type === 'Blitter') object.dirty = true
}

/** Goes on at the same place of the new frames, without an ANIMATION_UPDATE for a mere redraw. */
function replay(state: Phaser.Animations.AnimationState, animation: Phaser.Animations.Animation, oldRate: number): void {
  const index = Math.min((state.currentFrame?.index ?? 1) - 1, animation.frames.length - 1)
  const frame = animation.frames[Math.max(0, index)]
  if (!frame) return
  if (state.frameRate === oldRate) {
    state.frameRate = animation.frameRate
    state.duration = animation.duration
    state.msPerFrame = animation.msPerFrame
  }
  state.nextTick = state.frameRate === animation.frameRate ? frame.duration || state.msPerFrame : state.msPerFrame
  const wasPlaying = state.isPlaying
  state.isPlaying = false
  state.setCurrentFrame(frame)
  state.isPlaying = wasPlaying
}
