import { isSrgb } from '../../png/gamut.ts'
import { blendModes } from './blend.ts'
import type { AsepriteBudget } from './budget.ts'
import type { Fields } from './fields.ts'
import { type AsepriteRectangle, type AsepriteSlice, type AsepriteSliceKey, type AsepriteTag, directions, NO_PIVOT } from './file.ts'
import { refuseAseprite } from './refuse.ts'
import type { Cel, Header, Layer, Moment, StoredImage, TileMasks, Tileset } from './sprite.ts'

/** The content of the chunks read so far. */
export interface Seen {
  readonly header: Header
  readonly budget: AsepriteBudget
  readonly layers: Layer[]
  /** The last layer and the groups around it, from the outside. */
  readonly groups: Layer[]
  readonly tilesets: Map<number, Tileset>
  readonly tags: AsepriteTag[]
  readonly slices: AsepriteSlice[]
  palette: Uint32Array
  hasNewPalette: boolean
}

/** Cels name their layer by 16 bits. */
const MAX_LAYERS = 2 ** 16
/** Groups inside each other. */
const MAX_LEVEL = 100
/** Number of pixels with about the same memory as a tag or a key of a slice. */
const ENTRY_PIXELS = 32

const kinds = ['image', 'group', 'tilemap'] as const

/** Reads a layer chunk (0x2004). */
export function readLayer(fields: Fields, seen: Seen): void {
  const { layers, groups, header } = seen
  const index = layers.length
  if (index === MAX_LAYERS) refuseAseprite('too-many-layers', `expected at most ${MAX_LAYERS} layers, found more.`)
  const flags = fields.word()
  const type = fields.word()
  const kind = kinds[type] ?? refuseAseprite('layer-type', `expected an image, a group or a tilemap in layer ${index}, found type ${type}.`)
  const level = fields.word()
  const parent = groups[level - 1]
  if (level > Math.min(groups.length, MAX_LEVEL) || (level > 0 && parent?.kind !== 'group'))
    refuseAseprite('layer-level', `expected layer ${index} in a group and at most ${MAX_LEVEL} deep, found it at level ${level}.`)
  fields.skip(4)
  const blend = fields.word()
  const opacity = fields.byte()
  fields.skip(3)
  fields.skip(fields.word())
  const isVisible = (flags & 1) !== 0 && parent?.isVisible !== false
  const isBackground = (flags & 8) !== 0
  if (isBackground && (index > 0 || kind === 'group'))
    refuseAseprite('background', `expected the background below all layers, found it in layer ${index}.`)
  const hasBlend = !isBackground && (kind !== 'group' || header.composesGroups)
  const shown = hasBlend && header.hasLayerOpacity ? opacity : 255
  const mode =
    blendModes[hasBlend ? blend : 0] ??
    refuseAseprite('blend-mode', `expected a blend mode below ${blendModes.length} in layer ${index}, found ${blend}.`)
  const tileset = kind === 'tilemap' ? fields.dword() : 0
  const layer: Layer = { index, kind, parent, isVisible, isBackground, isReference: (flags & 64) !== 0, mode, opacity: shown, tileset }
  layers.push(layer)
  groups.splice(level, groups.length, layer)
}

/**
 * Reads a cel chunk (0x2005).
 *
 * @param cels The cels of this frame, to which the new cel is added.
 */
export function readCel(fields: Fields, seen: Seen, cels: Map<number, Cel>, earlier: readonly Moment[]): void {
  const index = fields.word()
  const what = `layer ${index} of frame ${earlier.length}`
  const layer = seen.layers[index] ?? refuseAseprite('cel-layer', `expected an image or a tilemap at ${what}, found no layer.`)
  if (layer.kind === 'group') refuseAseprite('cel-layer', `expected an image or a tilemap at ${what}, found a group.`)
  if (cels.has(index)) refuseAseprite('cel-twice', `expected one cel in ${what}, found two.`)
  const [x, y, opacity, type, zIndex] = [fields.short(), fields.short(), fields.byte(), fields.word(), fields.short()]
  fields.skip(5)
  const image = type === 1 ? linkedImage(fields.word(), index, earlier, what) : readImage(fields, type, seen, layer, what)
  if (image !== undefined) cels.set(index, { x, y, opacity, zIndex, image })
}

function linkedImage(frame: number, index: number, earlier: readonly Moment[], what: string): StoredImage {
  const cel = earlier[frame]?.cels.get(index)
  return cel?.image ?? refuseAseprite('link', `expected ${what} to link to a cel of an earlier frame, found no cel in frame ${frame}.`)
}

