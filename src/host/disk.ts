import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { appendFile, open, rm } from 'node:fs/promises'

/** Result of {@link Disk.stat}. */
export interface DiskStat {
  /** Size in bytes; 0 for a folder. */
  readonly bytes: number
  /** Last change of the content, milliseconds since the Unix epoch. */
  readonly changedMs: number
  readonly isFolder: boolean
}

/**
 * The file system, passed in. Paths are absolute. Failures are Node's errors (`code` is `ENOENT`, `EEXIST`,
 * `ENOSPC` …). Durability is explicit: bytes are safe after {@link Disk.sync}, names after {@link
 * Disk.syncFolder}.
 */
export interface Disk {
  /** Reads the whole file. Fails with `ENOENT` if there is none. */
  read(path: string): Promise<Uint8Array>
  /** Names in a folder, sorted by code unit. Empty if there is no such folder. */
  list(folder: string): Promise<string[]>
  /** Names in a folder that are symbolic links, sorted by code unit. Empty if there is no such folder. */
  links(folder: string): Promise<string[]>
  /** Returns `undefined` if nothing exists at the path. */
  stat(path: string): Promise<DiskStat | undefined>
  /** Makes the folder and those above it. */
  makeFolder(folder: string): Promise<void>
  /**
   * Writes a new file. Not durable before {@link Disk.sync}. Fails with `EEXIST` if the path is taken.
   *
   * @param mode Permissions of the file.
   * @default those of the process
   */
  writeTemp(path: string, bytes: Uint8Array, mode?: number): Promise<void>
  /**
   * Appends bytes to a file and syncs it. Creates the file if it is missing. A crash may leave an incomplete
   * end.
   */
  append(path: string, bytes: Uint8Array): Promise<void>
  /** fsync of a file. */
  sync(path: string): Promise<void>
  /**
   * Gives a file a second name. Fails with `EEXIST` if that name is taken, so exactly one of several callers
   * wins.
   */
  link(from: string, to: string): Promise<void>
  /** fsync of a folder. Afterwards new names in it survive a power loss. */
  syncFolder(folder: string): Promise<void>
  /** Renames, and replaces anything at `to`. */
  move(from: string, to: string): Promise<void>
  /** Removes a file, or a folder with its content. Does nothing if the path does not exist. */
  remove(path: string): Promise<void>
  /**
   * Sets {@link DiskStat.changedMs}. Fails with `ENOENT` if nothing exists at the path.
   *
   * @param atMs Milliseconds since the Unix epoch.
   */
  touch(path: string, atMs: number): Promise<void>
}

/**
 * Longest time of consecutive calls before other work gets a turn, in nanoseconds. Measured by the process
 * clock, because loading `performance` takes as long as reading a hundred files.
 */
const longestTurnNs = 20_000_000n

/** How long a read waits for the content of an empty file, in milliseconds. */
const emptyMs = 20

/**
 * The file system of this machine.
 *
 * Calls that take microseconds run synchronously. In another thread each of them would take ten times as
 * long, and a build makes thousands. Calls that wait for the device itself (flushes, whole folders) run
 * asynchronously beside other work. Signals, timers and requests are handled between calls, however many
 * calls of any kind follow each other.
 */
export function nodeDisk(): Disk {
  let last = process.hrtime.bigint()
  /** Makes a call at once. If other work has waited too long, that work runs before the call. */
  const now = async <T>(call: () => T | Promise<T>): Promise<T> => {
    if (process.hrtime.bigint() - last >= longestTurnNs) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      last = process.hrtime.bigint()
    }
    return call()
  }
  return {
    read: async (path) => {
      const bytes = await now(() => readNow(path))
      if (bytes.length > 0) return bytes
      // Programs that save a file empty it first.
      await new Promise<void>((resolve) => setTimeout(resolve, emptyMs))
      return readNow(path)
    },
    list: (folder) => now(() => listNow(folder)),
    links: (folder) => now(() => linksNow(folder)),
    stat: (path) => now(() => statNow(path)),
    makeFolder: (folder) => now(() => void mkdirSync(folder, { recursive: true })),
    writeTemp: (path, bytes, mode) =>
      withPath(path, () => now(() => writeFileSync(path, bytes, { flag: 'wx', ...(mode === undefined ? {} : { mode }) }))),
    append: (path, bytes) => withPath(path, () => appendFile(path, bytes, { flush: true } as Parameters<typeof appendFile>[2])),
    sync: (path) => syncOpened(path),
    link: (from, to) => now(() => linkOrCopy(from, to)),
    syncFolder: async (folder) => {
      // Windows cannot open a folder to sync it. Its file systems order names with their files themselves.
      if (process.platform !== 'win32') await syncOpened(folder)
    },
    move: (from, to) => now(() => renamePatiently(() => renameSync(from, to))),
    remove: (path) => now(() => removeOne(path)),
    touch: (path, atMs) => now(() => utimesSync(path, atMs / 1000, atMs / 1000)),
  }
}

