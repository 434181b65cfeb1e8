import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { promisify } from 'node:util'

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
   */
  writeTemp(path: string, bytes: Uint8Array): Promise<void>
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
  /**
   * From now on, a file, or a folder with everything in it, is for its owner alone: new files are made so, and
   * existing ones become so when they are next used. Not on Windows, where a user's folders are private.
   *
   * @default missing: permissions are those of the process
   */
  keepPrivate?(path: string): void
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
  const roots: string[] = []
  const owned = new Set<string>()
  /** Takes a private path from everybody but its owner. Returns the permissions that a new file there may have. */
  const own = (path: string): number => {
    const inside = path + sep
    if (process.platform === 'win32' || !roots.some((root) => inside.startsWith(root))) return 0o777
    try {
      const stat = owned.has(path) || own(dirname(path)) === 0 ? undefined : lstatSync(path)
      if (stat) owned.add(path)
      // What a link leads to may be somebody else's.
      if (stat && !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0) chmodSync(path, stat.mode & 0o700)
    } catch {
      // A file that is not there, of another user, or on a disk without permissions. The call itself says what is wrong.
    }
    return 0o700
  }
  let last = process.hrtime.bigint()
  /** Makes a call at once. If other work has waited too long, that work runs before the call. */
  const now = async <T>(path: string, call: (mode: number) => T | Promise<T>): Promise<T> => {
    if (process.hrtime.bigint() - last >= longestTurnNs) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      last = process.hrtime.bigint()
    }
    try {
      return await call(own(path))
    } catch (error) {
      // Node's error of a call on an open file, e.g. of a full disk, has no path.
      if (error instanceof Error && !('path' in error)) Object.assign(error, { path, message: `${error.message} '${path}'` })
      throw error
    }
  }
  return {
    keepPrivate: (path) => {
      owned.clear()
      const root = resolve(path) + sep
      if (!roots.includes(root)) roots.push(root)
    },
    read: async (path) => {
      const bytes = await now(path, () => readNow(path))
      if (bytes.length > 0) return bytes
      // Programs that save a file empty it first.
      await new Promise<void>((resolve) => setTimeout(resolve, emptyMs))
      return now(path, () => readNow(path))
    },
    list: async (folder) => {
      const names = await now(folder, () => listNow(folder))
      for (const name of names) own(join(folder, name))
      return names
    },
    links: (folder) => now(folder, () => linksNow(folder)),
    stat: (path) => now(path, () => statNow(path)),
    makeFolder: (folder) => now(folder, (mode) => void mkdirSync(folder, { recursive: true, mode })),
    writeTemp: (path, bytes) => now(path, (mode) => writeFileSync(path, bytes, { flag: 'wx', mode: mode & 0o666 })),
    append: (path, bytes) => now(path, (mode) => opened(path, 'a', (file) => writeFileSync(file, bytes), mode & 0o666)),
    sync: (path) => now(path, () => syncOpened(path)),
    link: (from, to) => now(to, () => linkOrCopy(from, to)),
    syncFolder: async (folder) => {
      // Windows cannot open a folder to sync it. Its file systems order names with their files themselves.
      if (process.platform !== 'win32') await now(folder, () => syncOpened(folder))
    },
    move: (from, to) => now(to, () => renamePatiently(() => renameSync(from, to))),
    remove: (path) =>
      now(path, () => {
        owned.delete(path)
        return removeOne(path)
      }),
    touch: (path, atMs) => now(path, () => utimesSync(path, atMs / 1000, atMs / 1000)),
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

/** Syncs a file after a call on it. By its number, because not every installer's file system gives out handles that sync. */
async function opened(path: string, flags: string, work: (file: number) => void = () => {}, mode = 0o666): Promise<void> {
  const file = openSync(path, flags, mode)
  try {
    work(file)
    await promisify(fsync)(file)
  } finally {
    closeSync(file)
  }
}

const syncOpened = (path: string): Promise<void> => opened(path, process.platform === 'win32' ? 'r+' : 'r')

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
 * @param sync Brings the copy to the disk before it takes the name.
 */
export async function linkOrCopy(
  from: string,
  to: string,
  link: (from: string, to: string) => void = linkSync,
  sync: (path: string) => Promise<void> = syncOpened,
): Promise<void> {
  try {
    link(from, to)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EXDEV') throw error
    await copyExclusively(from, to, sync)
  }
}

/**
 * An empty file takes the name, so that one of several callers wins. A rename then gives it all bytes at
 * once.
 */
async function copyExclusively(from: string, to: string, sync: (path: string) => Promise<void>): Promise<void> {
  writeFileSync(to, '', { flag: 'wx' })
  const copy = `${from}.copy`
  try {
    copyFileSync(from, copy)
    await sync(copy)
    await renamePatiently(() => renameSync(copy, to))
  } catch (error) {
    await removeOne(copy)
    await removeOne(to)
    throw error
  }
}
