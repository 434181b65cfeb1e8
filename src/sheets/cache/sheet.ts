import { type PageFormat, type PageLists, pagesOf } from '../../../atlas/index.ts'
import { bordersOf } from '../../sprite-spec/borders.ts'
import { buildKey } from '../../sprite-spec/key.ts'
import { animationId } from '../../sprite-spec/request.ts'
import { frameName } from '../../sprite-spec/spec.ts'
import { optionsOf } from '../encode.ts'
import { looksOf, ownerOf } from '../frames.ts'
import { bakedMirrors, withBaked } from '../mirrors.ts'
import type { BuiltLayer, BuiltPage, PackedAtlas, PackedGroup, SheetOptions } from '../model.ts'
import type { SheetInput } from '../sources.ts'
import { animationKey } from './animation.ts'
import { type BuildCache, formatVersion } from './cache.ts'
import { packFile, unpackFile } from './packed-file.ts'
import { type GroupHead, type PageHead, readGroupHead } from './schema.ts'

/** A group of animations to pack. */
export interface AskedGroup {
  readonly name: string
  readonly members: readonly SheetInput[]
  readonly options: SheetOptions
}

/** Cache key of a group: a hash of all inputs of its pages and of the frames' positions on them. */
export function sheetKey({ name, members, options }: AskedGroup, codec = ''): string {
  const { canMirror: _, ...ofPages } = options
  const toPart = (input: SheetInput): object => {
    const mirrors = bakedMirrors(input, options)
    const { extrude, padding, anchor, boxes } = input.spec
    const borders = bordersOf(input.spec, input.animation)
    const looks = looksOf(input.spec)
    return {
      frames: animationKey(input, codec),
      extrude,
      padding,
      borders: borders ?? null,
      anchor: anchor ?? null,
      boxes: boxes ?? null,
      looks: looks ?? null,
      ...(mirrors.length > 0 ? { mirrors } : {}),
    }
  }
  return buildKey({ formatVersion, codec, name, scales: scalesOf(members), options: ofPages, members: members.map(toPart) })
}

/** The scales of a group, largest first. */
export function scalesOf(members: readonly SheetInput[]): readonly number[] {
  return [...new Set(members.flatMap((input) => input.spec.scales))].sort((a, b) => b - a)
}

/**
 * Reads the pages of a group from the cache. Returns `undefined` if the cache has none, or if they do not fit
 * the specs.
 */
export async function readSheet(asked: AskedGroup, cache: BuildCache, codec?: string): Promise<PackedGroup | undefined> {
  const bytes = await cache.read(sheetKey(asked, codec))
  const group = bytes && unpackSheet(bytes)
  return group && isGroupOf(group, asked) ? group : undefined
}

/** Caches the pages of a group. */
export async function writeSheet(asked: AskedGroup, group: PackedGroup, cache: BuildCache, codec?: string): Promise<void> {
  await cache.write(sheetKey(asked, codec), ...packSheet(group))
}

function packSheet({ atlases, ...rest }: PackedGroup): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  const toHead = ({ bytes, ...page }: BuiltPage): PageHead => {
    parts.push(bytes)
    return { ...page, length: bytes.length }
  }
  const heads = atlases.map(({ layers, ...atlas }) => ({
    ...mapPages(atlas, toHead),
    ...(layers ? { layers: layers.map((layer) => mapPages(layer, toHead)) } : {}),
  }))
  const head: GroupHead = { ...rest, atlases: heads }
  return packFile(head, parts)
}

/** Converts the pages of an atlas or a layer, always in the same order. */
function mapPages<From, To, All extends PageLists<From>>({ pages, alternates, ...rest }: All, convert: (page: From) => To) {
  return { ...rest, pages: pages.map(convert), ...(alternates ? { alternates: alternates.map((list) => list.map(convert)) } : {}) }
}

/** Pages are views on the bytes. Returns `undefined` if the bytes of the pages do not fill the file exactly. */
function unpackSheet(file: Uint8Array): PackedGroup | undefined {
  const packed = unpackFile(file, readGroupHead)
  if (!packed) return undefined
  const { head, bytes } = packed
  let end = 0
  const total = head.atlases.flatMap(pagesOf).reduce((sum, { length }) => sum + length, 0)
  if (total !== bytes.length) return undefined
  const toPage = ({ length, ...page }: PageHead): BuiltPage => {
    end += length
    return { ...page, bytes: new Uint8Array(bytes.buffer, bytes.byteOffset + end - length, length) }
  }
  const atlases = head.atlases.map(({ layers, ...atlas }) => ({
    ...mapPages(atlas, toPage),
    ...(layers ? { layers: layers.map((layer) => mapPages(layer, toPage)) } : {}),
  }))
  return { ...head, atlases }
}

