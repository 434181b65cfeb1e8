import { readFileSync, statSync } from 'node:fs'

/** What `Disk.stat` tells of a path. */
export interface DiskStat {
  /** Size in bytes; 0 for a folder. */
  readonly bytes: number
  /** Last change of the content, milliseconds since the Unix epoch. */
  readonly changedMs: number
  readonly isFolder: boolean
}

/** The whole file. `ENOENT` where there is none. */
export function readNow(path: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = readFileSync(path)
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Undefined where nothing is. */
export function statNow(path: string): DiskStat | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found && { bytes: found.isDirectory() ? 0 : found.size, changedMs: found.mtimeMs, isFolder: found.isDirectory() }
  } catch (error) {
    // Nothing lies in a file.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}
