import { extname, relative, sep } from 'node:path'
import { type Bitmap, readPicture } from '../../atlas/index.ts'
import type { Disk } from '../host/disk.ts'
import { groupByName } from './names.ts'
import {
  type Art,
  type ArtSequence,
  digest,
  listFolder,
  plainPlayback,
  readAgain,
  readSourceFile,
  sourceError,
  withFile,
} from './source.ts'

/** A picture of a folder, with its digest when it was found. */
interface FoundPicture {
  readonly file: string
  /** Path from the folder, with forward slashes. */
  readonly name: string
  readonly sha256: string
}

const stillEndings: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.webp'])
const otherPictures = /\.(?:aseprite|ase|gif|bmp|tga|avif|psd)$/i

/**
 * A source that is a folder of pictures, with those in all folders below it. `walk/0001.png` and `walk_01.png` are
 * frames of the animation `walk`; other pictures are pictures, named by their paths.
 *
 * @throws `SW_SOURCE` for a folder without pictures, with two of one name, or with files that would be left out
 * without a word.
 */
export async function readFolder(disk: Disk, folder: string): Promise<Art> {
  const found: FoundPicture[] = []
  for (const file of await listPictures(disk, folder)) {
    const name = relative(folder, file).split(sep).join('/')
    found.push({ file, name, sha256: digest(await readSourceFile(disk, file)) })
  }
  if (found.length === 0)
    throw sourceError(folder, 'pictures in this folder', 'none', 'Put PNG, JPEG or WebP pictures there, as sword.png or walk/0000.png.')
  const sequences = groupByName(found, ({ file }) => file).map(
    ({ name, isPicture, items }): ArtSequence => ({
      name,
      isPicture,
      frames: items.length,
      ...plainPlayback,
      sha256: digest(...items.map(({ sha256 }) => sha256)),
      read: () => readFrames(disk, items),
    }),
  )
  return { sequences, files: [folder, ...found.map(({ file }) => file)] }
}

/** Deepest folder of a source. */
const deepest = 6

async function listPictures(disk: Disk, folder: string, depth = 0): Promise<readonly string[]> {
  // Links may lead in a circle.
  if (depth > deepest)
    throw sourceError(folder, `at most ${deepest} folders in each other`, 'more', 'Move the pictures up, or take a link away.')
  const pictures: string[] = []
  for (const path of await listFolder(disk, folder)) {
    if ((await disk.stat(path))?.isFolder) pictures.push(...(await listPictures(disk, path, depth + 1)))
    else if (stillEndings.has(extname(path).toLowerCase())) pictures.push(path)
    else if (otherPictures.test(path))
      throw sourceError(path, 'PNG, JPEG or WebP pictures in a folder', 'another kind', 'Name it by a spec of its own ("source").')
  }
  return pictures
}

/** @throws `SW_SOURCE` for frames of different sizes. */
async function readFrames(disk: Disk, items: readonly FoundPicture[]): Promise<readonly Bitmap[]> {
  const frames: Bitmap[] = []
  for (const { file, sha256 } of items) {
    const bytes = await readAgain(disk, file, sha256)
    const frame = await withFile(file, () => readPicture(bytes))
    const { width, height } = frames[0] ?? frame
    if (frame.width !== width || frame.height !== height)
      throw sourceError(
        file,
        `a frame of ${width} × ${height} pixels, as ${items[0]!.name}`,
        `${frame.width} × ${frame.height}`,
        'Give all frames of an animation one canvas.',
      )
    frames.push(frame)
  }
  return frames
}
