import type Phaser from 'phaser'
import type { AtlasData } from '../shared/data.ts'
import { createWeakByName, type WeakByName } from '../shared/swap.ts'
import { toTextures } from './data.ts'
import type { LiveFrame, LiveSource, LiveTexture } from './live.ts'

/**
 * Frames that a texture no longer has. An object that still holds such a frame shows it again when it comes
 * back.
 */
const goneFrames = new WeakMap<LiveTexture, WeakByName<LiveFrame>>()

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
  images: ReadonlyMap<string, HTMLImageElement>,
): readonly LiveSource[] {
  const old = texture.source
  const Source = old[0]?.constructor as new (owner: unknown, image: HTMLImageElement) => LiveSource
  const shown = new Map(was?.pages.map((page, index) => [page.url, old[index]]))
  const filter = filterOf(game, old[0], was, now)
  texture.source = now.pages.map(({ url }) => shown.get(url) ?? new Source(texture, images.get(url) as HTMLImageElement))
  for (const source of texture.source) if (source.scaleMode !== filter) source.setFilter(filter)
  return old.filter((source) => !texture.source.includes(source))
}

/** The filter that the game has set, unless pixel art begins or ends. */
function filterOf(game: Phaser.Game, source: LiveSource | undefined, was: AtlasData | undefined, now: AtlasData): number {
  if (now.pixelArt) return nearest
  if (was?.pixelArt) return game.config.antialias ? linear : nearest
  return source?.scaleMode ?? linear
}

/** The changes to the frames of a texture. */
export interface ReplacedFrames {
  /** Names that are gone since the last swap. */
  readonly gone: readonly string[]
  /**
   * Removes the gone frames from the texture. Until then they count as its frames, so that objects which show
   * one are refreshed.
   */
  forget(): void
}

/**
 * Cuts the pages again. Each frame keeps its object, so that sprites, emitters and animations keep theirs. A
 * gone frame becomes the missing-texture picture.
 */
export function replaceFrames(textures: Phaser.Textures.TextureManager, texture: LiveTexture, now: AtlasData): ReplacedFrames {
  const before = goneFrames.get(texture) ?? createWeakByName<LiveFrame>()
  goneFrames.set(texture, before)
  const old = texture.frames
  const held = new Map([...before.all(), ...Object.entries(old)])
  cut(texture, now)
  const missing = (textures.get('__MISSING') as unknown as LiveTexture).frames.__BASE
  const gone: LiveFrame[] = []
  for (const [name, frame] of held) {
    const fresh = texture.frames[name]
    if (fresh) {
      Object.assign(frame, fresh)
      texture.frames[name] = frame
      before.delete(name)
    } else {
      // The gone frame keeps its own texture. If it took the texture of the missing picture, an object that
      // gets the frame would change its texture.
      Object.assign(frame, missing, { name, texture })
      before.set(name, frame)
      gone.push(frame)
    }
  }
  for (const frame of gone) texture.frames[frame.name] = frame
  return {
    gone: gone.flatMap(({ name }) => (Object.hasOwn(old, name) ? [name] : [])),
    forget: () => {
      for (const { name } of gone) delete texture.frames[name]
    },
  }
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
}