/** Returns `undefined` for an image without pixels. */
function readImage(fields: Fields, type: number, { header }: Seen, layer: Layer, what: string): StoredImage | undefined {
  const expected = layer.kind === 'tilemap' ? 'tiles' : 'pixels'
  if (type > 3 || (type === 3) !== (layer.kind === 'tilemap'))
    refuseAseprite('cel-type', `expected a cel of ${expected} in ${what}, found type ${type}.`)
  const [width, height] = [fields.word(), fields.word()]
  const masks = type === 3 ? readMasks(fields, what) : undefined
  const bytes = fields.bytes()
  if (width * height === 0) return undefined
  return { width, height, bytes, unitBytes: masks ? 4 : header.pixelBytes, isPacked: type !== 0, masks }
}

function readMasks(fields: Fields, what: string): TileMasks {
  const bits = fields.word()
  const masks = { id: fields.dword(), flipX: fields.dword(), flipY: fields.dword(), diagonal: fields.dword() }
  const all = Object.values(masks)
  const isSound =
    all.every((mask) => mask !== 0) && all.reduce((sum, mask) => sum + mask) === all.reduce((union, mask) => (union | mask) >>> 0)
  if (bits !== 32 || !isSound)
    refuseAseprite('tile-bits', `expected tiles of 32 bits with separate masks in ${what}, found others.`, { bits, ...masks })
  fields.skip(10)
  return masks
}

/** Reads a tileset chunk (0x2023). */
export function readTileset(fields: Fields, { tilesets, header }: Seen): void {
  const id = fields.dword()
  const flags = fields.dword()
  const [count, width, tileHeight] = [fields.dword(), fields.word(), fields.word()]
  fields.skip(16)
  const name = fields.string().slice(0, 80)
  if ((flags & 3) !== 2)
    refuseAseprite(
      'external-tileset',
      `expected the tiles of tileset ${id} in the file, found another file named, or none. Embed "${name}" in the sprite.`,
    )
  if (count * width * tileHeight === 0) refuseAseprite('tileset', `expected at least one tile of one pixel in tileset ${id}, found none.`)
  if (tilesets.has(id)) refuseAseprite('tileset-twice', `expected one tileset ${id}, found two.`)
  const bytes = fields.bytes(fields.dword())
  const image = { width, height: tileHeight * count, bytes, unitBytes: header.pixelBytes, isPacked: true }
  tilesets.set(id, { tileHeight, count, image, isZeroEmpty: (flags & 4) !== 0 })
}

/** Reads a tags chunk (0x2018). */
export function readTags(fields: Fields, { tags, header, budget }: Seen): void {
  const count = fields.word()
  fields.skip(8)
  for (let left = count; left > 0; left--) {
    budget.keep(ENTRY_PIXELS)
    const [from, to, number, repeat] = [fields.word(), fields.word(), fields.byte(), fields.word()]
    fields.skip(10)
    const name = fields.string()
    if (from > to || to >= header.frames)
      refuseAseprite('tag', `expected tag "${name.slice(0, 80)}" within ${header.frames} frames, found it from ${from} to ${to}.`)
    const direction =
      directions[number] ??
      refuseAseprite('tag-direction', `expected a direction from 0 to 3 in tag "${name.slice(0, 80)}", found ${number}.`)
    tags.push({ name, from, to, direction, repeat })
  }
}

/** Reads a slice chunk (0x2022). */
export function readSlice(fields: Fields, { slices, header, budget }: Seen): void {
  const count = fields.dword()
  const flags = fields.dword()
  fields.skip(4)
  const name = fields.string()
  const keys: AsepriteSliceKey[] = []
  while (keys.length < count) {
    budget.keep(ENTRY_PIXELS)
    const frame = fields.dword()
    if (frame >= header.frames)
      refuseAseprite('slice', `expected slice "${name.slice(0, 80)}" within ${header.frames} frames, found frame ${frame}.`)
    const bounds = readRectangle(fields)
    const center = (flags & 1) !== 0 ? readRectangle(fields) : undefined
    const pivot = (flags & 2) !== 0 ? { x: fields.long(), y: fields.long() } : undefined
    keys.push({
      frame,
      ...bounds,
      ...(center !== undefined && center.width * center.height > 0 ? { center } : {}),
      ...(pivot !== undefined && (pivot.x !== NO_PIVOT || pivot.y !== NO_PIVOT) ? { pivot } : {}),
    })
  }
  slices.push({ name, keys })
}

function readRectangle(fields: Fields): AsepriteRectangle {
  return { x: fields.long(), y: fields.long(), width: fields.dword(), height: fields.dword() }
}

/** Checks a colour profile chunk (0x2007). Colours are read as sRGB, so a file of another profile is refused. */
export function readProfile(fields: Fields): void {
  const type = fields.word()
  const hasGamma = (fields.word() & 1) !== 0
  fields.skip(12)
  const isKnown = type <= 1 ? !hasGamma : type === 2 && isSrgb(fields.bytes(fields.dword()))
  if (!isKnown)
    refuseAseprite('colour-profile', 'expected the colours of sRGB, found another profile. Convert it in Sprite > Properties.', { type })
}
