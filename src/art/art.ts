import { extname } from 'node:path'
import type { Disk } from '../host/disk.ts'
import { readAsepriteArt } from './aseprite.ts'
import { readFolder } from './folder.ts'
import { readGrid, readPictureSequence } from './pictures.ts'
import { readSheet } from './sheet.ts'
import { type Art, readSourceFile, sourceError, statSource } from './source.ts'

/** The source that a spec names. */
export interface ArtSource {
  /** Absolute path of a file or folder. */
  readonly path: string
  /** Size of the cells of a picture that is cut into frames, in pixels. */
  readonly grid?: { readonly width: number; readonly height: number } | undefined
}

/**
 * Reads the content of a source. Decodes no pixels before a sequence is read.
 *
 * @throws `SW_SOURCE` with the fact `file`: a missing file, an unsupported format, a damaged file.
 * `SW_DISK` for a file or folder that cannot be read.
 */
export async function readArt(disk: Disk, { path, grid }: ArtSource): Promise<Art> {
  const stat = await statSource(disk, path)
  if (!stat) throw sourceError(path, 'a file or folder', 'nothing', 'Correct "source", or put it there.')
  if (stat.isFolder) return readFolder(disk, path)
  const bytes = await readSourceFile(disk, path)
  if (grid) return readGrid(path, bytes, grid)
  const ending = extname(path).toLowerCase()
  if (ending === '.aseprite' || ending === '.ase') return readAsepriteArt(path, bytes)
  if (ending === '.json') return readSheet(disk, path, bytes)
  return { sequences: [await readPictureSequence(path, bytes)], files: [path] }
}
