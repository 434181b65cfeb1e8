import type Phaser from 'phaser'
import type { AtlasData } from '../shared/data.ts'
import { reloadPage } from '../shared/hot.ts'
import { fetchImage, layoutOf, warnOfGone } from '../shared/swap.ts'
import { replaceFrames, replaceSources } from './frames.ts'
import { type LiveObject, type LiveTexture, liveObjects, liveStates } from './live.ts'
import { toPicture } from './mirrored.ts'
import { followAnimations } from './playback.ts'

/** The atlas that a texture shows, if the plugin has loaded or swapped it. */
const shown = new WeakMap<object, AtlasData>()

/** Remembers the atlas that a texture was loaded with. */
export function noteShown(game: Phaser.Game, atlas: AtlasData): void {
  if (game.textures.exists(atlas.key)) shown.set(game.textures.get(atlas.key), atlas)
}

/**
 * The atlas that the game shows under a key. Returns `undefined` if it shows nothing, or a texture of its
 * own.
 */
export function shownAtlas(game: Phaser.Game, key: string): AtlasData | undefined {
  return game.textures.exists(key) ? shown.get(game.textures.get(key)) : undefined
}

/**
 * Replaces the art of an atlas in a running game, in place. Textures, frames and animations keep their
 * identity, and sprites on screen keep playing.
 *
 * New pages are decoded first; the rest happens in one task, between two drawn frames. Gone frames show
 * Phaser's missing-texture picture, with one warning. If an object in the game has copied the layout of the
 * atlas, the page reloads.
 *
 * @param isOvertaken Whether a newer atlas is waiting. If so, this one is dropped.
 */
export async function swapAtlas(game: Phaser.Game, atlas: AtlasData, isOvertaken: () => boolean): Promise<void> {
  if (!game.textures.exists(atlas.key)) return
  const texture = game.textures.get(atlas.key)
  const images = await fetchImages(atlas, shown.get(texture))
  // Meanwhile the game may have ended, or removed the texture.
  if (isOvertaken() || !game.textures?.exists(atlas.key) || game.textures.get(atlas.key) !== texture) return
  try {
    swapNow(game, texture as unknown as LiveTexture, atlas, images)
  } catch (error) {
    reloadPage(`"${atlas.key}" could not be swapped in place (${error instanceof Error ? error.message : String(error)})`)
  }
}

/** Pages by URL. */
type Pictures = ReadonlyMap<string, HTMLImageElement | HTMLCanvasElement>

async function fetchImages(atlas: AtlasData, was: AtlasData | undefined): Promise<Pictures> {
  const urlsOf = ({ pages }: AtlasData): string[] => pages.flatMap(({ url, normals }) => (normals ? [url, normals] : [url]))
  const known = was ? urlsOf(was) : []
  const fresh = urlsOf(atlas).filter((url) => !known.includes(url))
  return new Map(
    await Promise.all(fresh.map(async (url) => [url, toPicture(url, await fetchImage(new URL(url, document.baseURI).href))] as const)),
  )
}

function swapNow(game: Phaser.Game, texture: LiveTexture, atlas: AtlasData, images: Pictures): void {
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
  const gone = isLayoutSame ? [] : replaceFrames(game.textures, texture, atlas)
  followAnimations(game, states, was, atlas)
  for (const [at, object] of users.entries()) refresh(object, texture, origins[at] as Origin)
  for (const source of unused) source.destroy()
  shown.set(texture, atlas)
  warnOfGone(atlas.key, gone)
}

/** Phaser 3 gives a TileSprite a canvas of its own, and has the atlas as displayTexture. */
function shows(object: LiveObject, texture: LiveTexture): boolean {
  return object.texture === texture || object.displayTexture === texture
}

interface Point {
  readonly x: number
  readonly y: number
}

/** The origins that games had set before the anchor of a spec replaced them. */
const ownOrigins = new WeakMap<LiveObject, Point>()

/** Origin, slices and body of an object before a swap. */
interface Origin extends Point {
  /** Whether the origin is the anchor of the frame. */
  readonly isAnchor: boolean
  /** Whether the object is sliced at the borders of the frame. */
  readonly isSliced: boolean
  /** Whether its Arcade body has the size of the frame. */
  readonly hasFrameBody: boolean
}

function originOf(object: LiveObject): Origin {
  const { frame, originX = 0.5, originY = 0.5, leftWidth, topHeight, is3Slice = false } = object
  const { scale9 = false, scale9Borders: middle } = frame?.data ?? {}
  return {
    x: originX,
    y: originY,
    isAnchor: frame?.customPivot === true && originX === frame.pivotX && originY === frame.pivotY,
    // A nine-slice without slices above and below counts its whole height as the upper one.
    isSliced: scale9 && middle?.x === leftWidth && (is3Slice || middle?.y === topHeight),
    hasFrameBody: hasFrameBody(object),
  }
}

/** A static body has the size that is drawn, and a dynamic one also keeps its size before scaling. */
function hasFrameBody({ body, frame, displayWidth, displayHeight }: LiveObject): boolean {
  if (!body || body.isCircle) return false
  const { sourceWidth, sourceHeight, width, height } = body
  if (sourceWidth === undefined) return width === displayWidth && height === displayHeight
  return sourceWidth === frame?.realWidth && sourceHeight === frame.realHeight
}

/**
 * Sets the origin after a swap. When the spec gets an anchor, the game's own origin is remembered. When the
 * anchor is removed, that origin is restored.
 */
function placeAnew(object: LiveObject, before: Origin): void {
  if (object.frame?.customPivot) {
    if (!before.isAnchor) ownOrigins.set(object, before)
  } else if (before.isAnchor) {
    const { x, y } = ownOrigins.get(object) ?? { x: 0.5, y: 0.5 }
    object.setOrigin?.(x, y)
  }
}

/** Refreshes an object. Size, origin and hit area come from the frame, so the frame is set again. */
function refresh(object: LiveObject, texture: LiveTexture, before: Origin): void {
  if (object.type === 'TileSprite') {
    if (object.displayTexture === texture) object.setFrame?.(object.displayFrame?.name)
    else {
      // The canvas renderer draws again if the frame is another one than before.
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
  if (before.hasFrameBody) {
    object.body?.setSize(0, 0, false)
    object.body?.updateFromGameObject()
  }
}
