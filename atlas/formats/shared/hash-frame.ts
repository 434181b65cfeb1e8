import type { AtlasAnimation } from '../../atlas.ts'
import type { FrameBoxes } from '../../frame.ts'
import type { PlacedFrame } from '../../frames/placed-frame.ts'
import type { EncodedAtlas, OutputFile } from '../format.ts'

/** A frame in TexturePacker's JSON, which Phaser and PixiJS both read. */
export interface HashFrame {
  readonly frame: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  /**
   * Whether the frame is turned by 90° clockwise on the page; `frame` has its upright size. Phaser draws such
   * frames wrongly.
   */
  readonly rotated: boolean
  readonly trimmed: boolean
  readonly spriteSourceSize: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly sourceSize: { readonly w: number; readonly h: number }
  /**
   * 0 to 1 of the untrimmed size. Present only if the author set it, since Phaser then overrides the game's
   * own origin at every frame.
   */
  readonly anchor?: { readonly x: number; readonly y: number }
  /** Milliseconds, as in Aseprite's JSON. */
  readonly duration?: number
  /**
   * Convex outline of the visible pixels, as x and y in untrimmed pixels. Engines keep it with the frame and
   * ignore it.
   */
  readonly hull?: readonly (readonly [number, number])[]
  /** Boxes by name, in untrimmed pixels. Engines keep them with the frame and ignore them. */
  readonly boxes?: FrameBoxes
}

/**
 * Converts a placed frame to its JSON.
 *
 * @param durationMs Omitted in the JSON if `undefined`.
 */
export function toHashFrame(placed: PlacedFrame, durationMs?: number): HashFrame {
  const { x, y, width, height, isTurned = false, offsetX, offsetY, sourceWidth, sourceHeight } = placed
  return {
    frame: { x, y, w: width, h: height },
    rotated: isTurned,
    trimmed: isTrimmed(placed),
    spriteSourceSize: { x: offsetX, y: offsetY, w: width, h: height },
    sourceSize: { w: sourceWidth, h: sourceHeight },
    ...(placed.anchor === undefined ? {} : { anchor: placed.anchor }),
    ...(durationMs === undefined ? {} : { duration: durationMs }),
    ...(placed.hull === undefined ? {} : { hull: placed.hull.map(({ x, y }) => [x, y] as const) }),
    ...(placed.boxes === undefined ? {} : { boxes: placed.boxes }),
  }
}

/** Whether the frame on the page is smaller than the untrimmed frame. */
export function isTrimmed({ width, height, sourceWidth, sourceHeight }: PlacedFrame): boolean {
  return width !== sourceWidth || height !== sourceHeight
}

/** `meta` of a page's JSON. */
export interface PageMeta {
  readonly app: 'spritewright'
  readonly version: '1.0'
  readonly image: string
  readonly format: 'RGBA8888'
  readonly size: { readonly w: number; readonly h: number }
  /** A string, as in TexturePacker's files. */
  readonly scale: string
}

/** Returns the `meta` of an encoded page. */
export function toPageMeta(page: { readonly file: string; readonly width: number; readonly height: number }, scale: number): PageMeta {
  return {
    app: 'spritewright',
    version: '1.0',
    image: page.file,
    format: 'RGBA8888',
    size: { w: page.width, h: page.height },
    scale: String(scale),
  }
}

/**
 * Returns an object of many keys, for JSON. Without a prototype the engine stores it as a hash table from the
 * start; any other object would change its shape with each key.
 */
export function toTable<Value>(entries: Iterable<readonly [string, Value]>): Readonly<Record<string, Value>> {
  const table: Record<string, Value> = Object.create(null)
  for (const [key, value] of entries) table[key] = value
  return table
}

/** Returns a JSON file of the output. */
export function toJsonFile(file: string, data: unknown): OutputFile {
  return toTextFile(file, `${JSON.stringify(data)}\n`)
}

/** Returns a text file of the output, in UTF-8. */
export function toTextFile(file: string, text: string): OutputFile {
  return { file, bytes: new TextEncoder().encode(text) }
}

/**
 * The frames of one page, and the animations that play them. Each animation is complete, since none spans two
 * pages.
 */
export function onPage({ atlas }: EncodedAtlas, page: number): { frames: readonly PlacedFrame[]; animations: readonly AtlasAnimation[] } {
  const frames = atlas.frames.filter((frame) => frame.page === page)
  const names = new Set(frames.map((frame) => frame.name))
  return { frames, animations: atlas.animations.filter((animation) => animation.frames.some((frame) => names.has(frame.name))) }
}
