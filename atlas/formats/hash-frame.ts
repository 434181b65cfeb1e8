import type { PlacedFrame } from '../atlas.ts'

/** One frame as TexturePacker's JSON says it, which Phaser and PixiJS both read. */
export interface HashFrame {
  readonly frame: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  /** Always false: Phaser draws turned frames wrongly. */
  readonly rotated: false
  readonly trimmed: boolean
  readonly spriteSourceSize: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly sourceSize: { readonly w: number; readonly h: number }
  /** 0 to 1 of the untrimmed size; only where the author set it, since Phaser then overrides the game's own origin at every frame. */
  readonly anchor?: { readonly x: number; readonly y: number }
  /** Milliseconds, as Aseprite says it. */
  readonly duration?: number
}

/** Turns a placed frame into its JSON. @param durationMs Left out where undefined. */
export function toHashFrame(placed: PlacedFrame, durationMs?: number): HashFrame {
  const { x, y, width, height, offsetX, offsetY, sourceWidth, sourceHeight } = placed
  return {
    frame: { x, y, w: width, h: height },
    rotated: false,
    trimmed: width !== sourceWidth || height !== sourceHeight,
    spriteSourceSize: { x: offsetX, y: offsetY, w: width, h: height },
    sourceSize: { w: sourceWidth, h: sourceHeight },
    ...(placed.anchor === undefined ? {} : { anchor: placed.anchor }),
    ...(durationMs === undefined ? {} : { duration: durationMs }),
  }
}

/** `meta` of a page's JSON. */
export interface PageMeta {
  readonly app: 'spritewright'
  readonly version: '1.0'
  readonly image: string
  readonly format: 'RGBA8888'
  readonly size: { readonly w: number; readonly h: number }
  /** Text, as TexturePacker writes it. */
  readonly scale: string
}

/** Describes an encoded page. */
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

/** A JSON file of the output. */
export function toJsonFile(file: string, data: unknown): { file: string; bytes: Uint8Array } {
  return { file, bytes: new TextEncoder().encode(`${JSON.stringify(data)}\n`) }
}
