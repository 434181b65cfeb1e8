import { Assets, type FrameObject, Spritesheet, Texture, type TextureSource, TextureStyle } from 'pixi.js'
import type { AnimationData, AtlasData, PageData } from './data.ts'
import { toSheetData } from './pixi-data.ts'
import { parserOf } from './pixi-image.ts'

/** An atlas that a page has loaded; a swap changes it in place. */
export interface LoadedAtlas {
  data: AtlasData
  /** The pictures of its pages, in order. There may be more of them than pages: one that was needed once is kept. */
  readonly sources: TextureSource[]
  /** By frame name: the Texture objects that sprites hold. */
  readonly textures: Record<string, Texture>
  /** Textures of frames that it had once: what still holds one shows it again when it comes back. */
  readonly gone: Record<string, Texture>
}

/** Fetches the pages of an atlas and cuts them. */
export async function fetchAtlas(data: AtlasData): Promise<LoadedAtlas> {
  const pages = await Promise.all(data.pages.map((page) => fetchPage(page, data)))
  const sources = pages.map((page) => page.source)
  return { data, sources, textures: cutPages(data, sources), gone: {} }
}

/** Of several encodings PixiJS takes the best that the browser shows; the names of the files are no help, a bundler may have made them. */
async function fetchPage({ url, format, also = [] }: PageData, data: AtlasData): Promise<Texture> {
  if (format === 'ktx2' && !Assets.loader.parsers.some(({ id }) => id === format))
    throw new Error(
      `Expected PixiJS to load KTX2, found that it cannot. Import 'pixi.js/ktx2' before the sprites of "${data.key}" are loaded.`,
    )
  const options = { resolution: data.scale, scaleMode: scaleModeOf(data) }
  const choice = [{ url, format }, ...also].map((one) => ({
    src: pageUrl(one.url),
    // PixiJS chooses KTX2 under the name of what it holds.
    ...(one.format === undefined ? {} : { format: one.format === 'ktx2' ? 'basis' : one.format }),
    parser: parserOf(one.format),
    data: options,
  }))
  const texture = await Assets.load<Texture>({ src: choice })
  // What loads KTX2 leaves it out.
  texture.source.scaleMode = options.scaleMode
  return texture
}

/** The whole URL of a page. */
export function pageUrl(url: string): string {
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
  const animation = atlas.data.animations[name]
  if (!animation) {
    const known = Object.keys(atlas.data.animations).join(', ')
    throw new Error(`Expected an animation "${name}" in the atlas "${atlas.data.key}", found: ${known}.`)
  }
  return walk(animation).map(([frame, time]) => ({ texture: atlas.textures[frame] ?? Texture.EMPTY, time }))
}

function walk(animation: AnimationData): AnimationData['frames'] {
  if (!animation.yoyo || animation.frames.length < 2) return animation.frames
  const back = animation.frames.slice(animation.loop ? 1 : 0, -1).reverse()
  return [...animation.frames, ...back]
}
