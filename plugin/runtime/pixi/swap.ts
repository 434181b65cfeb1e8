import { AnimatedSprite, Cache, type Container, Sprite, type Texture, type TextureSource, VERSION } from 'pixi.js'
import type { AtlasData } from '../shared/data.ts'
import { reloadPage } from '../shared/hot.ts'
import { canSwapIn, fetchImage, layoutOf, warnOfGone } from '../shared/swap.ts'
import { fetchNormals, type LoadedAtlas, pageUrl, putNormals, scaleModeOf, toSource } from './atlas.ts'
import { copyBoxes } from './boxes.ts'
import { cutPages } from './data.ts'
import { missingTexture } from './pictures.ts'
import { goOn, roundsOf } from './playback.ts'
import { hasCopied, onStages, particlesOf, type Slices, type View } from './views.ts'

/**
 * Replaces the art of a loaded atlas in place. Pages and Textures keep their identity, and sprites keep
 * playing, including those that the game made itself. Gone frames show a missing-texture picture, with one
 * warning. If the atlas has such a frame again later, it shows its art again.
 *
 * The new pages are decoded first; the rest happens in one task.
 *
 * @param isOvertaken Whether a newer atlas is waiting. If so, this one is dropped.
 */
export async function swapAtlas(loaded: LoadedAtlas, next: AtlasData, isOvertaken: () => boolean): Promise<void> {
  if (!canSwapIn(VERSION)) return reloadPage(`"${next.key}" has changed, and PixiJS ${VERSION} cannot swap it in place (8.8 and newer can)`)
  const isShown = (index: number): boolean =>
    loaded.data.pages[index]?.url === next.pages[index]?.url && loaded.sources[index]?.destroyed === false
  const pictures = await Promise.all(next.pages.map(({ url }, index) => (isShown(index) ? undefined : fetchImage(pageUrl(url)))))
  const normals = await Promise.all(next.pages.map((page, index) => fetchNormals(page, loaded.sources[index], next)))
  if (isOvertaken()) return
  try {
    swapNow(loaded, next, pictures)
    for (const index of next.pages.keys()) putNormals(loaded.sources[index] as TextureSource, normals[index])
  } catch (error) {
    reloadPage(`"${next.key}" could not be swapped in place (${error instanceof Error ? error.message : String(error)})`)
  }
}

function swapNow(loaded: LoadedAtlas, next: AtlasData, pictures: readonly (HTMLImageElement | undefined)[]): void {
  const before = roundsOf(loaded)
  const held = new Set([...Object.values(loaded.textures), ...loaded.gone.values()])
  const all = loaded.views.all()
  const stages = onStages(loaded.sources, all)
  const copiers = layoutOf(loaded.data) === layoutOf(next) ? [] : stages.filter((object) => hasCopied(object, loaded.sources, held))
  if (copiers.length > 0) throw new Error('a Graphics, or a texture that the game has cut, has copied where its frames lay')
  const particles = stages.filter((object) => particlesOf(object).some(({ texture }) => held.has(texture)))
  const showing = all.filter(({ texture }) => texture && held.has(texture))
  const views = showing.map((view) => ({ view, anchor: anchorOf(view), slices: slicesOf(view) }))
  for (const [index, picture] of pictures.entries()) putPicture(loaded, index, picture, next)
  // A later atlas may need an unused source again. Until then the source is unloaded from the graphics card.
  for (const source of loaded.sources.slice(next.pages.length)) source.unload()
  // Frames that the game has destroyed are cut anew.
  for (const [name, texture] of Object.entries(loaded.textures)) if (texture.destroyed && delete loaded.textures[name]) Cache.remove(name)
  for (const [name, texture] of loaded.gone) if (texture.destroyed) loaded.gone.delete(name)
  const gone = replaceTextures(loaded, cutPages(next, loaded.sources))
  loaded.data = next
  for (const { view, anchor, slices } of views) {
    if (view instanceof AnimatedSprite) goOn(view, loaded, before)
    followSlices(view, slices)
    follow(view, anchor)
  }
  for (const box of particles) {
    const pages = new Set(particlesOf(box).map(({ texture }) => texture.source))
    if (pages.size > 1) throw new Error('a ParticleContainer draws one page, and its frames are on several')
    // As its `update`, which a game's class may have for another purpose.
    box._childrenDirty = true
  }
  for (const shown of [...particles, ...views.map(({ view }) => view)])
    for (let object: Container | null = shown; object; object = object.parent) if (object.isCachedAsTexture) object.updateCacheTexture()
  warnOfGone(next.key, gone)
}

