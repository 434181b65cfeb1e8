import type { AtlasAnimation, PageFormat, PlacedFrame } from '../../atlas/index.ts'
import type { AnimationQuality } from './quality.ts'

/** How pages are made; every field is a part of the build key. */
export interface SheetOptions {
  /** Longest side of a page, pixels. */
  readonly maxSize: number
  /** How pages are encoded: each in every one of them; by sprite in the first alone. */
  readonly encodings: readonly PageFormat[]
  /** zlib level of PNGs, 0 to 9. */
  readonly level: number
  /** 1 to 100, by encoding; WebP without it is lossless. */
  readonly quality?:
    | { readonly webp?: number | undefined; readonly avif?: number | undefined; readonly ktx2?: number | undefined }
    | undefined
  /** What KTX2 pages hold. */
  readonly ktx2: 'uastc' | 'etc1s'
  /** Version of the package that encodes them. */
  readonly encoder?: string | undefined
  /** Corners at most of each frame's outline. */
  readonly hull?: number | undefined
  readonly palette?: 'exact' | 'close' | undefined
  /** Whether frames may be turned on the pages; none are where it is missing. */
  readonly rotate?: boolean | undefined
  /** Whether frames stay where an earlier layout has them, as far as density allows. */
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

/** One group at one scale, encoded. */
export interface BuiltAtlas {
  /** The texture key in Phaser, the alias in PixiJS. */
  readonly name: string
  readonly scale: number
  readonly pixelArt: boolean
  readonly pages: readonly BuiltPage[]
  /** The same pages in further encodings, for engines that choose; each list is as long as `pages`. */
  readonly alternates?: readonly (readonly BuiltPage[])[]
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
  /**
   * Its folder of frames touched up by hand and the files in it, absolute; missing where there is no folder.
   */
  readonly overridePaths?: readonly string[]
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
  /**
   * What was found out about the frames of bought animations, sorted by id; missing where nothing was made.
   */
  readonly quality?: readonly AnimationQuality[]
}

/** One group of animations at all its scales. */
export interface BuiltGroup {
  /** Largest scale first. */
  readonly atlases: readonly BuiltAtlas[]
  readonly quality: readonly AnimationQuality[]
  /** Sentences for a person, shown whenever the group is used. */
  readonly warnings: readonly string[]
}

/**
 * An atlas without its animations, which are made of the specs each time: an edit of their pace leaves all
 * pages as they are.
 */
export type PackedAtlas = Omit<BuiltAtlas, 'animations'>

/** A group as it was packed: the second level of the build cache. */
export interface PackedGroup extends Omit<BuiltGroup, 'atlases'> {
  readonly atlases: readonly PackedAtlas[]
  /** With `stable`: digests of the layouts from which it would be packed as it is. */
  readonly layouts?: readonly string[]
}
