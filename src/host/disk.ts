import { constants } from 'node:fs'
import { appendFile, copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'

/** What {@link Disk.stat} tells of a path. */
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
  /** Undefined where nothing is. */
  stat(path: string): Promise<DiskStat | undefined>
  /** Makes the folder and those above it. */
  makeFolder(folder: string): Promise<void>
  /** Writes a new file; `EEXIST` where the path is taken. Not durable before {@link Disk.sync}. */
  writeTemp(path: string, bytes: Uint8Array): Promise<void>
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

/** The file system of this machine. */
export function nodeDisk(): Disk {
  return {
    read: async (path) => new Uint8Array(await readFile(path)),
    list: async (folder) => {
      try {
        return (await readdir(folder)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      }
    },
    stat: async (path) => {
      try {
        const found = await stat(path)
        return { bytes: found.isDirectory() ? 0 : found.size, changedMs: found.mtimeMs, isFolder: found.isDirectory() }
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code
        if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
        throw error
      }
    },
    makeFolder: async (folder) => {
      await mkdir(folder, { recursive: true })
    },
    writeTemp: (path, bytes) => naming(path, writeFile(path, bytes, { flag: 'wx' })),
    append: (path, bytes) => naming(path, appendFile(path, bytes, { flush: true } as Parameters<typeof appendFile>[2])),
    sync: (path) => syncOpened(path),
    link: (from, to) => linkOrCopy(from, to),
    syncFolder: async (folder) => {
      // Windows cannot open a folder for syncing; its file systems order names with their files by themselves.
      if (process.platform !== 'win32') await syncOpened(folder)
    },
    move: (from, to) => rename(from, to),
    remove: (path) => rm(path, { recursive: true, force: true }),
    touch: (path, atMs) => utimes(path, atMs / 1000, atMs / 1000),
  }
}

/** A full disk is told by a write to an open file, whose error does not say which. */
async function naming(path: string, writing: Promise<void>): Promise<void> {
  try {
    await writing
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
    await link(from, to)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EXDEV') throw error
    await copyFile(from, to, constants.COPYFILE_EXCL)
    await syncOpened(to)
  }
}
