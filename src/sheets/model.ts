import type { AtlasAnimation, AtlasLayer, PageFormat, PageLists, PlacedFrame } from '../../atlas/index.ts'
import type { AnimationQuality } from './quality.ts'

/** Options of pages. Every field is part of the build key. */
export interface SheetOptions {
  /** Longest side of a page, pixels. */
  readonly maxSize: number
  /**
   * Encodings of the pages. Every page is written in all encodings; with one atlas for each sprite, only in the
   * first encoding.
   */
  readonly encodings: readonly PageFormat[]
  /** zlib level of PNGs, 0 to 9. */
  readonly level: number
  /** Quality by encoding, 1 to 100. WebP without a quality is lossless. */
  readonly quality?:
    | { readonly webp?: number | undefined; readonly avif?: number | undefined; readonly ktx2?: number | undefined }
    | undefined
  /** Texture compression of KTX2 pages. */
  readonly ktx2: 'uastc' | 'etc1s'
  /** Version of the package that encodes KTX2. */
  readonly encoder?: string | undefined
  /** Most corners of each frame's outline; if it is missing, there are no outlines. */
  readonly hull?: number | undefined
  readonly palette?: 'exact' | 'close' | undefined
  /** `best` takes much longer and makes smaller files without loss. If it is missing, encoding is fast. */
  readonly effort?: 'best' | undefined
  /** Whether frames may be turned on the pages. If it is missing, no frame is turned. */
  readonly rotate?: boolean | undefined
  /**
   * Whether the reader of the sheets draws mirrored frames, as the runtimes of imports do. It is no part of the build
   * key, but the mirrored pixels that it saves are.
   *
   * @default false: mirror images get pixels of their own
   */
  readonly canMirror?: boolean | undefined
  /** Whether frames keep their positions of an earlier layout, unless pages would become too large. */
  readonly stable?: boolean | undefined
}

/** An encoded page: a picture file, named by its content. */
export interface BuiltPage {
  /** SHA-256 of `bytes`, lower-case hex. */
  readonly sha256: string
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
  /** `image/png`, `image/webp`, `image/avif`, `image/ktx2`. */
  readonly contentType: string
  /** Its encoding. */
  readonly extension: PageFormat
}

/** Pages with the layout of an atlas and other pictures, encoded. */
export interface BuiltLayer extends Omit<AtlasLayer, 'pages'>, PageLists<BuiltPage> {}

/** One group at one scale, encoded. */
export interface BuiltAtlas extends PageLists<BuiltPage> {
  /** The texture key in Phaser, the alias in PixiJS. */
  readonly name: string
  readonly scale: number
  readonly pixelArt: boolean
  /** Missing if no sprite has further looks. */
  readonly layers?: readonly BuiltLayer[]
  readonly frames: readonly PlacedFrame[]
  readonly animations: readonly AtlasAnimation[]
  /** Animations without frames of their own: the animation of which each is the mirror image, by name. Missing if empty. */
  readonly mirrors?: Readonly<Record<string, string>>
}

/** One sprite, with the data that a game uses. */
export interface BuiltSprite {
  readonly name: string
  /** Absolute path of its spec. */
  readonly file: string
  /** Absolute path of the picture that is its reference or begins its chain; missing if it has no such picture. */
  readonly picture?: string
  /** Its folder of frames touched up by hand and the files in it, absolute; missing if there is no folder. */
  readonly overridePaths?: readonly string[]
  /** Name of the atlas that contains it (at every scale). */
  readonly atlas: string
  /** Untrimmed frame size at scale 1, pixels. */
  readonly width: number
  readonly height: number
  readonly anchor?: { readonly x: number; readonly y: number }
  readonly pixelArt: boolean
  /** Whether any of its animations is a placeholder. */
  readonly isPlaceholder: boolean
  /**
   * Short names of animations and pictures that show an earlier purchase, because a PAID field was changed. Empty for
   * a picture with the sprite's name; missing if there are none.
   */
  readonly superseded?: readonly string[]
  /**
   * Indices of delivered frames that a touched-up picture replaces, ascending. The key is the animation's short name,
   * which is empty for a picture with the sprite's name. Missing if no frame is replaced.
   */
  readonly touchedUp?: Readonly<Record<string, readonly number[]>>
  /** Short names of its animations, in the spec's order. */
  readonly animations: readonly string[]
  /** Short names of its pictures; a picture with the sprite's name has the same short name. Missing if there are none. */
  readonly pictures?: readonly string[]
}

/** All data for a game: the sprites, and the atlases that contain them. */
export interface BuiltSheets {
  /** Sorted by name. */
  readonly sprites: readonly BuiltSprite[]
  /** Sorted by name, then by scale, largest first. */
  readonly atlases: readonly BuiltAtlas[]
  /** Quality of the frames of bought animations, sorted by id; missing if no sheets were made. */
  readonly quality?: readonly AnimationQuality[]
}

/** One group of animations at all its scales. */
export interface BuiltGroup {
  /** Largest scale first. */
  readonly atlases: readonly BuiltAtlas[]
  readonly quality: readonly AnimationQuality[]
  /** Warnings for a person, shown whenever the group is used. */
  readonly warnings: readonly string[]
}

/**
 * An atlas without its animations. Animations are made from the specs each time, so a change of playback changes
 * no page.
 */
export type PackedAtlas = Omit<BuiltAtlas, 'animations' | 'mirrors'>

/** A packed group: the second level of the build cache. */
export interface PackedGroup extends Omit<BuiltGroup, 'atlases'> {
  readonly atlases: readonly PackedAtlas[]
  /** With `stable`: digests of the layouts from which packing gives the same pages. */
  readonly layouts?: readonly string[]
}
