import { type AtlasAnimation, encodePages, makeAtlas, type PlacedFrame, scaleSequence, withOutlines } from '../../atlas/index.ts'
import { SpritewrightError } from '../errors.ts'
import { buildKey } from '../spec/key.ts'
import { referencePath } from '../spec/reference.ts'
import type { SpriteSpec } from '../spec/spec.ts'
import { sha256 } from '../vault/objects.ts'
import type { BuildCache } from './cache.ts'
import { type DeliveryLayout, readSequence, type SequenceReport, type SheetInput } from './frames.ts'

/** An encoded page: a picture file, named by its content. */
export interface BuiltPage {
  /** SHA-256 of `bytes`, lower-case hex. */
  readonly sha256: string
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
  /** `image/png`, `image/webp`, `image/avif`. */
  readonly contentType: string
  /** `png`, `webp`, `avif`. */
  readonly extension: string
}

/** One group at one scale, encoded. */
export interface BuiltAtlas {
  /** The texture key in Phaser, the alias in PixiJS. */
  readonly name: string
  readonly scale: number
  readonly pixelArt: boolean
  readonly pages: readonly BuiltPage[]
  readonly frames: readonly PlacedFrame[]
  readonly animations: readonly AtlasAnimation[]
}

/** One sprite as a game sees it. */
export interface BuiltSprite {
  readonly name: string
  /** Absolute path of its spec. */
  readonly file: string
  /** Absolute path of the picture that its reference is or begins with, where there is one. */
  readonly picture?: string
  /** Name of the atlas that holds it (at every scale). */
  readonly atlas: string
  /** Untrimmed frame size at scale 1, pixels. */
  readonly width: number
  readonly height: number
  readonly anchor?: { readonly x: number; readonly y: number }
  readonly pixelArt: boolean
  /** Whether any of it is a placeholder. */
  readonly isPlaceholder: boolean
  /** Short names of its animations, in the spec's order. */
  readonly animations: readonly string[]
}

/** Everything that a game needs: sprites, and the atlases that hold them. */
export interface BuiltSheets {
  /** Sorted by name. */
  readonly sprites: readonly BuiltSprite[]
  /** Sorted by name, then by scale, largest first. */
  readonly atlases: readonly BuiltAtlas[]
}

/** How pages are made; every field is a part of the build key. */
export interface SheetOptions {
  /** Longest side of a page, pixels. */
  readonly maxSize: number
  readonly format: 'png' | 'webp' | 'avif'
  readonly quality?: number | undefined
  /** Corners at most of each frame's outline. */
  readonly hull?: number | undefined
}

/** What the making of sheets needs. */
export interface SheetPorts {
  readonly cache: BuildCache
  readonly layout?: DeliveryLayout | undefined
  /** Takes one sentence for a person. */
  readonly warn: (message: string) => void
}

/** Raised whenever equal inputs may give other bytes than before. */
const formatVersion = 2

/**
 * Makes the atlases of a project, each from the cache where nothing that goes into it has changed: no result is opened then.
 *
 * @param grouping `group` packs by the specs' `atlas`, `sprite` makes one atlas a sprite.
 * @throws `SW_DELIVERY`, `SW_SPEC`, or what `atlas/` refuses (`SW_PACK`, `SW_FRAME_SIZE`).
 */
export async function makeSheets(
  inputs: readonly SheetInput[],
  grouping: 'group' | 'sprite',
  options: SheetOptions,
  ports: SheetPorts,
): Promise<BuiltSheets> {
  const groups = groupInputs(inputs, grouping)
  const atlases: BuiltAtlas[] = []
  for (const [name, members] of groups) {
    const scales = [...new Set(members.flatMap((input) => input.spec.scales))].sort((a, b) => b - a)
    const open = once(() => Promise.all(members.map((input) => readSequence(input, ports.layout))))
    for (const scale of scales) atlases.push(await makeOne(name, members, scale, options, ports, open))
  }
  return { sprites: toSprites(inputs, groups, atlases), atlases }
}

