import { basename, join } from 'node:path'
import { asepriteInfo, parseSheetAtlas, type SheetFrame } from '../../../atlas/index.ts'
import { type ErrorFacts, SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import { decodeText } from '../../host/project-style.ts'
import { sha256 } from '../../host/sha256.ts'

/** A file of the folder, with its digest when it was found. */
export interface OverrideFile {
  /** Absolute path. */
  readonly path: string
  readonly sha256: string
}

/** A picture that replaces one frame: a whole file, or a part of an export's sheet. */
export interface FoundOverride {
  /** Index of the delivered frame. */
  readonly frame: number
  readonly picture: OverrideFile
  /** Missing for a whole picture. */
  readonly part?: SheetFrame
  /** Number of frames of an Aseprite file, which replaces all frames of the animation. */
  readonly count?: number
}

/** All frames of one name (`walk`, `walk@2`) in the folder. */
export interface OverrideLayer {
  /** The subfolder, the JSON of the export or the Aseprite file, absolute; the first one if there are both. */
  readonly path: string
  readonly frames: readonly FoundOverride[]
  /** All files that were read for it, including the JSON of an export. */
  readonly files: readonly OverrideFile[]
}

/** Largest JSON of an export, bytes; a larger one is not an export of an animation. */
const maximumJsonBytes = 4 << 20

const pictureName = /\.(?:png|jpe?g|webp|gif|bmp|tga|avif)$/i
const asepriteName = /\.(?:aseprite|ase)$/i
const frameName = /^(\d{1,4})\.png$/i
/** The frame's number in a name from an export: `walk 3.aseprite`, `hero/walk/0003`, `3`. */
const numberInName = /(?:^|[ /_-])(\d{1,4})(?:\.\w+)?$/

/**
 * Reads a folder of frames that were touched up by hand. It ignores names that begin with a dot, files that are
 * neither pictures nor JSON, and an Aseprite file beside frames of its name, which were exported from it.
 *
 * @param pictures Names of the sprite's pictures, which may be files of the folder: `sword.png`.
 * @returns Layers by the name of a subfolder, an export or a picture: `walk`, or `walk@2`.
 * @throws `SW_OVERRIDE` for a picture that names no frame, two for one frame, a JSON that is no export, or a damaged
 * Aseprite file.
 */
export async function readOverrideFolder(
  disk: Disk,
  folder: string,
  pictures: readonly string[],
): Promise<ReadonlyMap<string, OverrideLayer>> {
  const layers = new Map<string, OverrideLayer>()
  const add = (name: string, more: OverrideLayer): void => {
    const before = layers.get(name)
    const { path } = before ?? more
    layers.set(name, { path, frames: [...(before?.frames ?? []), ...more.frames], files: [...(before?.files ?? []), ...more.files] })
  }
  const files = new Set<string>()
  const sheets = new Set<string>()
  const exports: string[] = []
  const drawings: string[] = []
  for (const name of await visibleNames(disk, folder)) {
    const path = join(folder, name)
    if ((await disk.stat(path))?.isFolder) add(name, await readFrameFolder(disk, path))
    else if (/\.json$/i.test(name)) exports.push(name)
    else if (pictureName.test(name)) files.add(name)
    else if (asepriteName.test(name)) drawings.push(name)
  }
  for (const name of exports) {
    const { layer, image } = await readExport(disk, folder, name, files)
    sheets.add(image)
    add(name.replace(/\.json$/i, ''), layer)
  }
  const stray: string[] = []
  for (const name of [...files].filter((file) => !sheets.has(file))) {
    const own = name.replace(/\.png$/i, '')
    if (pictures.includes(own.replace(/@\d+$/, ''))) add(own, await readStill(disk, join(folder, name)))
    else stray.push(name)
  }
  for (const name of drawings) {
    const own = name.replace(asepriteName, '')
    if (!layers.has(own)) add(own, await readDrawing(disk, join(folder, name)))
  }
  if (stray[0] !== undefined)
    throw overrideError(join(folder, stray[0]), {
      expected: 'a frame in the folder of its animation, as walk/0003.png, or the sheet of an export, as walk.png beside walk.json',
      found: 'a picture that belongs to no frame',
      next: 'Put it there, or take it out of the folder.',
    })
  for (const layer of layers.values()) refuseDoubles(layer)
  return layers
}

/** Reads a picture that is one file. */
async function readStill(disk: Disk, path: string): Promise<OverrideLayer> {
  const picture = { path, sha256: sha256(await disk.read(path)) }
  return { path, frames: [{ frame: 0, picture }], files: [picture] }
}

/** Reads a subfolder with one file for each frame: `0003.png`. */
async function readFrameFolder(disk: Disk, folder: string): Promise<OverrideLayer> {
  const frames: FoundOverride[] = []
  for (const name of await visibleNames(disk, folder)) {
    const path = join(folder, name)
    const isFolder = (await disk.stat(path))?.isFolder === true
    const number = isFolder ? undefined : frameName.exec(name)?.[1]
    if (number !== undefined) frames.push({ frame: Number(number), picture: { path, sha256: sha256(await disk.read(path)) } })
    else if (isFolder || pictureName.test(name))
      throw overrideError(path, {
        expected: 'a PNG that is named by the number of its frame, as 0003.png',
        found: isFolder ? 'a folder' : JSON.stringify(name),
        next: 'Rename it, or take it out of the folder.',
      })
  }
  return { path: folder, frames, files: frames.map(({ picture }) => picture) }
}

/**
 * Reads an export of Aseprite: a JSON (hash or array), and the sheet that it names.
 *
 * @param pictures Names of the pictures in the same folder.
 */
async function readExport(
  disk: Disk,
  folder: string,
  name: string,
  pictures: ReadonlySet<string>,
): Promise<{ readonly layer: OverrideLayer; readonly image: string }> {
  const path = join(folder, name)
  const bytes = await disk.read(path)
  const sheet = bytes.length > maximumJsonBytes ? undefined : parseSheetAtlas(decodeText(bytes))
  if (!sheet)
    throw overrideError(path, {
      expected: 'a JSON as Aseprite exports it with a sprite sheet (hash or array)',
      found: 'another one',
      next: 'Export it again, or take it out of the folder.',
    })
  const named = basename((sheet.image ?? '').replaceAll('\\', '/'))
  const beside = name.replace(/\.json$/i, '.png')
  const image = pictures.has(named) ? named : beside
  if (!pictures.has(image))
    throw overrideError(path, {
      expected: `its sheet ${JSON.stringify(named || beside)} beside it`,
      found: 'none',
      next: 'Export both into this folder.',
    })
  const picture = { path: join(folder, image), sha256: sha256(await disk.read(join(folder, image))) }
  const frames = numberFrames(path, sheet.frames).map(({ frame, part }): FoundOverride => ({ frame, picture, part }))
  return { layer: { path, frames, files: [{ path, sha256: sha256(bytes) }, picture] }, image }
}

/** Reads a native Aseprite file: its frames, in their order. */
async function readDrawing(disk: Disk, path: string): Promise<OverrideLayer> {
  const bytes = await disk.read(path)
  const picture = { path, sha256: sha256(bytes) }
  try {
    const count = asepriteInfo(bytes).durations.length
    return { path, frames: Array.from({ length: count }, (_, frame): FoundOverride => ({ frame, picture, count })), files: [picture] }
  } catch (error) {
    const found = `a damaged one: ${(error as Error).message}`
    throw overrideError(path, { expected: 'a sound Aseprite file', found, next: 'Save it again.' }, error)
  }
}

/**
 * Assigns a frame to each part of a sheet: by the number at the end of its name, or by its position if no
 * name has a number.
 */
function numberFrames(path: string, parts: readonly SheetFrame[]): readonly { readonly frame: number; readonly part: SheetFrame }[] {
  const numbers = parts.map(({ name }) => numberInName.exec(name)?.[1])
  if (numbers.every((number) => number === undefined)) return parts.map((part, frame) => ({ frame, part }))
  return parts.map((part, at) => {
    const number = numbers[at]
    if (number !== undefined) return { frame: Number(number), part }
    throw overrideError(path, {
      expected: 'a number at the end of every frame’s name, or of none',
      found: `${JSON.stringify(part.name)} beside ${JSON.stringify(parts[numbers.findIndex((other) => other !== undefined)]?.name)}`,
      next: 'Export it with the names that Aseprite gives by itself.',
    })
  })
}

function refuseDoubles({ frames }: OverrideLayer): void {
  const first = new Map<number, FoundOverride>()
  for (const found of frames) {
    const other = first.get(found.frame)
    if (other)
      throw overrideError(found.picture.path, {
        expected: `one picture for frame ${found.frame}`,
        found: `a second one, beside ${other.picture.path}`,
        next: 'Remove one of them.',
        facts: { frame: found.frame, other: other.picture.path },
      })
    first.set(found.frame, found)
  }
}

async function visibleNames(disk: Disk, folder: string): Promise<readonly string[]> {
  return (await disk.list(folder)).filter((name) => !name.startsWith('.'))
}

/** Makes the error for a file of the folder. */
export function overrideError(
  file: string,
  {
    expected,
    found,
    next,
    facts = {},
  }: { readonly expected: string; readonly found: string; readonly next: string; readonly facts?: ErrorFacts },
  cause?: unknown,
): SpritewrightError {
  return new SpritewrightError('SW_OVERRIDE', {
    message: `${file}: expected ${expected}, found ${found}. ${next}`,
    facts: { file, ...facts },
    ...(cause === undefined ? {} : { cause }),
  })
}
