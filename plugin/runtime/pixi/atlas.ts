import { Assets, Cache, DOMAdapter, type FrameObject, ImageSource, Texture, type TextureSource, TextureStyle } from 'pixi.js'
import type { AnimationData, AtlasData, PageData } from '../shared/data.ts'
import { isHot } from '../shared/hot.ts'
import { fetchImage } from '../shared/swap.ts'
import { cutPages } from './data.ts'
import { canLoadKtx2, loaderFor } from './pictures.ts'
import { createViews, type Views } from './views.ts'

/** An atlas that a page has loaded. A swap changes it in place. */
export interface LoadedAtlas {
  data: AtlasData
  /**
   * The pictures of its pages, in order. There may be more of them than pages, because a picture is kept once
   * it was needed.
   */
  readonly sources: TextureSource[]
  /** By frame name: the Texture objects that sprites hold. */
  readonly textures: Record<string, Texture>
  /** Textures of gone frames. A sprite that still holds one shows it again when it comes back. */
  readonly gone: Map<string, Texture>
  readonly views: Views
  /** Names of the sprites that the game has loaded and not unloaded. */
  readonly users: Set<string>
}

/** Starts an atlas without pages; {@link mendAtlas} fetches them. */
export function createAtlas(data: AtlasData): LoadedAtlas {
  return { data, sources: [], textures: {}, gone: new Map(), views: createViews(), users: new Set() }
}

/**
 * Fetches the pages and cuts the frames that an atlas lacks: at first all of them, later those that the game
 * has destroyed. Others keep their objects.
 */
export async function mendAtlas(atlas: LoadedAtlas): Promise<LoadedAtlas> {
  const { data, sources, textures } = atlas
  const isAlive = (name: string): boolean => textures[name]?.destroyed === false && textures[name].source?.destroyed === false
  if (sources.length > 0 && !sources.some(({ destroyed }) => destroyed) && Object.keys(data.frames).every(isAlive)) return atlas
  const pages = await Promise.all(data.pages.map((page, index) => renew(sources[index], page, data)))
  sources.splice(0, sources.length, ...pages)
  const normals = await Promise.all(data.pages.map((page, index) => fetchNormals(page, sources[index], data)))
  for (const [index, source] of sources.entries()) putNormals(source, normals[index])
  for (const [name, texture] of Object.entries(cutPages(data, sources))) {
    if (isAlive(name)) texture.destroy()
    else textures[name] = texture
  }
  return atlas
}

/** The normal maps of pages. */
const maps = new WeakMap<TextureSource, TextureSource>()

/** The normal map of a page: each frame is at the place that it has on the page. */
export function normalsOf(page: TextureSource): TextureSource | undefined {
  return maps.get(page)
}

/**
 * Fetches a normal map into a source of its own. The label of the source is the URL, so that a swap keeps an unchanged
 * one.
 */
export async function fetchNormals(
  { normals }: PageData,
  page: TextureSource | undefined,
  data: AtlasData,
): Promise<TextureSource | undefined> {
  const before = page && maps.get(page)
  if (!normals || (before?.label === normals && !before.destroyed)) return normals ? before : undefined
  return fetchOwn({ url: normals }, data)
}

/** Gives a page its normal map, and destroys the one that it had. */
export function putNormals(page: TextureSource, normals: TextureSource | undefined): void {
  const before = maps.get(page)
  if (before === normals) return
  before?.destroy()
  if (normals) maps.set(page, normals)
  else maps.delete(page)
}

async function renew(source: TextureSource | undefined, page: PageData, data: AtlasData): Promise<TextureSource> {
  if (source?.destroyed === false) return source
  // `Assets` of PixiJS 8.0 keeps a source that the game has destroyed.
  if (source && Cache.has(source.label) && Cache.get<Texture>(source.label).source === source) await Assets.unload(source.label)
  return isHot() ? fetchOwn(page, data) : fetchShared(page, data)
}

/** Destroys what an atlas has loaded. */
export async function unloadAtlas({ sources, textures }: LoadedAtlas): Promise<void> {
  for (const [name, texture] of Object.entries(textures)) {
    if (Cache.has(name) && Cache.get(name) === texture) Cache.remove(name)
    texture.destroy()
  }
  for (const source of sources) {
    putNormals(source, undefined)
    if (source.destroyed) continue
    if (isHot()) source.destroy()
    else await Assets.unload(source.label)
  }
}

/**
 * Fetches a page into a source of its own, because a swap changes the picture of a source. `Assets` would
 * give one source to all atlases that are alike at the moment.
 */
async function fetchOwn({ url }: Pick<PageData, 'url'>, data: AtlasData): Promise<TextureSource> {
  return toSource(url, await fetchImage(pageUrl(url)), data)
}

/** A source that shows a page. Its label is the page's URL. */
export function toSource(label: string, resource: HTMLImageElement, data: AtlasData): TextureSource {
  const [resolution, scaleMode] = [data.scale, scaleModeOf(data)]
  return new ImageSource({ label, resource, alphaMode: 'premultiply-alpha-on-upload', resolution, scaleMode })
}

/**
 * Fetches a page with `Assets`. Of several encodings PixiJS takes the best that the browser shows. It gets
 * the formats, because a bundler may have made the file names.
 */
async function fetchShared({ url, format, also = [] }: PageData, data: AtlasData): Promise<TextureSource> {
  if (format === 'ktx2' && !canLoadKtx2())
    throw new Error(
      `Expected PixiJS to load KTX2, found that it cannot. Import 'pixi.js/ktx2' before the sprites of "${data.key}" are loaded.`,
    )
  const options = { resolution: data.scale, scaleMode: scaleModeOf(data) }
  const choice = [{ url, format }, ...also].map((one) => ({
    src: pageUrl(one.url),
    // PixiJS chooses KTX2 by the name of its content.
    ...(one.format === undefined ? {} : { format: one.format === 'ktx2' ? 'basis' : one.format }),
    ...loaderFor(one.format),
    data: options,
  }))
  const { source } = await Assets.load<Texture>({ src: choice })
  // The KTX2 loader does not set it.
  source.scaleMode = options.scaleMode
  return source
}

/** The absolute URL of a page. */
export function pageUrl(url: string): string {
  return new URL(url, DOMAdapter.get().getBaseUrl()).href
}

/** The scale mode for the pages of an atlas: nearest pixel for pixel art, the game's default for all else. */
export function scaleModeOf(data: AtlasData): 'nearest' | 'linear' {
  return data.pixelArt ? 'nearest' : (TextureStyle.defaultOptions.scaleMode ?? 'linear')
}

/**
 * The frames of an animation with their times. PixiJS has no yoyo, so the way back is written out, with its
 * ends once.
 *
 * @param name `hero/walk`.
 * @throws an error with the existing names.
 */
export function toFrameObjects(atlas: LoadedAtlas, name: string): FrameObject[] {
  return toRound(atlas.data, name).map(([frame, time]) => ({ texture: atlas.textures[frame] ?? Texture.EMPTY, time }))
}

/**
 * The names and times of a whole round of an animation, there and back.
 *
 * @throws an error with the existing names.
 */
export function toRound(atlas: AtlasData, name: string): AnimationData['frames'] {
  const animation = atlas.animations[name]
  if (!animation) {
    const known = Object.keys(atlas.animations).join(', ')
    throw new Error(`Expected an animation "${name}" in the atlas "${atlas.key}", found: ${known}.`)
  }
  if (!animation.yoyo || animation.frames.length < 2) return animation.frames
  const back = animation.frames.slice(animation.loop ? 1 : 0, -1).reverse()
  return [...animation.frames, ...back]
}