/** Groups sorted by name. A page has one filter, so that pixel art and smooth art of one group lie on pages of their own. */
function groupInputs(inputs: readonly SheetInput[], grouping: 'group' | 'sprite'): ReadonlyMap<string, readonly SheetInput[]> {
  const groups = new Map<string, SheetInput[]>()
  for (const input of inputs) {
    const { spec } = input
    const isMixed = inputs.some((other) => other.spec.atlas === spec.atlas && other.spec.pixelArt !== spec.pixelArt)
    const name = grouping === 'sprite' ? spec.name : spec.pixelArt && isMixed ? `${spec.atlas}-pixel` : spec.atlas
    groups.set(name, [...(groups.get(name) ?? []), input])
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function makeOne(
  name: string,
  members: readonly SheetInput[],
  scale: number,
  options: SheetOptions,
  ports: SheetPorts,
  open: () => Promise<readonly SequenceReport[]>,
): Promise<BuiltAtlas> {
  const key = buildKey({
    formatVersion,
    name,
    scale,
    maxSize: options.maxSize,
    format: options.format,
    quality: options.quality ?? null,
    hull: options.hull ?? null,
    members: members.map(keyParts),
  })
  const kept = await ports.cache.read(key)
  if (kept) {
    const { atlas, warnings } = unpackAtlas(kept)
    for (const warning of warnings) ports.warn(warning)
    return atlas
  }
  const reports = await open()
  const warnings = reports.flatMap((report) => report.warnings)
  for (const warning of warnings) ports.warn(warning)
  const sequences = await Promise.all(reports.map(({ sequence }) => (scale === 1 ? sequence : scaleSequence(sequence, scale))))
  const packed = makeAtlas(name, sequences, { maxSize: options.maxSize, scale })
  const atlas = options.hull === undefined ? packed : withOutlines(packed, options.hull)
  const lossless = options.quality === undefined
  const encoded = await encodePages(atlas, {
    format: options.format,
    lossless,
    ...(options.quality === undefined ? {} : { quality: options.quality }),
  })
  const built: BuiltAtlas = {
    name,
    scale,
    pixelArt: atlas.pixelArt,
    frames: atlas.frames,
    animations: atlas.animations,
    pages: encoded.pages.map((page) => ({
      bytes: page.bytes,
      sha256: sha256(page.bytes),
      width: page.width,
      height: page.height,
      contentType: `image/${options.format}`,
      extension: options.format,
    })),
  }
  await ports.cache.write(key, packAtlas(built, warnings))
  return built
}

/** Everything of an animation that shows in an atlas. */
function keyParts(input: SheetInput): unknown {
  const { spec, animation, source } = input
  const { size, pixelArt, anchor, stabilize, trim, extrude, padding } = spec
  const { fps, loop, yoyo, durations, use, frames } = animation
  return {
    name: `${spec.name}/${animation.name}`,
    source: [source.kind, source.sha256, frames],
    sprite: { size: size ?? null, pixelArt, anchor: anchor ?? null, stabilize, trim, extrude, padding },
    play: { fps, loop, yoyo, durations: durations ?? null, use: use ?? null },
  }
}

function toSprites(
  inputs: readonly SheetInput[],
  groups: ReadonlyMap<string, readonly SheetInput[]>,
  atlases: readonly BuiltAtlas[],
): BuiltSprite[] {
  const sprites = new Map<string, BuiltSprite>()
  for (const [atlas, members] of groups) {
    for (const { spec } of members) {
      if (sprites.has(spec.name)) continue
      const own = inputs.filter((input) => input.spec.name === spec.name)
      const main = atlases.find((other) => other.name === atlas)
      const frame = main?.frames.find((other) => other.name.startsWith(`${spec.name}/`))
      if (!main || !frame)
        throw new SpritewrightError('SW_INTERNAL', {
          message: `Expected frames of "${spec.name}" in the atlas "${atlas}", found none. Please report this.`,
        })
      sprites.set(spec.name, {
        name: spec.name,
        file: spec.file,
        ...pictureOf(spec),
        atlas,
        width: Math.round(frame.sourceWidth / main.scale),
        height: Math.round(frame.sourceHeight / main.scale),
        ...(spec.anchor ? { anchor: spec.anchor } : {}),
        pixelArt: spec.pixelArt,
        isPlaceholder: own.some((input) => input.source.kind === 'placeholder'),
        animations: own.map((input) => input.animation.name),
      })
    }
  }
  return [...sprites.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function pictureOf(spec: SpriteSpec): { picture?: string } {
  const picture = referencePath(spec)
  return picture === undefined ? {} : { picture }
}

/** Length of the header, header, pages one after the other. */
function packAtlas(atlas: BuiltAtlas, warnings: readonly string[]): Uint8Array {
  const pages = atlas.pages.map(({ bytes, ...page }) => ({ ...page, length: bytes.length }))
  const header = new TextEncoder().encode(JSON.stringify({ atlas: { ...atlas, pages }, warnings }))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, header.length)
  return Buffer.concat([length, header, ...atlas.pages.map((page) => page.bytes)])
}

function unpackAtlas(bytes: Uint8Array): { atlas: BuiltAtlas; warnings: readonly string[] } {
  const headerLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength))) as {
    atlas: Omit<BuiltAtlas, 'pages'> & { pages: (Omit<BuiltPage, 'bytes'> & { length: number })[] }
    warnings: string[]
  }
  let at = 4 + headerLength
  const pages = header.atlas.pages.map(({ length, ...page }) => {
    at += length
    return { ...page, bytes: bytes.slice(at - length, at) }
  })
  return { atlas: { ...header.atlas, pages }, warnings: header.warnings }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
