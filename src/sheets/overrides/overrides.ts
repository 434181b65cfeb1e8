import { basename, dirname, join } from 'node:path'
import { type Bitmap, cutSheetFrame, gamutWarning, readAseprite, readPicture } from '../../../atlas/index.ts'
import type { SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import { sha256 } from '../../host/sha256.ts'
import { nameInSprite, type SpriteSpec } from '../../sprite-spec/spec.ts'
import { type FoundOverride, type OverrideFile, type OverrideLayer, overrideError, readOverrideFolder } from './files.ts'

/**
 * Frames of one animation that a person has touched up. They replace bought frames, never those of a
 * placeholder.
 */
export interface Overrides {
  /** Part of the build key: frames, digests and parts of pictures, without paths. */
  readonly key: readonly (readonly [frame: number, sha256: string, part: unknown])[]
  /**
   * Decodes the pictures.
   *
   * @throws `SW_OVERRIDE` for a picture that cannot be read, or that has changed since it was found.
   */
  read(): Promise<{ readonly found: readonly Override[]; readonly warnings: readonly string[] }>
}

/** A picture that replaces a frame. */
export interface Override {
  /** Index of the delivered frame. */
  readonly frame: number
  /** Absolute path of its file. */
  readonly file: string
  readonly bitmap: Bitmap
  /** Number of frames in the file, if it replaces all frames of the animation. */
  readonly count?: number | undefined
}

/** Touched-up frames of a sprite's animations. */
export interface SpriteOverrides {
  /** By the animation's name. */
  readonly animations: ReadonlyMap<string, Overrides>
  /** The folder and all files in it that were read, absolute; empty if there is no folder. */
  readonly paths: readonly string[]
}

/** Returns the folder for touched-up frames of a spec: `hero.frames` beside `hero.sprite.json`. */
export function overrideFolder(spec: Pick<SpriteSpec, 'name' | 'file'>): string {
  return join(dirname(spec.file), `${spec.name}.frames`)
}

/**
 * Makes a function that finds touched-up frames, sprite by sprite.
 *
 * @param isOne Whether only one sprite is read. If so, the folder of its spec is not listed, because it may have
 * thousands of files.
 * @default false: each folder is listed once
 */
export function createOverrideFinder(disk: Disk, isOne: boolean = false): (spec: SpriteSpec) => Promise<SpriteOverrides> {
  const listed = new Map<string, Promise<ReadonlySet<string>>>()
  const isThere = async (folder: string): Promise<boolean> => {
    if (isOne) return (await disk.stat(folder)) !== undefined
    const parent = dirname(folder)
    const names = listed.get(parent) ?? disk.list(parent).then((all) => new Set(all))
    listed.set(parent, names)
    return (await names).has(basename(folder))
  }
  return async (spec) => {
    const folder = overrideFolder(spec)
    if (!(await isThere(folder))) return { animations: new Map(), paths: [] }
    const pictures = spec.animations.flatMap((animation) => (animation.isPicture ? [nameInSprite(spec, animation)] : []))
    const layers = await readOverrideFolder(disk, folder, pictures)
    for (const [name, { path }] of layers) checkName(spec, path, name)
    const animations = spec.animations.flatMap((animation) => {
      const overrides = layOut(disk, layers, nameInSprite(spec, animation), animation.take)
      return overrides ? [[animation.name, overrides] as const] : []
    })
    const files = [...layers.values()].flatMap((layer) => layer.files.map(({ path }) => path))
    return { animations: new Map(animations), paths: [folder, ...new Set(files)] }
  }
}

/**
 * Checks that a name belongs to an animation. `walk` is for every take, `walk@2` only for the second take.
 */
function checkName(spec: SpriteSpec, path: string, name: string): void {
  const [, animation, take] = /^([^@]*)(?:@([1-9]\d*))?$/.exec(name) ?? []
  const names = spec.animations.map((own) => nameInSprite(spec, own))
  if (animation !== undefined && names.includes(animation)) return
  throw overrideError(path, {
    expected: `an animation or picture of "${spec.name}" (${names.join(', ')}), as ${names[0]} for all of its takes or ${names[0]}@2 for one`,
    found: JSON.stringify(name),
    next: 'Rename it, or take it out of the folder.',
    facts: { sprite: spec.name, name, ...(take === undefined ? {} : { take: Number(take) }) },
  })
}

/** Collects the overrides of the take in the spec. Pictures of this take override pictures of all takes. */
function layOut(disk: Disk, layers: ReadonlyMap<string, OverrideLayer>, name: string, take: number): Overrides | undefined {
  const frames = new Map<number, FoundOverride>()
  for (const layer of [layers.get(name), layers.get(`${name}@${take}`)])
    for (const found of layer?.frames ?? []) frames.set(found.frame, found)
  if (frames.size === 0) return undefined
  const sorted = [...frames.values()].sort((a, b) => a.frame - b.frame)
  return {
    key: sorted.map(({ frame, picture, part }) => [frame, picture.sha256, part ?? null] as const),
    read: () => readAll(disk, sorted),
  }
}

async function readAll(disk: Disk, found: readonly FoundOverride[]): ReturnType<Overrides['read']> {
  const pictures = new Map<string, { readonly name: string; readonly bytes: Uint8Array; readonly bitmaps: readonly Bitmap[] }>()
  const overrides: Override[] = []
  for (const { frame, picture, part, count } of found) {
    const { path } = picture
    const whole = pictures.get(path) ?? { name: basename(path), ...(await decode(disk, picture, count !== undefined)) }
    pictures.set(path, whole)
    const bitmap = whole.bitmaps[count === undefined ? 0 : frame] as Bitmap
    overrides.push({ frame, file: path, bitmap: part ? await withFile(path, () => cutSheetFrame(bitmap, part)) : bitmap, count })
  }
  return { found: overrides, warnings: gamutWarning([...pictures.values()]) }
}

async function decode(
  disk: Disk,
  { path, sha256: expected }: OverrideFile,
  isAseprite: boolean,
): Promise<{ bytes: Uint8Array; bitmaps: readonly Bitmap[] }> {
  const bytes = await disk.read(path)
  // The cache key of the build contains the digest of the first read.
  if (sha256(bytes) !== expected)
    throw overrideError(path, { expected: 'the picture as it was a moment ago', found: 'another one', next: 'Run the command again.' })
  const draw = (): readonly Bitmap[] => readAseprite(bytes).frames.map(({ bitmap }) => bitmap)
  return { bytes, bitmaps: await withFile(path, async () => (isAseprite ? draw() : [await readPicture(bytes)])) }
}

/** Adds the file to an error of `atlas/`. */
async function withFile<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw overrideError(
      path,
      {
        expected: `a sound ${/\.ase/i.test(path) ? 'Aseprite file' : 'PNG'}`,
        found: `a damaged one: ${(error as Error).message}`,
        next: 'Save it again.',
      },
      error,
    )
  }
}

