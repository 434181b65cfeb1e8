import type { Atlas } from '../atlas.ts'
import type { Abilities } from '../format-abilities.ts'

/** A page as a picture file. */
export interface EncodedPage {
  /** File name as the engine's data names it, relative to that data file. */
  readonly file: string
  readonly bytes: Uint8Array
  /** Pixels. */
  readonly width: number
  readonly height: number
}

/** An atlas whose pages have been encoded and named. */
export interface EncodedAtlas {
  /** Its `pages` hold pixels for formats with `pages: 'pixels'`; others look at the encoded pages alone, and may be handed none. */
  readonly atlas: Atlas
  /** One for each page, in order. */
  readonly pages: readonly EncodedPage[]
  /** The same pages in further encodings, for formats whose readers choose; each list is as long as `pages`. @default none */
  readonly alternates?: readonly (readonly EncodedPage[])[]
}

/** A file that a format writes; `file` is relative to the output folder, with forward slashes. */
export interface OutputFile {
  readonly file: string
  readonly bytes: Uint8Array
}

/** One engine's way of reading an atlas, and what it can read. Pure: the same atlases give the same bytes. */
export interface EngineFormat extends Abilities {
  /** Also the name of the folder that `build` writes it into: small letters, digits and hyphens, a letter first. */
  readonly name: string
  /** Data files for all atlases of a project, pages left out: the caller writes those. */
  write(atlases: readonly EncodedAtlas[]): readonly OutputFile[]
}
