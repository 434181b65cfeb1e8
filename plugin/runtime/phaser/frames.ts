import type Phaser from 'phaser'
import type { AtlasData } from '../shared/data.ts'
import { toTextures } from './data.ts'
import type { LiveFrame, LiveSource, LiveTexture } from './live.ts'
import { mirrorFrames, unmirror } from './mirrored.ts'

/** Frames that a texture no longer has. They show the missing-texture picture until they come back. */
const goneFrames = new WeakSet<LiveFrame>()

/** `Phaser.Textures.FilterMode`. */
const [linear, nearest] = [0, 1]

/**
 * Puts the pages of the new atlas under the same Texture. A page that is already shown stays on the graphics
 * card.
 *
 * @param images By URL, the pages that are not shown yet.
 * @returns The sources that are not needed any more. They are to be destroyed when nothing shows them.
 */
export function replaceSources(
  game: Phaser.Game,
  texture: LiveTexture,
  was: AtlasData | undefined,
  now: AtlasData,
  images: ReadonlyMap<string, HTMLImageElement | HTMLCanvasElement>,
): readonly LiveSource[] {
  const { source: pages, dataSource: maps } = texture
  const old = [...pages, ...maps.flatMap((map) => map ?? [])]
  const Source = old[0]?.constructor as new (owner: unknown, image: HTMLImageElement | HTMLCanvasElement) => LiveSource
  const shown = new Map<string | undefined, LiveSource | undefined>()
  for (const [index, { url, normals }] of was?.pages.entries() ?? []) shown.set(url, pages[index]).set(normals, maps[index])
  const filter = filterOf(game, old[0], was, now)
  const sourceOf = (url: string): LiveSource => shown.get(url) ?? new Source(texture, images.get(url) as HTMLImageElement)
  texture.source = now.pages.map(({ url }) => sourceOf(url))
  texture.dataSource = now.pages.map(({ normals }) => (normals ? sourceOf(normals) : undefined))
  const all = [...texture.source, ...texture.dataSource.flatMap((map) => map ?? [])]
  for (const source of all) if (source.scaleMode !== filter) source.setFilter(filter)
  return old.filter((source) => !all.includes(source))
}

/** The filter that the game has set, unless pixel art begins or ends. */
function filterOf(game: Phaser.Game, source: LiveSource | undefined, was: AtlasData | undefined, now: AtlasData): number {
  if (now.pixelArt) return nearest
  if (was?.pixelArt) return game.config.antialias ? linear : nearest
  return source?.scaleMode ?? linear
}

/**
 * Cuts the pages again. Each frame keeps its object, so that sprites, emitters and animations keep theirs. A
 * gone frame becomes the missing-texture picture. The texture still finds it by name, because an emitter looks
 * up the frame of each particle, but does not list it.
 *
 * @returns Names that are gone since the last swap.
 */
export function replaceFrames(textures: Phaser.Textures.TextureManager, texture: LiveTexture, now: AtlasData): readonly string[] {
  const old = texture.frames
  cut(texture, now)
  const missing = (textures.get('__MISSING') as unknown as LiveTexture).frames.__BASE
  return Object.getOwnPropertyNames(old).filter((name) => {
    const frame = old[name] as LiveFrame
    const fresh = texture.frames[name]
    const wasGone = goneFrames.has(frame)
    unmirror(frame)
    // A gone frame keeps its own texture. If it took the texture of the missing picture, an object that gets
    // the frame would change its texture.
    Object.assign(frame, fresh ?? { ...missing, name, texture })
    if (fresh) goneFrames.delete(frame)
    else goneFrames.add(frame)
    Object.defineProperty(texture.frames, name, { value: frame, enumerable: !!fresh, writable: true, configurable: true })
    return !fresh && !wasGone
  })
}

/** Fills an emptied texture as Phaser's atlas parser does. */
function cut(texture: LiveTexture, atlas: AtlasData): void {
  Object.assign(texture, { frames: {}, frameTotal: 0, firstFrame: '__BASE', customData: {} })
  const base = atlas.pages[0]
  if (base) texture.add('__BASE', 0, 0, 0, base.width, base.height)
  for (const [page, { frames }] of toTextures(atlas).entries()) {
    for (const data of frames) {
      const { x, y, w, h } = data.frame
      const frame = texture.add(data.filename, page, x, y, w, h)
      if (!frame) continue
      const { sourceSize, spriteSourceSize: at, anchor, scale9Borders: middle } = data
      if (data.trimmed) frame.setTrim(sourceSize.w, sourceSize.h, at.x, at.y, at.w, at.h)
      if (anchor) Object.assign(frame, { customPivot: true, pivotX: anchor.x, pivotY: anchor.y })
      if (middle) frame.setScale9(middle.x, middle.y, middle.w, middle.h)
      frame.customData = { ...data }
    }
  }
  mirrorFrames(texture, atlas)
}
