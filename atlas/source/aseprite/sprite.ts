import type { BlendMode } from './blend.ts'
import type { AsepriteSlice, AsepriteTag } from './file.ts'

/** Pixels or tiles as they are stored. They are unpacked when they are first drawn. */
export interface StoredImage {
  /** Pixels, or tiles of a tilemap. 1 or more. */
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
  /** Bytes of a pixel or tile. */
  readonly unitBytes: 1 | 2 | 4
  /** Whether the bytes are a zlib stream. */
  readonly isPacked: boolean
  /** How a tile is stored, if this is a tilemap. */
  readonly masks?: TileMasks | undefined
}

/** Bits of a stored tile. */
export interface TileMasks {
  readonly id: number
  readonly flipX: number
  readonly flipY: number
  /** Swaps X and Y, before the other flips are undone. */
  readonly diagonal: number
}

/** An image in one frame of one layer. */
export interface Cel {
  /** Place of its top left corner on the canvas. */
  readonly x: number
  readonly y: number
  /** 0 to 255. */
  readonly opacity: number
  /** Number of layers by which it is drawn later. */
  readonly zIndex: number
  readonly image: StoredImage
}

/** A layer. */
export interface Layer {
  /** Its number, from 0 at the bottom. */
  readonly index: number
  readonly kind: 'image' | 'group' | 'tilemap'
  readonly parent: Layer | undefined
  /** Whether it and all its groups are visible. */
  readonly isVisible: boolean
  /** Whether it is the lowest layer, which has no clear pixels. */
  readonly isBackground: boolean
  /** Whether it is a picture to trace, which is no part of the drawing. */
  readonly isReference: boolean
  readonly mode: BlendMode
  /** 0 to 255. */
  readonly opacity: number
  /** ID of a tilemap's tileset. */
  readonly tileset: number
}

/** Tiles, one below the other in one image. */
export interface Tileset {
  readonly tileHeight: number
  /** Tile IDs are below it. */
  readonly count: number
  readonly image: StoredImage
  /** Whether tile 0 draws nothing. In very old files that is 0xffffffff. */
  readonly isZeroEmpty: boolean
}

/** The cels of one point in time. */
export interface Moment {
  readonly durationMs: number
  /** By the index of their layer. */
  readonly cels: ReadonlyMap<number, Cel>
  /** Colours by index. An index beyond its end is clear. */
  readonly palette: Uint32Array
}

/** A parsed file; nothing is unpacked or drawn. */
export interface Sprite {
  readonly header: Header
  /** From the bottom up. */
  readonly layers: readonly Layer[]
  readonly tilesets: ReadonlyMap<number, Tileset>
  readonly moments: readonly Moment[]
  readonly tags: readonly AsepriteTag[]
  readonly slices: readonly AsepriteSlice[]
}

/** The file's header. */
export interface Header {
  readonly frames: number
  readonly width: number
  readonly height: number
  /** Bytes of a pixel: 1 of a palette, 2 grey and alpha, 4 RGBA. */
  readonly pixelBytes: 1 | 2 | 4
  readonly hasLayerOpacity: boolean
  /** Whether a group is drawn on a clear canvas first. */
  readonly composesGroups: boolean
  /** Milliseconds of a frame that has none. */
  readonly speedMs: number
  /** Index that draws nothing, if a pixel is an index. */
  readonly clearIndex: number
  /** Number of colours before a palette is read. */
  readonly colours: number
}
