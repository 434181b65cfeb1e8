import {
  constants,
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

/** What {@link Disk.stat} answers. */
export interface DiskStat {
  /** Size in bytes; 0 for a folder. */
  readonly bytes: number
  /** Last change of the content, milliseconds since the Unix epoch. */
  readonly changedMs: number
  readonly isFolder: boolean
}

/**
 * The file system, handed in. Paths are absolute. Failures are the errors of Node (`code` is `ENOENT`, `EEXIST`, `ENOSPC` …).
 * Durability is explicit: bytes are safe after {@link Disk.sync}, names after {@link Disk.syncFolder}.
 */
export interface Disk {
  /** The whole file. `ENOENT` where there is none. */
  read(path: string): Promise<Uint8Array>
  /** Names in a folder, sorted by code unit; empty where there is no such folder. */
  list(folder: string): Promise<string[]>
  /** Names in a folder that are symbolic links, sorted by code unit; empty if there is no such folder. */
  links(folder: string): Promise<string[]>
  /** Undefined where nothing is. */
  stat(path: string): Promise<DiskStat | undefined>
  /** Makes the folder and those above it. */
  makeFolder(folder: string): Promise<void>
  /** Writes a new file; `EEXIST` where the path is taken. Not durable before {@link Disk.sync}. @param mode Its permissions. @default those of the process */
  writeTemp(path: string, bytes: Uint8Array, mode?: number): Promise<void>
  /** Adds bytes at the end of a file, making it where it is missing, and syncs it. A crash may leave a torn tail. */
  append(path: string, bytes: Uint8Array): Promise<void>
  /** fsync of a file. */
  sync(path: string): Promise<void>
  /** Gives a file a second name; `EEXIST` where that name is taken: exactly one of several racers wins. */
  link(from: string, to: string): Promise<void>
  /** fsync of a folder, after which names made in it survive a power loss. */
  syncFolder(folder: string): Promise<void>
  /** Renames, replacing what was at `to`. */
  move(from: string, to: string): Promise<void>
  /** Removes a file, or a folder with all in it; nothing where nothing is. */
  remove(path: string): Promise<void>
  /** Sets the time that {@link DiskStat.changedMs} tells. `ENOENT` where nothing is. @param atMs Milliseconds since the Unix epoch. */
  touch(path: string, atMs: number): Promise<void>
}

/** How long calls are made on end before others have their turn. By the clock of the process: that of `performance` takes as long to load as a hundred files to read. */
const longestTurnNs = 20_000_000n

/** How long a file that is empty is given to be filled. */
const emptyMs = 20

/**
 * The file system of this machine.
 *
 * What takes microseconds is done at once: handed to another thread and back, each such call takes ten times as long, and a build makes thousands. What waits for the device itself (flushes, whole folders)
 * is waited for beside other work. Signals, timers and requests are let through between calls, however many of whatever kind are made on end.
 */
export function nodeDisk(): Disk {
  let last = process.hrtime.bigint()
  /** Makes a call at once, but for what has waited for too long. */
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
      // Whoever saves a file empties it first.
      await new Promise<void>((resolve) => setTimeout(resolve, emptyMs))
      return readNow(path)
    },
    list: (folder) => now(() => listNow(folder)),
    links: (folder) => now(() => linksNow(folder)),
    stat: (path) => now(() => statNow(path)),
    makeFolder: (folder) => now(() => void mkdirSync(folder, { recursive: true })),
    writeTemp: (path, bytes, mode) =>
      naming(path, () => now(() => writeFileSync(path, bytes, { flag: 'wx', ...(mode === undefined ? {} : { mode }) }))),
    append: (path, bytes) => naming(path, () => appendFile(path, bytes, { flush: true } as Parameters<typeof appendFile>[2])),
    sync: (path) => syncOpened(path),
    link: (from, to) => now(() => linkOrCopy(from, to)),
    syncFolder: async (folder) => {
      // Windows cannot open a folder for syncing; its file systems order names with their files by themselves.
      if (process.platform !== 'win32') await syncOpened(folder)
    },
    move: (from, to) => now(() => renameSync(from, to)),
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
  // Node throws ENOTDIR if a part of the path is a file, whatever `throwIfNoEntry` says.
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
    // A folder is told in as many ways as there are systems.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') await rm(path, { recursive: true, force: true })
  }
}

/** A full disk is told by a write to an open file, whose error does not say which. */
async function naming(path: string, write: () => Promise<void>): Promise<void> {
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

/** Hard links are missing on some file systems (exFAT, some network shares): an exclusive copy keeps "one winner" there. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EXDEV') throw error
    copyFileSync(from, to, constants.COPYFILE_EXCL)
    await syncOpened(to)
  }
}
