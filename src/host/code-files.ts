import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The files that compiled code is kept in, read and written at once. Whatever cannot be read is undefined. */
export interface CodeFiles {
  readBytes(path: string): Uint8Array | undefined
  /**
   * Writes a file whole or not at all; false where that cannot be done. Folders that are made for it are for this user alone.
   *
   * @param temp Name beside it that nobody else writes under.
   */
  write(path: string, temp: string, content: Uint8Array): boolean
  /** Whether a folder is missing, or this user's, and nobody else may write in it. Windows gives each user folders like that. */
  isOwn(folder: string): boolean
  /** Removes files of a folder by the ending of their names and the time of their last change, milliseconds since the Unix epoch. */
  removeOld(folder: string, ending: string, beforeMs: number): void
}

/** This machine's files. */
export function codeFiles(): CodeFiles {
  return {
    readBytes: (path) => attempt(() => readFileSync(path)),
    write: (path, temp, content) => {
      const written = attempt(() => {
        makeFolder(dirname(path))
        writeFileSync(temp, content, { flag: 'wx' })
        renameSync(temp, path)
        return true
      })
      if (written !== true) attempt(() => rmSync(temp))
      return written === true
    },
    isOwn: (folder) =>
      attempt(() => {
        const found = statSync(folder, { throwIfNoEntry: false })
        if (!found || process.getuid === undefined) return true
        return found.uid === process.getuid() && (found.mode & 0o022) === 0
      }) === true,
    removeOld: (folder, ending, beforeMs) => {
      for (const name of attempt(() => readdirSync(folder)) ?? []) {
        if (!name.endsWith(ending)) continue
        attempt(() => statSync(join(folder, name)).mtimeMs < beforeMs && rmSync(join(folder, name)))
      }
    },
  }
}

/** The version of the package that a file of it is in; empty where its manifest cannot be read. Having Node look for it takes longer. */
export function packageVersion(entry: string): string {
  const folder = dirname(entry)
  const text = attempt(() => readFileSync(join(folder, 'package.json'), 'utf8'))
  if (text !== undefined) return (JSON.parse(text) as { readonly version: string }).version
  return dirname(folder) === folder ? '' : packageVersion(folder)
}

/** Step by step: where a folder is that takes none, Node looks for the way to make one for ever. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
