/**
 * `spritewright/pixi`: sprites of spec files in PixiJS 8. `Assets` fetches the pages, and PixiJS's
 * cache has the frames by name.
 *
 * @module
 */
import { AnimatedSprite, Cache, type FrameObject, NineSliceSprite, Sprite, Texture } from 'pixi.js'
import { createAtlas, type LoadedAtlas, mendAtlas, toFrameObjects, unloadAtlas } from './pixi/atlas.ts'
import { notePlayed } from './pixi/playback.ts'
import { swapAtlas } from './pixi/swap.ts'
import { type AtlasData, bordersOf, mainAtlas, type Outline, type SpriteModule, spriteOf, withVariants } from './shared/data.ts'
import { isHot, onUpdate } from './shared/hot.ts'
import { createNewest, goneKeys } from './shared/swap.ts'

export { normalsOf } from './pixi/atlas.ts'
export { boxesOf } from './pixi/boxes.ts'
export type { AnimationData, AtlasData, Outline, SpriteAnimation, SpriteModule } from './shared/data.ts'

/** One sprite, loaded. */
export interface LoadedSprite<Animation extends string = string, Frame extends string = string, Picture extends string = string> {
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
   * Makes a sprite that plays an animation, with the loop of its spec and the anchor of its frames. It has
   * started; add it to the stage. A picture that is no animation gets a `Sprite`, or a `NineSliceSprite` if its
   * spec has borders.
   *
   * @param name Short name.
   * @default the first animation, or the first picture if there is none
   */
  create<Name extends Animation | Picture = Animation>(name?: Name): [Name] extends [Animation] ? AnimatedSprite : Sprite | NineSliceSprite
}

/** Atlases of the page, by key; `undefined` after it was unloaded. Loads, swaps and unloads of one wait for each other. */
const loaded = new Map<string, Promise<LoadedAtlas | undefined>>()
let isListening = false

/** The loaded sprite of a module, with the names of its animations and frames. */
type Loaded<M> = M extends SpriteModule<infer A, infer F, infer P, infer _> ? LoadedSprite<A, F, P> : never

/**
 * Loads sprites with all they need. Sprites that share an atlas load it once. Of several resolutions, the one
 * nearest to the screen's is loaded. Textures that the game has destroyed are made again.
 *
 * @returns The loaded sprites, in the order of the modules.
 */
export async function loadSprites<const Modules extends readonly SpriteModule[]>(
  sprites: Modules,
): Promise<{ -readonly [I in keyof Modules]: Loaded<Modules[I]> }> {
  listen()
  const atlases = await Promise.all(sprites.map(loadSprite))
  return sprites.map((sprite, index) => toLoaded(sprite, atlases[index] as LoadedAtlas)) as {
    -readonly [I in keyof Modules]: Loaded<Modules[I]>
  }
}

function pickAtlas(sprite: SpriteModule): AtlasData {
  const wanted = globalThis.devicePixelRatio ?? 1
  const largestFirst = [...sprite.atlases].sort((a, b) => b.scale - a.scale)
  return largestFirst.findLast((atlas) => atlas.scale >= wanted) ?? largestFirst[0] ?? mainAtlas(sprite)
}

/**
 * Unloads sprites: destroys their textures, and removes them from PixiJS's cache. Sprites that share an atlas
 * are unloaded with the last of them. Remove what shows them from the stage before.
 */
export async function unloadSprites(sprites: readonly SpriteModule[]): Promise<void> {
  await Promise.all(sprites.map((sprite) => follow(pickAtlas(sprite).key, (atlas) => leave(atlas, sprite.name))))
}

/** Removes a user of an atlas, and unloads the atlas with the last one. */
async function leave(atlas: LoadedAtlas | undefined, user: string): Promise<LoadedAtlas | undefined> {
  atlas?.users.delete(user)
  if (!atlas || atlas.users.size > 0) return atlas
  await unloadAtlas(atlas)
  return undefined
}

async function loadSprite(sprite: SpriteModule): Promise<LoadedAtlas> {
  const data = pickAtlas(sprite)
  const atlas = await follow(data.key, (before) => mendAtlas(before ?? createAtlas(data)).then(publish))
  atlas.users.add(sprite.name)
  return atlas
}