/**
 * Whether a group is the requested group and complete: its frames are on its pages, and every animation has its
 * frames.
 */
function isGroupOf({ atlases, quality }: PackedGroup, asked: AskedGroup): boolean {
  const ids = new Set(asked.members.map(({ spec, animation }) => animationId(spec, animation)))
  return (
    atlases.map(({ scale }) => scale).join() === scalesOf(asked.members).join() &&
    atlases.every((atlas) => isAtlasOf(atlas, asked)) &&
    quality.every(({ id }) => ids.has(id))
  )
}

function isAtlasOf(atlas: PackedAtlas, { name, members, options }: AskedGroup): boolean {
  const isWhole = ({ pages, alternates = [] }: PageLists<BuiltPage>, count: number, given = options.encodings): boolean => {
    const encodings = given.length === 0 ? ['png'] : given
    return (
      alternates.length === encodings.length - 1 &&
      [pages, ...alternates].every((list, at) => list.length === count && list.every((page) => isPicture(page, encodings[at])))
    )
  }
  const owners = new Set(members.map(({ spec }) => spec.name))
  const frames = new Set(atlas.frames.map((frame) => frame.name))
  const known = new Set(members.flatMap((input) => withBaked(input, options).map((one) => ownerOf(frameName(input.spec, one, 0)))))
  const found = new Set(atlas.frames.map((frame) => ownerOf(frame.name)))
  return (
    atlas.name === name &&
    isWhole(atlas, atlas.pages.length) &&
    (atlas.layers ?? []).every(
      (layer) =>
        isWhole(layer, layer.of.length, optionsOf(layer, options).encodings) &&
        isLayerOf(layer, atlas) &&
        layer.sprites.every((one) => owners.has(one)),
    ) &&
    frames.size === atlas.frames.length &&
    atlas.frames.every((frame) => liesOnPage(frame, atlas.pages)) &&
    found.size === known.size &&
    [...found].every((animation) => known.has(animation)) &&
    members.every(({ spec, animation }) => (animation.use ?? []).every((index) => frames.has(frameName(spec, animation, index))))
  )
}

/** Whether a layer has the sizes of its pages in the atlas, and all pages with frames of its sprites. */
function isLayerOf({ of, pages, sprites }: BuiltLayer, atlas: PackedAtlas): boolean {
  return (
    of.every((index, at) => pages[at]?.width === atlas.pages[index]?.width && pages[at]?.height === atlas.pages[index]?.height) &&
    atlas.frames.every(({ name, page }) => !sprites.includes(name.split('/')[0]!) || of.includes(page))
  )
}

/** Whether a frame is inside its page, and its visible part inside the untrimmed frame. */
function liesOnPage(frame: PackedAtlas['frames'][number], pages: readonly BuiltPage[]): boolean {
  const { page, x, y, width, height, isTurned = false, offsetX, offsetY, sourceWidth, sourceHeight } = frame
  const place = pages[page]
  const [across, down] = isTurned ? [height, width] : [width, height]
  const isOnPage = place !== undefined && x + across <= place.width && y + down <= place.height
  return isOnPage && offsetX + width <= sourceWidth && offsetY + height <= sourceHeight
}

/** Whether a page begins with the signature of its encoding, and its type names the same encoding. */
function isPicture({ bytes, extension, contentType }: BuiltPage, encoding: string | undefined): boolean {
  const has = (text: string, at: number): boolean => Buffer.from(bytes.subarray(at, at + text.length)).toString('latin1') === text
  const starts: Readonly<Record<PageFormat, boolean>> = {
    png: has('\x89PNG\r\n\x1a\n', 0),
    webp: has('RIFF', 0) && has('WEBP', 8),
    avif: has('ftypavi', 4),
    ktx2: has('\xabKTX 20\xbb\r\n\x1a\n', 0),
  }
  return extension === encoding && contentType === `image/${extension}` && starts[extension]
}
