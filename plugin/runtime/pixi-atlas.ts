import { Assets, type FrameObject, ImageSource, Spritesheet, Texture, type TextureSource, TextureStyle } from 'pixi.js'
import type { AnimationData, AtlasData } from './data.ts'
import { createKeepsakes, type Keepsakes } from './gone.ts'
import { isHot } from './hot.ts'
import { toSheetData } from './pixi-data.ts'
import { createViews, type Views } from './pixi-views.ts'

/** An atlas that a page has loaded; a swap changes it in place. */
export interface LoadedAtlas {
  data: AtlasData
  /** The pictures of its pages, in order. There may be more of them than pages: one that was needed once is kept. */
  readonly sources: TextureSource[]
  /** By frame name: the Texture objects that sprites hold. */
  readonly textures: Record<string, Texture>
  /** Textures of frames that it had once: what still holds one shows it again when it comes back. */
  readonly gone: Keepsakes<Texture>
  readonly views: Views
}

/** Fetches the pages of an atlas and cuts them. */
export async function fetchAtlas(data: AtlasData): Promise<LoadedAtlas> {
  const sources = await Promise.all(data.pages.map(({ url }) => (isHot() ? fetchOwn(url, data) : fetchShared(url, data))))
  return { data, sources, textures: cutPages(data, sources), gone: createKeepsakes(), views: createViews() }
}

async function fetchShared(url: string, data: AtlasData): Promise<TextureSource> {
  const wanted = { src: pageUrl(url), parser: 'texture', data: { resolution: data.scale, scaleMode: scaleModeOf(data) } }
  return (await Assets.load<Texture>(wanted)).source
}

/** A swap changes what a source shows. `Assets` would give one source to all atlases that look alike today. */
async function fetchOwn(url: string, data: AtlasData): Promise<TextureSource> {
  return toSource(url, await fetchPicture(url), data)
}

/** A source that shows a page; its label is the page's URL. */
export function toSource(label: string, resource: ImageBitmap, data: AtlasData): TextureSource {
  const [resolution, scaleMode] = [data.scale, scaleModeOf(data)]
  return new ImageSource({ label, resource, alphaMode: 'premultiply-alpha-on-upload', resolution, scaleMode })
}

/** Fetches and decodes a page, past all caches of PixiJS. */
export async function fetchPicture(url: string): Promise<ImageBitmap> {
  const response = await fetch(pageUrl(url))
  if (!response.ok) throw new Error(`Expected the page ${url}, the server answered ${response.status}.`)
  return createImageBitmap(await response.blob())
}

/** The whole URL of a page. */
function pageUrl(url: string): string {
  return new URL(url, document.baseURI).href
}

/** How the pages of an atlas are scaled: pixel art by its nearest pixel, all else as the game has it. */
export function scaleModeOf(data: AtlasData): 'nearest' | 'linear' {
  return data.pixelArt ? 'nearest' : (TextureStyle.defaultOptions.scaleMode ?? 'linear')
}

/** New textures of all frames, cut by PixiJS's own parser. */
export function cutPages(data: AtlasData, sources: readonly TextureSource[]): Record<string, Texture> {
  const textures: Record<string, Texture> = {}
  for (const page of data.pages.keys()) {
    const source = sources[page]
    if (source) Object.assign(textures, new Spritesheet({ texture: source, data: toSheetData(data, page) }).parseSync())
  }
  return textures
}

/**
 * The frames of an animation with their times; PixiJS knows no yoyo, so the way back is written out, its ends once.
 *
 * @param name `hero/walk`.
 * @throws an error with the names that there are.
 */
export function toFrameObjects(atlas: LoadedAtlas, name: string): FrameObject[] {
  return toRound(atlas.data, name).map(([frame, time]) => ({ texture: atlas.textures[frame] ?? Texture.EMPTY, time }))
}

/**
 * The names and times of a whole round of an animation, there and back.
 *
 * @throws an error with the names that there are.
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
