import { basename, dirname, join, resolve } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import type { Disk, DiskStat } from '../host/disk.ts'
import { decodeText } from '../host/project-style.ts'
import { foldPath } from '../host/real-path.ts'
import { sha256 as hashOf } from '../host/sha256.ts'
import type { Place, ValuePath } from './document.ts'
import { isPathBeside } from './fields.ts'
import { placeInSpec } from './parser.ts'
import { type PictureHeader, sniffPicture } from './picture.ts'
import type { SpriteSpec } from './spec.ts'

/**
 * A service's limits for a picture. The capabilities record has these fields. If a limit is null or absent,
 * it is unknown and not checked.
 */
export interface ReferenceLimits {
  readonly maximumInputBytes?: number | null
  /** The interface does not say how this limit differs from `maximumInputBytes`, so the lower limit counts. */
  readonly maximumSourceInputBytes?: number | null
  /** Longest side, in pixels. */
  readonly maximumInputDimension?: number | null
  /** File endings, with or without a dot, in any case. */
  readonly supportedInputExtensions?: readonly string[] | null
}

/** The bytes of a reference picture, with its recognised format. */
export interface ReferencePicture extends PictureHeader {
  /** Absolute path. */
  readonly path: string
  readonly bytes: Uint8Array
  /** Hash of the bytes, lower-case hex. */
  readonly sha256: string
}

/** Largest file that is read into memory, even if the service accepts larger ones. */
const maximumBytes = 64 * 1024 * 1024

const endings: Readonly<Record<PictureHeader['contentType'], readonly string[]>> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
}

/**
 * Absolute path of the picture file that is a spec's reference or its first step, or of the source of own art.
 * Returns `undefined` if the first step is a text.
 */
export function referencePath(spec: SpriteSpec): string | undefined {
  const first = spec.reference.kind === 'steps' ? spec.reference.steps[0] : spec.reference
  if (first?.kind !== 'file' && first?.kind !== 'image' && first?.kind !== 'own') return undefined
  return resolve(dirname(spec.file), first.path)
}

/**
 * Reads the picture file of a spec and checks it by its bytes, not by its ending.
 *
 * @param limits The service's limits, if known. `Capabilities` fits.
 * @throws `SW_REFERENCE` with facts `{ sprite, file, line, column, path, … }` if the file is missing, or is not a
 * PNG, JPEG or WebP. Also if the file exceeds a limit; then the facts `limit` and `found` are the two figures.
 * `SW_DISK` if the file exists but cannot be read.
 */
export async function readReference(disk: Disk, spec: SpriteSpec, limits: ReferenceLimits = {}): Promise<ReferencePicture> {
  const path = referencePath(spec)
  const written = spec.reference.kind === 'file' ? spec.reference.path : firstImage(spec)
  if (path === undefined || written === undefined) {
    throw await referenceError(disk, spec, { message: 'expected a picture file, found a chain that begins with a text', facts: {} })
  }
  if (!isPathBeside(written)) {
    const message = `expected a path relative to the folder of the spec, found ${JSON.stringify(written)}`
    throw await referenceError(disk, spec, { message, facts: { path: written } })
  }
  const stat = await ask(() => disk.stat(path), path)
  const alike = await ask(() => otherSpelling(disk, path, written), path)
  const early = alike ?? (!stat || stat.isFolder ? missing(path, written, stat) : tooManyBytes(stat.bytes, path, limits))
  if (early) throw await referenceError(disk, spec, early)
  const bytes = await ask(() => disk.read(path), path)
  const sniffed = sniffPicture(bytes)
  if ('found' in sniffed) throw await referenceError(disk, spec, notAPicture(path, written, sniffed.found))
  // The size is checked again, because the file may have grown since `stat`.
  const late = overLimits(bytes, sniffed.header, path, limits)
  if (late) throw await referenceError(disk, spec, late)
  return { path, bytes, sha256: hashOf(bytes), ...sniffed.header }
}

