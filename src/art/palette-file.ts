import { type Palette, readPalette } from '../../atlas/index.ts'
import type { Disk } from '../host/disk.ts'
import { readSourceFile, sourceError, statSource, withFile } from './source.ts'

/** A palette and its file. */
export interface PaletteFile {
  /** Absolute path. */
  readonly path: string
  readonly colours: Palette
}

/**
 * Reads a palette file.
 *
 * @param path Absolute.
 * @throws `SW_SOURCE` with the fact `file` for a missing file, or a file that is no palette. `SW_DISK`.
 */
export async function readPaletteFile(disk: Disk, path: string): Promise<PaletteFile> {
  if (!(await statSource(disk, path))) throw sourceError(path, 'a palette file', 'nothing', 'Correct "pixelArt.palette", or put it there.')
  const bytes = await readSourceFile(disk, path)
  return { path, colours: await withFile(path, () => readPalette(bytes)) }
}