function readNow(path: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = readFileSync(path)
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function listNow(folder: string): string[] {
  return unless(['ENOENT'], () => readdirSync(folder).sort()) ?? []
}

function linksNow(folder: string): string[] {
  const entries = unless(['ENOENT', 'ENOTDIR'], () => readdirSync(folder, { withFileTypes: true })) ?? []
  return entries.flatMap((entry) => (entry.isSymbolicLink() ? [entry.name] : [])).sort()
}

function statNow(path: string): DiskStat | undefined {
  // Node throws ENOTDIR if a part of the path is a file, regardless of `throwIfNoEntry`.
  const found = unless(['ENOTDIR'], () => statSync(path, { throwIfNoEntry: false }))
  return found && { bytes: found.isDirectory() ? 0 : found.size, changedMs: found.mtimeMs, isFolder: found.isDirectory() }
}

/** Makes a call. Returns `undefined` if it fails with one of these codes. */
function unless<T>(codes: readonly string[], call: () => T): T | undefined {
  try {
    return call()
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

async function removeOne(path: string): Promise<void> {
  try {
    unlinkSync(path)
  } catch (error) {
    // Each system has its own error code for a folder.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') await rm(path, { recursive: true, force: true })
  }
}

/**
 * Adds the path to the error of a write. Node's error of a full disk, from a write to an open file, has no
 * path.
 */
async function withPath(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (error instanceof Error && !('path' in error)) Object.assign(error, { path, message: `${error.message} '${path}'` })
    throw error
  }
}

async function syncOpened(path: string): Promise<void> {
  const handle = await open(path, process.platform === 'win32' ? 'r+' : 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Pauses before a rename is tried again, in milliseconds. */
const renamePausesMs = [10, 20, 50, 100, 200, 400, 800]

/**
 * Makes a rename. On Windows a virus scanner, an indexer or a reader may hold one of the files for a moment,
 * so there it is tried again for about a second and a half.
 *
 * @param rename Throws Node's error.
 * @param platform Of the process.
 * @param pause Waits for so many milliseconds.
 */
export async function renamePatiently(
  rename: () => void,
  platform: NodeJS.Platform = process.platform,
  pause: (ms: number) => Promise<unknown> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
): Promise<void> {
  for (const ms of platform === 'win32' ? renamePausesMs : []) {
    try {
      return rename()
    } catch (error) {
      if (!['EPERM', 'EBUSY', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
      await pause(ms)
    }
  }
  rename()
}

/**
 * Gives a file a second name. Some file systems have no hard links (exFAT, some network shares); there it
 * becomes a copy.
 *
 * @param link Throws Node's error.
 */
export async function linkOrCopy(from: string, to: string, link: (from: string, to: string) => void = linkSync): Promise<void> {
  try {
    link(from, to)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EXDEV') throw error
    await copyExclusively(from, to)
  }
}

/**
 * An empty file takes the name, so that one of several callers wins. A rename then gives it all bytes at
 * once.
 */
async function copyExclusively(from: string, to: string): Promise<void> {
  writeFileSync(to, '', { flag: 'wx' })
  const copy = `${from}.copy`
  try {
    copyFileSync(from, copy)
    await syncOpened(copy)
    await renamePatiently(() => renameSync(copy, to))
  } catch (error) {
    await removeOne(copy)
    await removeOne(to)
    throw error
  }
}
