import type { Atlas } from '../atlas.ts'

/** An atlas whose pages have been encoded and named. */
export interface EncodedAtlas {
  readonly atlas: Atlas
  /** One for each page, in order: the file name as the engine's data names it, relative to that data file. */
  readonly pages: readonly { readonly file: string; readonly bytes: Uint8Array; readonly width: number; readonly height: number }[]
}

/** A file that a format writes; `file` is relative to the output folder, with forward slashes. */
export interface OutputFile {
  readonly file: string
  readonly bytes: Uint8Array
}

/** One engine's way of reading an atlas. Pure: the same atlases give the same bytes. */
export interface EngineFormat {
  readonly name: string
  /** Data files for all atlases of a project, pages left out: the caller writes those. */
  write(atlases: readonly EncodedAtlas[]): readonly OutputFile[]
}
