import { AnimatedSprite, Cache, type FrameObject, ImageSource, Sprite, Texture } from 'pixi.js'
import type { AtlasData } from './data.ts'
import { cutPages, type LoadedAtlas, pageUrl, scaleModeOf, toFrameObjects } from './pixi-atlas.ts'

/**
 * Replaces the art of a loaded atlas in place: pages and Textures keep their identity, sprites go on playing, those that the game made itself too. Frames that are gone become empty,
 * with a warning, and come back when they do.
 *
 * The new pages are decoded first; the rest happens in one task.
 */
export async function swapAtlas(loaded: LoadedAtlas, next: AtlasData): Promise<void> {
  const pictures = await Promise.all(
    next.pages.map((page, index) => (isShown(loaded, next, index) ? undefined : decode(pageUrl(page.url)))),
  )
  const before = { data: loaded.data, frames: framesByAnimation(loaded) }
  const live = [...liveSprites(loaded)].map((sprite) => ({ sprite, anchor: anchorOf(sprite) }))
  for (const [index, picture] of pictures.entries()) if (picture) putPicture(loaded, index, picture, next)
  const gone = replaceTextures(loaded, cutPages(next, loaded.sources))
  loaded.data = next
  for (const { sprite, anchor } of live) {
    if (sprite instanceof AnimatedSprite) replay(sprite, loaded, before)
    follow(sprite, anchor)
  }
  if (gone.length > 0) console.warn(`[spritewright] frames of "${next.key}" are gone and show nothing: ${gone.join(', ')}`)
}

function isShown(loaded: LoadedAtlas, next: AtlasData, page: number): boolean {
  return loaded.data.pages[page]?.url === next.pages[page]?.url && loaded.data.pixelArt === next.pixelArt
}

async function decode(url: string): Promise<ImageBitmap> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`Expected the page ${url}, the server answered ${response.status}.`)
  return createImageBitmap(await response.blob())
}

/** A source is never destroyed: what is drawn may still hold it. It gets another picture. */
function putPicture(loaded: LoadedAtlas, index: number, picture: ImageBitmap, next: AtlasData): void {
  const scaleMode = scaleModeOf(next)
  const source = loaded.sources[index]
  if (!source) {
    const options = { resource: picture, alphaMode: 'premultiply-alpha-on-upload', resolution: next.scale, scaleMode } as const
    loaded.sources[index] = new ImageSource(options)
    return
  }
  const old: unknown = source.resource
  source.resource = picture
  source.scaleMode = scaleMode
  source.update()
  if (old instanceof ImageBitmap) old.close()
}

/** Every Texture that exists takes over what its frame looks like now; answers the names that have gone. */
function replaceTextures(loaded: LoadedAtlas, fresh: Readonly<Record<string, Texture>>): string[] {
  const gone: string[] = []
  for (const [name, texture] of Object.entries(loaded.textures)) {
    if (fresh[name]) continue
    gone.push(name)
    become(texture, Texture.EMPTY)
    loaded.gone[name] = texture
    delete loaded.textures[name]
    Cache.remove(name)
  }
  for (const [name, cut] of Object.entries(fresh)) {
    const texture = loaded.textures[name] ?? loaded.gone[name]
    if (texture) {
      become(texture, cut)
      cut.destroy(false)
    } else cut.dynamic = true
    if (!loaded.textures[name]) Cache.set(name, texture ?? cut)
    loaded.textures[name] = texture ?? cut
    delete loaded.gone[name]
  }
  return gone
}

/** The fields of a Texture that its typings keep from being set. */
interface LiveTexture {
  orig: Texture['orig']
  trim: Texture['trim'] | null
  rotate: number
  defaultAnchor?: Texture['defaultAnchor'] | undefined
}

/** Everything that makes a picture goes over to the Texture that is in use, and those that listen to it are told. */
function become(texture: Texture, source: Texture): void {
  const live: LiveTexture = texture
  const isWhole = texture.orig === texture.frame
  texture.source = source.source
  texture.frame.copyFrom(source.frame)
  if (isWhole) live.orig = source.orig.clone()
  else texture.orig.copyFrom(source.orig)
  live.trim = source.trim ? source.trim.clone() : null
  live.rotate = source.rotate
  live.defaultAnchor = source.defaultAnchor
  texture.noFrame = false
  texture.update()
}

/** One listener of an emitter, as the `eventemitter3` under PixiJS keeps it. */
interface Listener {
  readonly fn: () => void
  readonly context: unknown
}

/**
 * The sprites that show a frame of the atlas now, on the stage or off it. There is no list of them; but in dev the textures are `dynamic`, and a sprite listens to such a one that it shows.
 * PixiJS leaves the listeners of destroyed sprites behind: they are taken off here.
 */
function* liveSprites(loaded: LoadedAtlas): Generator<Sprite> {
  for (const texture of [...Object.values(loaded.textures), ...Object.values(loaded.gone)]) {
    const { update = [] } = (texture as unknown as { readonly _events: { readonly update?: Listener | readonly Listener[] } })._events
    for (const { fn, context } of [update].flat()) {
      if (!(context instanceof Sprite)) continue
      if (context.destroyed) texture.off('update', fn, context)
      else yield context
    }
  }
}

type Frames = ReadonlyMap<string, readonly FrameObject[]>

function framesByAnimation(loaded: LoadedAtlas): Frames {
  return new Map(Object.keys(loaded.data.animations).map((name) => [name, toFrameObjects(loaded, name)]))
}

/** A sprite that plays one of the atlas's animations, whole, goes on at the same place of the new one. */
function replay(sprite: AnimatedSprite, loaded: LoadedAtlas, before: { readonly data: AtlasData; readonly frames: Frames }): void {
  const isPlayed = (frames: readonly FrameObject[]): boolean =>
    frames.length === sprite.textures.length && frames.every(({ texture }, index) => texture === sprite.textures[index])
  const [name] = [...before.frames].find(([, frames]) => isPlayed(frames)) ?? []
  const [was, is] = name === undefined ? [] : [before.data.animations[name], loaded.data.animations[name]]
  if (name === undefined || !is || JSON.stringify(was) === JSON.stringify(is)) return
  const { currentFrame, playing, onFrameChange } = sprite
  const frames = toFrameObjects(loaded, name)
  // The setter stops and rewinds; the game need not hear of that.
  delete sprite.onFrameChange
  sprite.textures = frames
  if (sprite.loop === was?.loop) sprite.loop = is.loop
  const at = Math.min(currentFrame, frames.length - 1)
  if (playing) sprite.gotoAndPlay(at)
  else sprite.gotoAndStop(at)
  if (onFrameChange) sprite.onFrameChange = onFrameChange
}

function anchorOf(sprite: Sprite): { readonly x: number; readonly y: number } {
  const { x, y } = sprite.texture.defaultAnchor ?? { x: 0, y: 0 }
  return { x, y }
}

/** Size and anchor go with the frame where the game has not set its own. */
function follow(sprite: Sprite, oldAnchor: { readonly x: number; readonly y: number }): void {
  if (sprite.anchor.x === oldAnchor.x && sprite.anchor.y === oldAnchor.y) sprite.anchor.copyFrom(anchorOf(sprite))
  // A width that the game has set is kept by PixiJS as a scale of the old frame.
  const { _width: width, _height: height } = sprite as unknown as { readonly _width?: number; readonly _height?: number }
  if (width) sprite.width = width
  if (height) sprite.height = height
}
