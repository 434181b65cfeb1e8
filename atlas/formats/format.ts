import type { Atlas } from '../atlas.ts'
import type { Abilities } from '../format-abilities.ts'

/** An encoded page. */
export interface EncodedPage {
  /** File name in the engine's data, relative to the data file. */
  readonly file: string
  readonly bytes: Uint8Array
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** An atlas whose pages have been encoded and named. */
export interface EncodedAtlas {
  /**
   * Its `pages` hold pixels for formats with `pages: 'pixels'`. Other formats read only the encoded pages,
   * and `pages` may be empty.
   */
  readonly atlas: Atlas
  /** Encoded pages, in the order of the atlas. */
  readonly pages: readonly EncodedPage[]
  /**
   * The same pages in further encodings, for formats whose readers choose one. Each list is as long as
   * `pages`.
   *
   * @default none
   */
  readonly alternates?: readonly (readonly EncodedPage[])[]
  /**
   * Normal maps, one for each page, y up.
   *
   * @default none
   */
  readonly normals?: readonly EncodedPage[]
}

/** An output file of a format. `file` is relative to the output folder, with forward slashes. */
export interface OutputFile {
  readonly file: string
  readonly bytes: Uint8Array
}

/** The atlas format of one engine, with its abilities. Pure: the same atlases give the same bytes. */
export interface EngineFormat extends Abilities {
  /** Also the name of the output folder of `build`: small letters, digits and hyphens, a letter first. */
  readonly name: string
  /** Returns the data files for all atlases of a project. The caller writes the pages. */
  write(atlases: readonly EncodedAtlas[]): readonly OutputFile[]
}
