import type Phaser from 'phaser'
import type { AtlasData } from '../shared/data.ts'
import { reloadPage } from '../shared/hot.ts'
import { fetchImage, warnOfGone } from '../shared/swap.ts'
import { replaceFrames, replaceSources } from './frames.ts'
import { type LiveObject, type LiveTexture, liveObjects, liveStates } from './live.ts'
import { followAnimations } from './playback.ts'

/** What a texture shows: where it was loaded or swapped by us. */
const shown = new WeakMap<object, AtlasData>()

/** Remembers the atlas that a texture was loaded with. */
export function noteShown(game: Phaser.Game, atlas: AtlasData): void {
  if (game.textures.exists(atlas.key)) shown.set(game.textures.get(atlas.key), atlas)
}

/** What the game shows under the key of an atlas; undefined where it shows nothing, or what is none of ours. */
export function shownAtlas(game: Phaser.Game, key: string): AtlasData | undefined {
  return game.textures.exists(key) ? shown.get(game.textures.get(key)) : undefined
}

/**
 * Replaces the art of an atlas in a running game, in place: textures, frames and animations keep their identity, sprites on screen go on playing.
 *
 * New pages are decoded first; the rest happens in one task, between two drawn frames. Frames that are gone show Phaser's missing-texture picture, with one warning. Where something in
 * the game has copied the layout of the atlas, the page is loaded anew.
 *
 * @param isOvertaken Whether a newer atlas waits already: this one is given up then.
 */
export async function swapAtlas(game: Phaser.Game, atlas: AtlasData, isOvertaken: () => boolean): Promise<void> {
  if (!game.textures.exists(atlas.key)) return
  const texture = game.textures.get(atlas.key)
  const images = await fetchImages(atlas, shown.get(texture))
  // Meanwhile the game may have ended, or done away with the texture.
  if (isOvertaken() || !game.textures?.exists(atlas.key) || game.textures.get(atlas.key) !== texture) return
  try {
    swapNow(game, texture as unknown as LiveTexture, atlas, images)
  } catch (error) {
    reloadPage(`"${atlas.key}" could not be swapped in place (${error instanceof Error ? error.message : String(error)})`)
  }
}

async function fetchImages(atlas: AtlasData, was: AtlasData | undefined): Promise<ReadonlyMap<string, HTMLImageElement>> {
  const isShown = (url: string): boolean => was?.pages.some((page) => page.url === url) === true
  const fresh = atlas.pages.filter(({ url }) => !isShown(url))
  return new Map(await Promise.all(fresh.map(async ({ url }) => [url, await fetchImage(new URL(url, document.baseURI).href)] as const)))
}

function swapNow(game: Phaser.Game, texture: LiveTexture, atlas: AtlasData, images: ReadonlyMap<string, HTMLImageElement>): void {
  const was = shown.get(texture)
  const states = liveStates(game)
  const isLayoutSame = was !== undefined && layoutOf(was) === layoutOf(atlas)
  const users = isLayoutSame ? [] : [...liveObjects(game, states)].filter((object) => shows(object, texture))
  if (users.some(({ type }) => type === 'SpriteGPULayer')) {
    reloadPage(`a SpriteGPULayer shows "${atlas.key}", and has copied where its frames lay`)
    return
  }
  const origins = users.map(originOf)
  const unused = isLayoutSame ? [] : replaceSources(game, texture, was, atlas, images)
  const frames = isLayoutSame ? undefined : replaceFrames(game.textures, texture, atlas)
  followAnimations(game, states, was, atlas)
  for (const [at, object] of users.entries()) refresh(object, texture, origins[at] as Origin)
  frames?.forget()
  for (const source of unused) source.destroy()
  shown.set(texture, atlas)
  warnOfGone(atlas.key, frames?.gone ?? [])
}

/** Everything that makes pictures; what is left is how they are played. */
function layoutOf({ pages, frames, borders, outlines, pixelArt }: AtlasData): string {
  return JSON.stringify([pages, frames, borders, outlines, pixelArt])
}

/** Phaser 3 gives a TileSprite a canvas of its own: there the atlas is displayTexture. */
function shows(object: LiveObject, texture: LiveTexture): boolean {
  return object.texture === texture || object.displayTexture === texture
}

interface Point {
  readonly x: number
  readonly y: number
}

/** The origins that games had set before an anchor of the spec won over them. */
const ownOrigins = new WeakMap<LiveObject, Point>()

/** What an object is turned, placed and sliced by, before a swap. */
interface Origin extends Point {
  /** Whether it is the anchor of the frame. */
  readonly isAnchor: boolean
  /** Whether it is sliced where the frame says. */
  readonly isSliced: boolean
}

function originOf({ frame, originX = 0.5, originY = 0.5, leftWidth, topHeight, is3Slice = false }: LiveObject): Origin {
  const { scale9 = false, scale9Borders: middle } = frame?.data ?? {}
  return {
    x: originX,
    y: originY,
    isAnchor: frame?.customPivot === true && originX === frame.pivotX && originY === frame.pivotY,
    // One without slices above and below counts all of its height as the upper one.
    isSliced: scale9 && middle?.x === leftWidth && (is3Slice || middle?.y === topHeight),
  }
}

/** Where the spec's anchor comes, the game's own origin is kept in mind; where it goes, that is what counts again. */
function placeAnew(object: LiveObject, before: Origin): void {
  if (object.frame?.customPivot) {
    if (!before.isAnchor) ownOrigins.set(object, before)
  } else if (before.isAnchor) {
    const { x, y } = ownOrigins.get(object) ?? { x: 0.5, y: 0.5 }
    object.setOrigin?.(x, y)
  }
}

/** Size, origin and hit area come from the frame: they are told anew. */
function refresh(object: LiveObject, texture: LiveTexture, before: Origin): void {
  if (object.type === 'TileSprite') {
    if (object.displayTexture === texture) object.setFrame?.(object.displayFrame?.name)
    else {
      // The canvas renderer draws anew what is another frame than before.
      object.currentFrame = null
      object.dirty = true
    }
    return
  }
  object.setFrame?.(object.frame)
  placeAnew(object, before)
  if (object.type === 'NineSlice' && before.isSliced && object.frame?.data?.scale9) object.setSlices?.(object.width, object.height)
  if (object.type === 'Rope' || object.type === 'NineSlice') object.updateUVs?.()
  if (object.type === 'Blitter') object.dirty = true
}
