/**
 * `spritewright/pixi`: sprites of spec files in PixiJS 8. `Assets` fetches the pages, and PixiJS's
 * cache has the frames by name.
 *
 * @module
 */
import { AnimatedSprite, Cache, type FrameObject, type Texture } from 'pixi.js'
import { fetchAtlas, type LoadedAtlas, toFrameObjects } from './pixi/atlas.ts'
import { notePlayed } from './pixi/playback.ts'
import { swapAtlas } from './pixi/swap.ts'
import { type AtlasData, inOrder, mainAtlas, type Outline, type SpriteModule } from './shared/data.ts'
import { isHot, onUpdate } from './shared/hot.ts'
import { createNewest } from './shared/swap.ts'

export type { AnimationData, AtlasData, Outline, SpriteAnimation, SpriteModule } from './shared/data.ts'

/** One sprite, loaded. */
export interface LoadedSprite<Animation extends string = string, Frame extends string = string> {
  readonly name: string
  /** By frame name, `hero/walk/0000`. */
  readonly textures: Readonly<Record<Frame, Texture>>
  /**
   * Convex outline of the visible part of each frame, in unscaled pixels of the untrimmed frame, for hit
   * tests; empty unless `atlas.hull` asks for it.
   */
  readonly outlines: Readonly<Partial<Record<Frame, Outline>>>
  /**
   * The argument of `new AnimatedSprite(…)`, by short animation name: each frame with its time in
   * milliseconds. The way back of a yoyo is written out.
   */
  readonly animations: Readonly<Record<Animation, FrameObject[]>>
  /**
   * Makes a sprite that plays an animation as its spec says (loop, anchor). It has started; add it to the
   * stage.
   *
   * @param animation Short name.
   * @default the first of the spec
   */
  create(animation?: Animation): AnimatedSprite
}

/** Loaded atlases of the page, by key. */
const loaded = new Map<string, Promise<LoadedAtlas>>()
let isListening = false

/** The loaded sprite of a module, with the names of its animations and frames. */
type Loaded<M> = M extends SpriteModule<infer A, infer F> ? LoadedSprite<A, F> : never

/**
 * Loads sprites with all they need. Sprites that share an atlas load it once. Of several resolutions, the one
 * nearest to the screen's is loaded.
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
  const started = fetchAtlas(atlas).then(publish)
  loaded.set(atlas.key, started)
  started.catch(() => loaded.delete(atlas.key))
  return started
}

/** Adds frames to PixiJS's cache under their names. */
function publish(atlas: LoadedAtlas): LoadedAtlas {
  for (const [name, texture] of Object.entries(atlas.textures)) {
    Cache.set(name, texture)
    if (isHot()) atlas.views.watch(texture)
  }
  return atlas
}

function toLoaded(sprite: SpriteModule, atlas: LoadedAtlas): LoadedSprite {
  const animationsNow = (): Readonly<Record<string, FrameObject[]>> =>
    inOrder(Object.entries(sprite.animations).map(([short, { name }]) => [short, toFrameObjects(atlas, name)]))
  const isOwn = (name: string): boolean => name.startsWith(`${sprite.name}/`)
  return {
    name: sprite.name,
    get textures() {
      return Object.fromEntries(Object.entries(atlas.textures).filter(([name]) => isOwn(name)))
    },
    get outlines() {
      const own = Object.entries(atlas.data.outlines ?? {}).filter(([name]) => isOwn(name))
      return Object.fromEntries(own.map(([name, outline]) => [name, unscaled(outline, atlas.data.scale)]))
    },
    get animations() {
      return animationsNow()
    },
    create: (animation) => {
      const short = animation ?? Object.keys(sprite.animations)[0] ?? ''
      const { name = '', loop = true } = sprite.animations[short] ?? {}
      const made = new AnimatedSprite(toFrameObjects(atlas, name))
      notePlayed(made, name)
      made.loop = loop
      if (sprite.anchor) made.anchor.set(sprite.anchor.x, sprite.anchor.y)
      made.play()
      return made
    },
  }
}

function unscaled(outline: Outline, scale: number): Outline {
  return outline.map(([x, y]) => [x / scale, y / scale])
}

/** The wanted content of an atlas: all of it, or only missing pictures if its spec is gone. */
interface Wanted {
  readonly key: string
  readonly next?: AtlasData
}

/** Swaps art in place when the dev server sends an update. */
function listen(): void {
  if (isListening) return
  isListening = true
  const swap = createNewest<Wanted>((wanted, isOvertaken) =>
    swapLoaded(wanted, isOvertaken).catch((error: unknown) =>
      console.error(`[spritewright] the pages of "${wanted.key}" could not be fetched; what is on the screen stays:`, error),
    ),
  )
  onUpdate(({ sprites, gone = [] }) => {
    const changed = new Map(sprites.map((sprite) => [pickAtlas(sprite).key, pickAtlas(sprite)]))
    for (const [key, next] of changed) void swap(key, { key, next })
    for (const key of gone) void swap(key, { key })
  })
}

async function swapLoaded({ key, next }: Wanted, isOvertaken: () => boolean): Promise<void> {
  // If loading failed, its caller has the error.
  const before = await loaded.get(key)?.catch(() => undefined)
  if (before) await swapAtlas(before, next ?? { ...before.data, frames: {}, animations: {} }, isOvertaken)
}