/** The reason why a picture is not sent. */
export interface Refusal {
  /** Expected, found, and what to do, without a place and the final full stop. */
  readonly message: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** Checks a picture against the limits of a service. Returns `undefined` if it fits. */
export function overLimits(bytes: Uint8Array, header: PictureHeader, path: string, limits: ReferenceLimits): Refusal | undefined {
  return tooManyBytes(bytes.length, path, limits) ?? unfit(header, path, limits)
}

function firstImage(spec: SpriteSpec): string | undefined {
  const first = spec.reference.kind === 'steps' ? spec.reference.steps[0] : undefined
  return first?.kind === 'image' ? first.path : undefined
}

/**
 * If a name differs from the name on the disk only in case or Unicode form, some machines find the file and others
 * do not. So such a name is refused on all machines.
 */
async function otherSpelling(disk: Disk, path: string, written: string): Promise<Refusal | undefined> {
  let [folder, inside] = [dirname(path), basename(path)]
  for (const part of written.split('/').reverse()) {
    if (part === '.' || part === '..') break
    const here = folder
    const isThere = async (name: string): Promise<boolean> => (await disk.stat(join(here, name))) !== undefined
    const flipped = inside === inside.toLowerCase() ? inside.toUpperCase() : inside.toLowerCase()
    // On a disk that distinguishes these forms, the file has exactly the written name, or is missing.
    const forms = [flipped, inside.normalize('NFC'), inside.normalize('NFD')].filter((form) => form !== inside)
    if (forms.length > 0 && (!(await isThere(inside)) || (await Promise.all(forms.map(isThere))).includes(true))) {
      const names = await disk.list(folder)
      const found = names.includes(inside) ? undefined : names.find((name) => foldPath(name) === foldPath(inside))
      const by = found?.toLowerCase() === inside.toLowerCase() ? 'case' : 'Unicode form'
      if (found !== undefined)
        return {
          message: `expected ${JSON.stringify(inside)}, found ${JSON.stringify(found)}, which differs in ${by}; write the name in the spec as the file has it`,
          facts: { path, found },
        }
    }
    ;[folder, inside] = [dirname(folder), basename(folder)]
  }
  return undefined
}

function missing(path: string, written: string, stat: DiskStat | undefined): Refusal {
  const found = stat ? 'a folder' : 'nothing'
  return { message: `expected a picture at ${JSON.stringify(written)}, found ${found} at ${path}`, facts: { path, found } }
}

function notAPicture(path: string, written: string, found: string): Refusal {
  return { message: `expected a PNG, JPEG or WebP picture at ${JSON.stringify(written)}, found ${found}`, facts: { path, found } }
}

function tooManyBytes(bytes: number, path: string, limits: ReferenceLimits): Refusal | undefined {
  const limit = Math.min(limits.maximumInputBytes ?? maximumBytes, limits.maximumSourceInputBytes ?? maximumBytes, maximumBytes)
  if (bytes <= limit) return undefined
  return {
    message: `expected a picture of at most ${limit} bytes, found ${bytes} bytes. Make it smaller`,
    facts: { path, limit, found: bytes },
  }
}

function unfit(header: PictureHeader, path: string, limits: ReferenceLimits): Refusal | undefined {
  const limit = limits.maximumInputDimension ?? undefined
  const longest = Math.max(header.width, header.height)
  if (limit !== undefined && longest > limit) {
    const message = `expected a picture of at most ${limit} pixels a side, found ${header.width} × ${header.height} pixels. Scale it down`
    return { message, facts: { path, limit, found: longest } }
  }
  const supported = limits.supportedInputExtensions?.map((ending) => ending.replace(/^\./, '').toLowerCase())
  if (!supported || endings[header.contentType].some((ending) => supported.includes(ending))) return undefined
  const message = `expected a picture that the service takes (${supported.join(', ')}), found ${header.contentType}. Convert it`
  return { message, facts: { path, limit: supported, found: header.contentType } }
}

/**
 * Makes the error for a reference that cannot be used, with its place in the spec. The place is found only here,
 * because a valid spec needs no places.
 */
export async function referenceError(disk: Disk, spec: SpriteSpec, refusal: Refusal): Promise<SpritewrightError> {
  const place = await findPlace(disk, spec)
  const where = place ? `${spec.file}:${place.line}:${place.column}` : spec.file
  return new SpritewrightError('SW_REFERENCE', {
    message: `${where} reference: ${refusal.message}.`,
    facts: { sprite: spec.name, file: spec.file, ...place, ...refusal.facts },
  })
}

async function findPlace(disk: Disk, spec: SpriteSpec): Promise<Place | undefined> {
  if (!(await disk.stat(spec.file))) return undefined
  const path: ValuePath = spec.reference.kind === 'steps' ? ['reference', 'steps', 0] : ['reference']
  return placeInSpec(decodeText(await disk.read(spec.file)), spec.file, path)
}

async function ask<T>(question: () => Promise<T>, path: string): Promise<T> {
  try {
    return await question()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'an unknown failure'
    throw new SpritewrightError('SW_DISK', {
      message: `Expected to read ${path}, found ${code}. Check the file and its permissions.`,
      facts: { file: path },
      cause,
    })
  }
}
