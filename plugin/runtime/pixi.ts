/**
 * `spritewright/pixi`: sprites of spec files in PixiJS 8. Pages are fetched by `Assets`, cut by PixiJS's own `Spritesheet`, and known to its cache by frame name.
 *
 * @module
 */
import { AnimatedSprite, Assets, Cache, type FrameObject, Spritesheet, Texture } from 'pixi.js'
import { type AnimationData, type AtlasData, mainAtlas, type SpriteModule } from './data.ts'
import { isHot, onUpdate } from './hot.ts'
import { toSheetData } from './pixi-data.ts'
import { type LoadedAtlas, swapAtlas } from './pixi-swap.ts'

export type { AnimationData, AtlasData, SpriteAnimation, SpriteModule } from './data.ts'

/** One sprite, loaded. */
export interface LoadedSprite<Animation extends string = string, Frame extends string = string> {
  readonly name: string
  /** By frame name, `hero/walk/0000`. */
  readonly textures: Readonly<Record<Frame, Texture>>
  /** By short animation name: what `new AnimatedSprite(…)` takes, each frame with its time in milliseconds; the way back of a yoyo written out. */
  readonly animations: Readonly<Record<Animation, FrameObject[]>>
  /**
   * A sprite that plays an animation as its spec says (loop, anchor); it has started, add it to the stage.
   *
   * @param animation Short name. @default the first of the spec
   */
  create(animation?: Animation): AnimatedSprite
}

/** Atlases of the page by key, as they were loaded. */
const loaded = new Map<string, Promise<LoadedAtlas>>()
/** Sprites made by `create` and not destroyed, with what they play: a hot update finds them here. */
const playing = new Map<AnimatedSprite, { readonly atlas: string; readonly name: string }>()
let isListening = false

/** The names of a module's animations and frames. */
type Loaded<M> = M extends SpriteModule<infer A, infer F> ? LoadedSprite<A, F> : never

/**
 * Loads sprites with all they need. Sprites that share an atlas load it once; of several resolutions the one nearest to the screen's is taken.
 *
 * @returns The loaded sprites, in the order of the modules.
 */
export async function loadSprites<const Modules extends readonly SpriteModule[]>(
  sprites: Modules,
): Promise<{ -readonly [I in keyof Modules]: Loaded<Modules[I]> }> {
  listen()
  const atlases = await Promise.all(sprites.map((sprite) => loadAtlas(pickAtlas(sprite))))
  return sprites.map((sprite, index) => toLoaded(sprite, atlases[index] as LoadedAtlas)) as {
    -readonly [I in keyof Modules]: Loaded<Modules[I]>
  }
}

function pickAtlas(sprite: SpriteModule): AtlasData {
  const wanted = globalThis.devicePixelRatio ?? 1
  const largestFirst = [...sprite.atlases].sort((a, b) => b.scale - a.scale)
  return largestFirst.findLast((atlas) => atlas.scale >= wanted) ?? largestFirst[0] ?? mainAtlas(sprite)
}

function loadAtlas(atlas: AtlasData): Promise<LoadedAtlas> {
  const before = loaded.get(atlas.key)
  if (before) return before
  const started = fetchAtlas(atlas)
  loaded.set(atlas.key, started)
  started.catch(() => loaded.delete(atlas.key))
  return started
}

async function fetchAtlas(atlas: AtlasData): Promise<LoadedAtlas> {
  const sheets = await Promise.all(
    atlas.pages.map(async (page, index) => {
      const src = new URL(page.url, document.baseURI).href
      const data = { resolution: atlas.scale, ...(atlas.pixelArt ? { scaleMode: 'nearest' as const } : {}) }
      const texture = await Assets.load<Texture>({ src, parser: 'texture', data })
      const sheet = new Spritesheet({ texture, data: toSheetData(atlas, index) })
      await sheet.parse()
      return sheet
    }),
  )
  const textures: Record<string, Texture> = Object.assign({}, ...sheets.map((sheet) => sheet.textures))
  for (const [name, texture] of Object.entries(textures)) {
    Cache.set(name, texture)
    // Only a dynamic texture tells its sprites that it has changed.
    if (isHot()) texture.dynamic = true
  }
  return { data: atlas, sheets, textures }
}

function toLoaded(sprite: SpriteModule, atlas: LoadedAtlas): LoadedSprite {
  const animationsNow = (): Record<string, FrameObject[]> =>
    Object.fromEntries(Object.entries(sprite.animations).map(([short, { name }]) => [short, toFrameObjects(atlas, name)]))
  const isOwn = (name: string): boolean => name.startsWith(`${sprite.name}/`)
  return {
    name: sprite.name,
    get textures() {
      return Object.fromEntries(Object.entries(atlas.textures).filter(([name]) => isOwn(name)))
    },
    get animations() {
      return animationsNow()
    },
    create: (animation) => {
      const short = animation ?? Object.keys(sprite.animations)[0] ?? ''
      const { name = '', loop = true } = sprite.animations[short] ?? {}
      const made = new AnimatedSprite({ textures: toFrameObjects(atlas, name), updateAnchor: true })
      if (sprite.anchor) made.anchor.set(sprite.anchor.x, sprite.anchor.y)
      made.loop = loop
      playing.set(made, { atlas: atlas.data.key, name })
      made.once('destroyed', () => playing.delete(made))
      made.play()
      return made
    },
  }
}

/** Frames with their times; PixiJS knows no yoyo, so the way back is written out, its ends once. */
function toFrameObjects(atlas: LoadedAtlas, name: string): FrameObject[] {
  const animation = atlas.data.animations[name]
  if (!animation)
    throw new Error(
      `Expected an animation "${name}" in the atlas "${atlas.data.key}", found: ${Object.keys(atlas.data.animations).join(', ')}.`,
    )
  return walk(animation).map(([frame, time]) => ({ texture: atlas.textures[frame] ?? Texture.EMPTY, time }))
}

function walk(animation: AnimationData): AnimationData['frames'] {
  if (!animation.yoyo || animation.frames.length < 2) return animation.frames
  const back = animation.frames.slice(animation.loop ? 1 : 0, -1).reverse()
  return [...animation.frames, ...back]
}

/** Swaps art in place when the dev server says so. */
function listen(): void {
  if (isListening) return
  isListening = true
  onUpdate((update) => {
    const seen = new Set<string>()
    for (const sprite of update.sprites) {
      const next = pickAtlas(sprite)
      if (seen.has(next.key)) continue
      seen.add(next.key)
      swapLoaded(next).catch((error: unknown) => console.error(`[spritewright] "${next.key}" could not be swapped in place:`, error))
    }
  })
}

async function swapLoaded(next: AtlasData): Promise<void> {
  const before = await loaded.get(next.key)
  if (!before) return
  await swapAtlas(before, next)
  for (const [sprite, { atlas, name }] of playing) {
    if (atlas !== next.key || sprite.destroyed || !next.animations[name]) continue
    const { currentFrame, playing: wasPlaying, animationSpeed } = sprite
    const frames = toFrameObjects(before, name)
    // The setter stops and rewinds.
    sprite.textures = frames
    sprite.loop = next.animations[name].loop
    sprite.animationSpeed = animationSpeed
    const at = Math.min(currentFrame, frames.length - 1)
    if (wasPlaying) sprite.gotoAndPlay(at)
    else sprite.gotoAndStop(at)
  }
}
