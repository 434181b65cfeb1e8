import { extname, relative, sep } from 'node:path'
import type { Bitmap } from '../../atlas/index.ts'
import type { Disk } from '../host/disk.ts'
import { sha256 as hashOf } from '../host/sha256.ts'
import { groupByName } from './names.ts'
import { readPictureSequence } from './pictures.ts'
import { type Art, type ArtSequence, listFolder, plainPlayback, readAgain, readSourceFile, sourceError, statSource } from './source.ts'

/** A picture of a folder, with its digest when it was found. */
interface FoundPicture {
  readonly file: string
  /** Path relative to the folder, with forward slashes. */
  readonly name: string
  readonly sha256: string
  /** Frames of an animated picture; missing for a still picture. */
  readonly animation?: ArtSequence
}

const pictureEndings: ReadonlySet<string> = new Set(['.png', '.apng', '.jpg', '.jpeg', '.webp', '.gif'])
const otherPictures = /\.(?:aseprite|ase|bmp|tga|avif|psd)$/i

/**
 * Reads a folder of pictures, with its subfolders. `walk/0001.png` and `walk_01.png` are frames of the animation
 * `walk`; other pictures are named by their paths. An animated GIF, WebP or PNG is an animation with its times.
 *
 * @throws `SW_SOURCE` for a folder without pictures, with two pictures of one name, or with files that cannot be used.
 */
export async function readFolder(disk: Disk, folder: string): Promise<Art> {
  const found: FoundPicture[] = []
  for (const file of await listPictures(disk, folder)) {
    const name = relative(folder, file).split(sep).join('/')
    const bytes = await readSourceFile(disk, file)
    const sequence = await readPictureSequence(file, bytes)
    found.push({ file, name, sha256: sequence.sha256, ...(sequence.isPicture ? {} : { animation: sequence }) })
  }
  if (found.length === 0)
    throw sourceError(
      folder,
      'pictures in this folder',
      'none',
      'Put PNG, JPEG, WebP or GIF pictures there, as sword.png or walk/0000.png.',
    )
  const sequences = groupByName(found, ({ file }) => file).map(
    ({ name, isPicture, items }): ArtSequence => ({
      isPicture,
      frames: items.length,
      ...plainPlayback,
      sha256: hashOf(...items.map(({ sha256 }) => sha256)),
      read: () => readFrames(disk, items),
      ...items[0]?.animation,
      name,
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
    if ((await statSource(disk, path))?.isFolder) pictures.push(...(await listPictures(disk, path, depth + 1)))
    else if (pictureEndings.has(extname(path).toLowerCase())) pictures.push(path)
    else if (otherPictures.test(path))
      throw sourceError(path, 'PNG, JPEG, WebP or GIF pictures in a folder', 'another kind', 'Name it by a spec of its own ("source").')
  }
  return pictures
}

/** @throws `SW_SOURCE` for frames of different sizes. */
async function readFrames(disk: Disk, items: readonly FoundPicture[]): Promise<readonly Bitmap[]> {
  const frames: Bitmap[] = []
  for (const { file, sha256 } of items) {
    const bytes = await readAgain(disk, file, sha256)
    const [frame] = (await (await readPictureSequence(file, bytes)).read()) as [Bitmap]
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
