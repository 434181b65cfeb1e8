import { join } from 'node:path'
import type { Bitmap, Borders } from '../../atlas/index.ts'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import { sha256 as hashOf } from '../host/sha256.ts'

// Art that a person has drawn: frames from files of the project, which cost nothing.

/** A box in shares of a frame, 0 to 1, from its top left. */
export type ArtBox = readonly [x: number, y: number, width: number, height: number]

/** Pictures of one name in a source: an animation, or one picture. */
export interface ArtSequence {
  /** Name of the animation or picture; empty for a file without names. */
  readonly name: string
  /** Whether the sequence is one picture and no animation. */
  readonly isPicture: boolean
  /** Number of frames. */
  readonly frames: number
  /**
   * Display time of each frame, in milliseconds.
   *
   * @default the times of the spec
   */
  readonly durations?: readonly number[]
  /**
   * Indices of the played frames, in playing order.
   *
   * @default all frames, in their order
   */
  readonly play?: readonly number[]
  readonly loop: boolean
  readonly yoyo: boolean
  /**
   * Boxes of each frame by name, `[x, y, width, height]` in shares of the frame.
   *
   * @default none
   */
  readonly boxes?: Readonly<Record<string, readonly (readonly ArtBox[])[]>>
  /** Hash of the frames' source, which changes with its bytes. */
  readonly sha256: string
  /**
   * Reads the frames, all of one size.
   *
   * @throws `SW_SOURCE`
   */
  readonly read: () => Promise<readonly Bitmap[]>
}

/** The content of a source. */
export interface Art {
  /** In the order of the source. */
  readonly sequences: readonly ArtSequence[]
  /** The source and the files in it that were read, absolute. */
  readonly files: readonly string[]
  /** 0 to 1 of the untrimmed frame; missing if the source has none. */
  readonly anchor?: { readonly x: number; readonly y: number }
  /** Borders of a nine-slice; missing if the source has none. */
  readonly borders?: Borders
}

/** Plays forward from the start, again and again. */
export const plainPlayback = { loop: true, yoyo: false } as const

/** Largest source file that is read, in bytes. */
const maximumBytes = 256 * 1024 * 1024

/**
 * Reads a file of a source.
 *
 * @throws `SW_SOURCE` for a file that is too large; `SW_DISK`.
 */
export async function readSourceFile(disk: Disk, file: string): Promise<Uint8Array> {
  const bytes = (await statSource(disk, file))?.bytes ?? 0
  if (bytes > maximumBytes) throw sourceError(file, `at most ${maximumBytes} bytes`, String(bytes), 'Split it.')
  return reading(file, () => disk.read(file))
}

/**
 * Size and kind of a file or folder of a source; `undefined` if it is missing.
 *
 * @throws `SW_DISK`
 */
export async function statSource(disk: Disk, path: string): ReturnType<Disk['stat']> {
  return reading(path, () => disk.stat(path))
}

/** Makes a call of the disk. Its failure is an error of this source alone, so that other sources are still read. */
async function reading<T>(file: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'an unknown failure'
    const message = `Expected to read ${file}, found ${code}. Check that path and its permissions.`
    throw new SpritewrightError('SW_DISK', { message, facts: { file }, cause })
  }
}

/**
 * Reads a file of a source again.
 *
 * @param sha256 Hash of the file at the first read, by which cached frames are found.
 * @throws `SW_SOURCE` if the file has changed since.
 */
export async function readAgain(disk: Disk, file: string, sha256: string): Promise<Uint8Array> {
  const bytes = await readSourceFile(disk, file)
  if (hashOf(bytes) === sha256) return bytes
  throw sourceError(file, 'the file as it was a moment ago', 'another one', 'Run the command again.')
}

/**
 * The absolute paths of the files and folders in a folder, without hidden ones.
 *
 * @throws `SW_DISK`
 */
export async function listFolder(disk: Disk, folder: string): Promise<readonly string[]> {
  return (await reading(folder, () => disk.list(folder))).filter((name) => !name.startsWith('.')).map((name) => join(folder, name))
}

/** Makes the error for a source that cannot be used. */
export function sourceError(file: string, expected: string, found: string, next: string): SpritewrightError {
  return new SpritewrightError('SW_SOURCE', { message: `${file}: expected ${expected}, found ${found}. ${next}`, facts: { file } })
}

/** Adds the file to an error of `atlas/`. */
export async function withFile<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof SpritewrightError) throw cause
    throw new SpritewrightError('SW_SOURCE', { message: `${file}: ${(cause as Error).message}`, facts: { file }, cause })
  }
}
