import { Assets, Cache, Spritesheet, Texture } from 'pixi.js'
import type { AtlasData } from './data.ts'
import { toSheetData } from './pixi-data.ts'

/** An atlas that a page has loaded; a swap changes it in place. */
export interface LoadedAtlas {
  data: AtlasData
  sheets: Spritesheet[]
  /** By frame name: the Texture objects that sprites hold. */
  readonly textures: Record<string, Texture>
}

/**
 * Replaces the art of a loaded atlas: every Texture that a sprite may hold keeps its identity and shows the new frame. Frames that are gone become empty, with a warning.
 *
 * The new pages are loaded and cut first; the rest happens in one task.
 */
export async function swapAtlas(loaded: LoadedAtlas, next: AtlasData): Promise<void> {
  const oldUrls = loaded.data.pages.map((page) => new URL(page.url, document.baseURI).href)
  const sheets = await Promise.all(next.pages.map((page, index) => cutPage(next, page.url, index)))
  const fresh: Record<string, Texture> = Object.assign({}, ...sheets.map((sheet) => sheet.textures))
  const gone: string[] = []
  for (const [name, texture] of Object.entries(loaded.textures)) {
    const source = fresh[name]
    if (source) become(texture, source)
    else {
      gone.push(name)
      become(texture, Texture.EMPTY)
      Cache.remove(name)
      delete loaded.textures[name]
    }
  }
  for (const [name, texture] of Object.entries(fresh)) {
    if (loaded.textures[name]) continue
    loaded.textures[name] = texture
    Cache.set(name, texture)
  }
  loaded.data = next
  loaded.sheets = sheets
  const kept = new Set(next.pages.map((page) => new URL(page.url, document.baseURI).href))
  for (const url of oldUrls) if (!kept.has(url)) await Assets.unload(url)
  if (gone.length > 0) console.warn(`[spritewright] frames of "${next.key}" are gone and show nothing: ${gone.join(', ')}`)
}

async function cutPage(atlas: AtlasData, url: string, index: number): Promise<Spritesheet> {
  const data = { resolution: atlas.scale, ...(atlas.pixelArt ? { scaleMode: 'nearest' as const } : {}) }
  const texture = await Assets.load<Texture>({ src: new URL(url, document.baseURI).href, parser: 'texture', data })
  const sheet = new Spritesheet({ texture, data: toSheetData(atlas, index) })
  await sheet.parse()
  return sheet
}

/** The fields of a Texture that its typings keep from being set. */
interface LiveTexture {
  orig: Texture['orig']
  trim: Texture['trim'] | null
  rotate: number
  defaultAnchor?: Texture['defaultAnchor']
}

/** Everything that makes a picture goes over to the Texture that is in use, and those that listen to it are told. */
function become(texture: Texture, source: Texture): void {
  if (texture === source) return
  const live: LiveTexture = texture
  const isWhole = texture.orig === texture.frame
  texture.source = source.source
  texture.frame.copyFrom(source.frame)
  if (isWhole) live.orig = source.orig.clone()
  else texture.orig.copyFrom(source.orig)
  live.trim = source.trim ? source.trim.clone() : null
  live.rotate = source.rotate
  if (source.defaultAnchor) live.defaultAnchor = source.defaultAnchor
  texture.noFrame = false
  texture.update()
}
