import type { BlendMode } from './blend.ts'
import type { AsepriteSlice, AsepriteTag } from './file.ts'

/** Stored pixels or tiles, which are unpacked when they are first drawn. */
export interface StoredImage {
  /** Pixels, or tiles of a tilemap. 1 or more. */
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
  /** Bytes of a pixel or tile. */
  readonly unitBytes: 1 | 2 | 4
  /** Whether the bytes are a zlib stream. */
  readonly isPacked: boolean
  /** The bits of a stored tile, for a tilemap. */
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
  /** Place of the image's top left corner on the canvas. */
  readonly x: number
  readonly y: number
  /** 0 to 255. */
  readonly opacity: number
  /** Number of layers by which the image is drawn later. */
  readonly zIndex: number
  readonly image: StoredImage
}

/** A layer. */
export interface Layer {
  /** Number of the layer, from 0 at the bottom. */
  readonly index: number
  readonly kind: 'image' | 'group' | 'tilemap'
  readonly parent: Layer | undefined
  /** Whether the layer and all its groups are visible. */
  readonly isVisible: boolean
  /** Whether this is the lowest layer, which has no clear pixels. */
  readonly isBackground: boolean
  /** Whether the layer is a picture to trace, which is no part of the drawing. */
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
  /** Number of tiles. All tile IDs are below it. */
  readonly count: number
  readonly image: StoredImage
  /** Whether tile 0 draws nothing. In very old files, tile 0xffffffff draws nothing instead. */
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

/** A parsed file, in which nothing is unpacked or drawn. */
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
  /** Milliseconds of a frame without its own time. */
  readonly speedMs: number
  /** Index that draws nothing, if a pixel is an index. */
  readonly clearIndex: number
  /** Number of colours before a palette is read. */
  readonly colours: number
}