/** Does the next thing with an atlas, when the previous one is done. If it fails, the atlas stays as it was. */
function follow<T extends LoadedAtlas | undefined>(key: string, next: (atlas: LoadedAtlas | undefined) => Promise<T>): Promise<T> {
  const before = loaded.get(key) ?? Promise.resolve(undefined)
  const started = before.then(next)
  const settled = started.catch(() => before)
  loaded.set(key, settled)
  return started
}

/** Adds frames to PixiJS's cache under their names. */
function publish(atlas: LoadedAtlas): LoadedAtlas {
  for (const [name, texture] of Object.entries(atlas.textures)) {
    if (Cache.has(name) && Cache.get(name) === texture) continue
    // The cache may have one that is destroyed.
    if (Cache.has(name)) Cache.remove(name)
    Cache.set(name, texture)
    if (isHot()) atlas.views.watch(texture)
  }
  return atlas
}

function toLoaded(sprite: SpriteModule, atlas: LoadedAtlas): LoadedSprite {
  const isOwn = (name: string): boolean => spriteOf(name) === sprite.name
  const create = (short = sprite.order[0] ?? Object.keys(sprite.pictures)[0] ?? ''): AnimatedSprite | Sprite | NineSliceSprite => {
    const picture = Object.hasOwn(sprite.pictures, short) ? sprite.pictures[short] : undefined
    return picture === undefined ? playing(atlas, sprite, short) : showing(atlas, picture)
  }
  return {
    name: sprite.name,
    get textures() {
      return Object.fromEntries(Object.entries(atlas.textures).filter(([name]) => isOwn(name)))
    },
    get outlines() {
      const { outlines = {}, scale } = atlas.data
      const own = Object.entries(outlines).filter(([name]) => isOwn(name))
      return Object.fromEntries(own.map(([name, outline]) => [name, outline.map(([x, y]) => [x / scale, y / scale] as const)]))
    },
    get animations() {
      return Object.fromEntries(Object.entries(sprite.animations).map(([short, { name }]) => [short, toFrameObjects(atlas, name)]))
    },
    create: create as LoadedSprite['create'],
  }
}

function playing(atlas: LoadedAtlas, sprite: SpriteModule, short: string): AnimatedSprite {
  const { name = '', loop = true } = sprite.animations[short] ?? {}
  const made = new AnimatedSprite(toFrameObjects(atlas, name))
  notePlayed(made, name)
  made.loop = loop
  // PixiJS 8.0 does not take it from the frame.
  if (made.texture.defaultAnchor) made.anchor.copyFrom(made.texture.defaultAnchor)
  followAnchors(made)
  made.play()
  return made
}

function showing({ data, textures }: LoadedAtlas, frame: string): Sprite | NineSliceSprite {
  const texture = textures[frame] ?? Texture.EMPTY
  // The texture has the borders.
  return bordersOf(data, frame) ? new NineSliceSprite({ texture }) : new Sprite(texture)
}

/**
 * Gives a sprite the anchor of every frame that it shows, until the game sets another one. PixiJS reads the
 * property after each change of the texture; a plain `true` would undo what the game sets.
 */
function followAnchors(made: AnimatedSprite): void {
  let shown = made.texture
  Object.defineProperty(made, 'updateAnchor', {
    get: () => {
      const { x, y } = shown.defaultAnchor ?? { x: 0, y: 0 }
      shown = made.texture
      return shown.defaultAnchor !== undefined && made.anchor.x === x && made.anchor.y === y
    },
    set: (value: boolean) => Object.defineProperty(made, 'updateAnchor', { value, writable: true }),
    configurable: true,
  })
}

/** The wanted content of an atlas: all of it, or only missing pictures if its spec or its variant is gone. */
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
  onUpdate((update) => {
    const changed = new Map(withVariants(update.sprites).map((sprite) => [pickAtlas(sprite).key, pickAtlas(sprite)]))
    for (const [key, next] of changed) void swap(key, { key, next })
    for (const key of goneKeys(update, loaded.keys())) void swap(key, { key })
  })
}

async function swapLoaded({ key, next }: Wanted, isOvertaken: () => boolean): Promise<void> {
  await follow(key, async (atlas) => {
    if (atlas) await swapAtlas(atlas, next ?? { ...atlas.data, frames: {}, animations: {} }, isOvertaken)
    return atlas
  })
}