/**
 * Replaces delivered frames by touched-up ones.
 *
 * @param id `sprite.animation`.
 * @throws `SW_OVERRIDE` for a picture of another size than the delivered frame, or of a frame that was not
 * delivered.
 */
export async function layOver(
  id: string,
  delivered: readonly Bitmap[],
  overrides: Overrides,
): Promise<{ readonly frames: readonly Bitmap[]; readonly touched: ReadonlySet<number>; readonly warnings: readonly string[] }> {
  const frames = [...delivered]
  const { found, warnings } = await overrides.read()
  for (const { frame, file, bitmap, count = delivered.length } of found) {
    if (count !== delivered.length)
      throw overrideError(file, {
        expected: `the ${delivered.length} frames of "${id}", as they were delivered`,
        found: `${count}`,
        next: 'Keep all of them: "use" in the spec leaves frames out, free of charge.',
        facts: { id, expected: delivered.length, found: count },
      })
    const base = delivered[frame]
    if (!base)
      throw overrideError(file, {
        expected: `a frame of "${id}", which has ${delivered.length}, 0 to ${delivered.length - 1}`,
        found: `frame ${frame}`,
        next: 'Rename it, or remove it.',
        facts: { id, frame, frames: delivered.length },
      })
    if (bitmap.width !== base.width || bitmap.height !== base.height) throw wrongSize(id, { frame, file, bitmap }, base)
    frames[frame] = bitmap
  }
  return { frames, touched: new Set(found.map(({ frame }) => frame)), warnings: warnings.map((warning) => `${id}: ${warning}`) }
}

function wrongSize(id: string, { frame, file, bitmap }: Override, base: Bitmap): SpritewrightError {
  return overrideError(file, {
    expected: `frame ${frame} of "${id}" in its delivered size, ${base.width} × ${base.height} pixels`,
    found: `${bitmap.width} × ${bitmap.height}`,
    next: 'Keep the canvas as it is; "size" in the spec scales all frames together, free of charge.',
    facts: {
      id,
      frame,
      expected: { width: base.width, height: base.height },
      found: { width: bitmap.width, height: bitmap.height },
    },
  })
}