/** Gives a source another picture. A source is never destroyed, because a drawn object may still hold it. */
function putPicture(loaded: LoadedAtlas, index: number, picture: HTMLImageElement | undefined, next: AtlasData): void {
  const source = loaded.sources[index]
  const url = next.pages[index]?.url ?? ''
  // The game may have destroyed it.
  if (!source || source.destroyed) {
    if (picture) loaded.sources[index] = toSource(url, picture, next)
    return
  }
  if (source.scaleMode !== scaleModeOf(next)) source.scaleMode = scaleModeOf(next)
  source.resolution = next.scale
  if (!picture) return
  source.label = url
  source.resource = picture
  source.update()
}

/** Gives every existing Texture the current art of its frame. Returns the names of gone frames. */
function replaceTextures(loaded: LoadedAtlas, fresh: Readonly<Record<string, Texture>>): string[] {
  const gone: string[] = []
  for (const [name, texture] of Object.entries(loaded.textures)) {
    if (fresh[name]) continue
    gone.push(name)
    become(texture, missingTexture())
    // All gone textures share one picture, which never changes. They need no updates from it, and its list of
    // listeners would keep them alive.
    texture.source.off('resize', texture.update, texture)
    loaded.gone.set(name, texture)
    delete loaded.textures[name]
    Cache.remove(name)
  }
  for (const [name, cut] of Object.entries(fresh)) {
    const texture = loaded.textures[name] ?? loaded.gone.get(name)
    if (texture) {
      become(texture, cut)
      cut.destroy(false)
    } else loaded.views.watch(cut)
    if (!loaded.textures[name]) Cache.set(name, texture ?? cut)
    loaded.textures[name] = texture ?? cut
    loaded.gone.delete(name)
  }
  return gone
}

/** The fields of a Texture that its typings declare as read-only. */
interface LiveTexture {
  orig: Texture['orig']
  trim: Texture['trim'] | null
  rotate: number
  defaultAnchor?: Texture['defaultAnchor'] | undefined
  defaultBorders?: Texture['defaultBorders'] | undefined
}

/** Copies all drawing fields to the Texture in use. */
function become(texture: Texture, picture: Texture): void {
  const live: LiveTexture = texture
  const isWhole = texture.orig === texture.frame
  if (texture.source !== picture.source) texture.source = picture.source
  texture.frame.copyFrom(picture.frame)
  if (isWhole) live.orig = picture.orig.clone()
  else texture.orig.copyFrom(picture.orig)
  live.trim = picture.trim ? picture.trim.clone() : null
  live.rotate = picture.rotate
  live.defaultAnchor = picture.defaultAnchor
  live.defaultBorders = picture.defaultBorders
  texture.noFrame = false
  copyBoxes(texture, picture)
  texture.update()
}

function anchorOf({ texture }: View): { readonly x: number; readonly y: number } {
  const { x, y } = texture?.defaultAnchor ?? { x: 0, y: 0 }
  return { x, y }
}

/** The borders that a frame sets for a NineSliceSprite. Returns `undefined` if it sets none. */
function slicesOf({ texture }: View): Slices | undefined {
  const { left, top, right, bottom } = texture?.defaultBorders ?? {}
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return undefined
  return { leftWidth: left, topHeight: top, rightWidth: right, bottomHeight: bottom }
}

/** Updates the slices of a view to its frame, if the game has not set its own. */
function followSlices(view: View, old: Slices | undefined): void {
  const next = slicesOf(view)
  const isOwn = old === undefined || Object.entries(old).some(([side, px]) => view[side as keyof Slices] !== px)
  if (next && !isOwn) Object.assign(view, next)
}

/** Updates size and anchor of a view to its frame, if the game has not set its own. */
function follow(view: View, oldAnchor: { readonly x: number; readonly y: number }): void {
  const { anchor } = view
  if (anchor && anchor.x === oldAnchor.x && anchor.y === oldAnchor.y) anchor.copyFrom(anchorOf(view))
  if (view instanceof Sprite) {
    // PixiJS keeps a width that the game has set as a scale of the old frame.
    const { _width: width, _height: height } = view as unknown as { readonly _width?: number; readonly _height?: number }
    if (width) view.width = width
    if (height) view.height = height
  }
  // Only a MeshPlane has the first: it sizes its geometry.
  const live = view as unknown as { textureUpdated?(): void; onViewUpdate(): void }
  if (view.renderPipeId === 'mesh') live.textureUpdated?.()
  live.onViewUpdate()
}
