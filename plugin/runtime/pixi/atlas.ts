import { Assets, type FrameObject, ImageSource, Texture, type TextureSource, TextureStyle } from 'pixi.js'
import type { AnimationData, AtlasData, PageData } from '../shared/data.ts'
import { isHot } from '../shared/hot.ts'
import { createWeakByName, fetchImage, type WeakByName } from '../shared/swap.ts'
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
  readonly gone: WeakByName<Texture>
  readonly views: Views
}

/** Fetches the pages of an atlas and cuts them. */
export async function fetchAtlas(data: AtlasData): Promise<LoadedAtlas> {
  const sources = await Promise.all(data.pages.map((page) => (isHot() ? fetchOwn(page, data) : fetchShared(page, data))))
  return { data, sources, textures: cutPages(data, sources), gone: createWeakByName(), views: createViews() }
}

/**
 * Fetches a page into a source of its own, because a swap changes the picture of a source. `Assets` would
 * give one source to all atlases that are alike at the moment.
 */
async function fetchOwn({ url }: PageData, data: AtlasData): Promise<TextureSource> {
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
  return new URL(url, document.baseURI).href
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
