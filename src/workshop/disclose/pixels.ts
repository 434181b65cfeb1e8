import { join } from 'node:path'
import { type Bitmap, blit, createBitmap, cutPlaced, type OutputFile, type PageFormat, pageFile, readPage } from '../../../atlas/index.ts'
import type { Disk } from '../../host/disk.ts'
import { sha256 } from '../../host/sha256.ts'
import type { BuiltAtlas } from '../../sheets/sheet.ts'
import type { DisclosedPixels, Disclosure } from '../api/disclosure.ts'

/** An encoding whose pixels can be read. */
type Readable = Exclude<PageFormat, 'ktx2'>

/** Hashes the visible pixels of a picture, see {@link DisclosedPixels}. */
export function hashPixels({ width, height, data }: Bitmap): DisclosedPixels {
  const visible = Buffer.from(data)
  for (let at = 0; at < visible.length; at += 4) if (visible[at + 3] === 0) visible.fill(0, at, at + 4)
  return { width, height, sha256: sha256(Buffer.concat([Buffer.from(`${width} ${height}\n`), visible])) }
}

/** Hashes every frame of the pages, untrimmed, by name. A frame at several scales counts at the largest. */
export async function hashShipped(atlases: readonly BuiltAtlas[]): Promise<Map<string, DisclosedPixels>> {
  const shipped = new Map<string, DisclosedPixels>()
  for (const { pages, frames } of atlases)
    for (const [at, { bytes, extension }] of pages.entries()) {
      const page = await readPage(bytes, extension as Readable)
      for (const frame of frames.filter(({ name, page: own }) => own === at && !shipped.has(name))) {
        const whole = createBitmap(frame.sourceWidth, frame.sourceHeight)
        blit(whole, cutPlaced(page, frame), frame.offsetX, frame.offsetY)
        shipped.set(frame.name, hashPixels(whole))
      }
    }
  return shipped
}

/**
 * Compares the pictures of an output folder with those of a build. Equal pixels in other bytes are equal: a tool may
 * have made the files smaller.
 *
 * @returns The frames whose pixels differ. A picture itself, if it is missing or differs elsewhere.
 */
export async function compareFolder(
  disk: Disk,
  folder: string,
  files: readonly OutputFile[],
  atlases: readonly BuiltAtlas[],
): Promise<Required<Pick<Disclosure, 'unexplained' | 'compared'>>> {
  const unexplained: { name: string; why: string }[] = []
  const pictures = files.filter(({ file }) => /\.(png|webp|avif)$/.test(file))
  for (const { file, bytes } of pictures) {
    const found = (await disk.stat(join(folder, file))) ? await disk.read(join(folder, file)) : undefined
    if (found && sha256(found) === sha256(bytes)) continue
    const why = found ? `its pixels in ${file} are not those of its origin` : 'the output folder does not have it'
    for (const name of found ? await namesOfDifference(file, bytes, found, atlases) : [file]) unexplained.push({ name, why })
  }
  return { unexplained, compared: pictures.length }
}

/** Names the frames in which two versions of a picture differ, or the file if it is no page, or differs elsewhere. */
async function namesOfDifference(
  file: string,
  bytes: Uint8Array,
  other: Uint8Array,
  atlases: readonly BuiltAtlas[],
): Promise<readonly string[]> {
  const ending = file.split('.').pop() as Readable
  const made = await readPage(bytes, ending)
  const found = await readPage(other, ending).catch(() => createBitmap(1, 1))
  const differs = (a: Bitmap, b: Bitmap): boolean => hashPixels(a).sha256 !== hashPixels(b).sha256
  if (!differs(made, found)) return []
  if (made.width !== found.width || made.height !== found.height) return [file]
  const isHere = (atlas: BuiltAtlas, page: number): boolean => pageFile(atlas, page, ending) === file.slice(file.indexOf('/') + 1)
  const frames = atlases.flatMap((atlas) => atlas.frames.filter(({ page }) => isHere(atlas, page)))
  const names = frames.filter((frame) => differs(cutPlaced(made, frame), cutPlaced(found, frame))).map(({ name }) => name)
  return names.length > 0 ? names : [file]
}
