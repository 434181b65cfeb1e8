import { hash } from 'node:crypto'
import {
  closeSync,
  type Dirent,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { sep } from 'node:path'
import { markOf, type OpenFile, openFile } from './open-file.ts'
import { folderOf, pathIn } from './paths.ts'

/**
 * The few looks at files that a warm start takes, all at once and without waiting: a process that only finds out that nothing has changed should load next to nothing.
 * Whatever cannot be read is undefined, and no answer.
 */
export interface WarmFiles {
  /** SHA-256 of a file's bytes, lower-case hex. */
  digest(path: string): string | undefined
  /** SHA-256 of bytes, lower-case hex. */
  digestBytes(bytes: Uint8Array): string
  /** SHA-256 of a text, lower-case hex. */
  digestText(text: string): string
  /** Size, times (milliseconds, as exact as the disk has them) and number of a file, for files whose content is not to be looked at. */
  mark(path: string): string | undefined
  /** `none`, `folder`, or size and time of the last change of a file. */
  shape(path: string): string | undefined
  /**
   * The numbers of a {@link WarmFiles.mark}, written into four places of a list, in its order; of what is no file the first one alone: −1 where there is nothing, −2 for a folder, −3 for what cannot be
   * looked at. Thousands of files are compared more quickly by these than by texts.
   */
  numbers(path: string, into: Float64Array, at: number): void
  /** Names in a folder, sorted by code unit, as one text; empty where there is no such folder. */
  names(folder: string): string | undefined
  /** Every file under a folder that may be a spec by its name, in a fixed order, as one text; undefined where a folder is linked into it. */
  specs(root: string): string | undefined
  /** A file's text. */
  read(path: string): string | undefined
  /** A file's bytes. */
  readBytes(path: string): Uint8Array | undefined
  /** Opens a file, for parts of it to be read. */
  open(path: string): OpenFile | undefined
  /**
   * Writes a file whole or not at all; false where that cannot be done.
   *
   * @param temp Name beside it that nobody else writes under.
   * @param isOwn Whether folders that are made for it are for this user alone. @default false
   */
  write(path: string, temp: string, content: string | Uint8Array, isOwn?: boolean): boolean
  /** Whether a folder is missing, or this user's, and nobody else may write in it. Windows gives each user folders like that. */
  isOwn(folder: string): boolean
  /** Removes files of a folder by the ending of their names and the time of their last change, milliseconds since the Unix epoch. */
  removeOld(folder: string, ending: string, beforeMs: number): void
  /** Removes files of a folder by the ending of their names, all but so many that were changed last. */
  keepLatest(folder: string, ending: string, count: number): void
  /** Whether an output of the process (1 or 2) may be a terminal: then only the process knows. Loads nothing, as asking the process would. */
  mayBeTerminal(output: 1 | 2): boolean
  /** Writes to stdout what it takes at once. Answers the bytes that it did not take, for whatever reason. */
  print(text: string): Uint8Array
}

/** Most files fit into this many bytes, and are read into the same ones. */
const windowBytes = 64 * 1024

const specFile = /\.sprite\.(?:json|yaml|yml)$/

/** This machine's files. */
export function warmFiles(): WarmFiles {
  const window = Buffer.allocUnsafeSlow(windowBytes)
  return {
    digest: (path) => attempt(() => digestFile(path, window)),
    digestBytes: (bytes) => hash('sha256', bytes),
    digestText: (text) => hash('sha256', text),
    mark: (path) => {
      const found = attempt(() => statSync(path, { throwIfNoEntry: false }))
      return found && markOf(found)
    },
    shape: (path) =>
      attempt(() => {
        const found = statSync(path, { throwIfNoEntry: false })
        if (!found) return 'none'
        return found.isDirectory() ? 'folder' : `${found.size} ${found.mtimeMs}`
      }),
    numbers: (path, into, at) => {
      try {
        const found = statSync(path, { throwIfNoEntry: false })
        const isFile = found !== undefined && !found.isDirectory()
        into[at] = isFile ? found.size : found ? -2 : -1
        if (!isFile) return
        into[at + 1] = found.mtimeMs
        into[at + 2] = found.ctimeMs
        into[at + 3] = found.ino
      } catch {
        into[at] = -3
      }
    },
    names: (folder) => {
      try {
        return readdirSync(folder).sort().join('\n')
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'ENOENT' ? '' : undefined
      }
    },
    specs: (root) =>
      attempt(() => {
        const found: string[] = []
        collectSpecs(root, found)
        return found.join('\n')
      }),
    read: (path) => attempt(() => readFileSync(path, 'utf8')),
    readBytes: (path) => attempt(() => readFileSync(path)),
    open: (path) => attempt(() => openFile(path)),
    write: (path, temp, content, isOwn = false) => {
      const written = attempt(() => {
        makeFolder(folderOf(path), isOwn ? 0o700 : 0o777)
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
        attempt(() => statSync(pathIn(folder, name)).mtimeMs < beforeMs && rmSync(pathIn(folder, name)))
      }
    },
    keepLatest: (folder, ending, count) => {
      const paths = (attempt(() => readdirSync(folder)) ?? []).flatMap((name) => (name.endsWith(ending) ? [pathIn(folder, name)] : []))
      const dated = paths.map((path) => ({ path, ms: attempt(() => statSync(path).mtimeMs) ?? 0 }))
      for (const { path } of dated.sort((a, b) => b.ms - a.ms).slice(count)) attempt(() => rmSync(path))
    },
    mayBeTerminal: (output) => attempt(() => fstatSync(output).isCharacterDevice()) ?? true,
    print: (text) => {
      let rest: Uint8Array = Buffer.from(text)
      attempt(() => {
        while (rest.length > 0) rest = rest.subarray(writeSync(1, rest))
      })
      return rest
    },
  }
}

/** Step by step: where a folder is that takes none, Node looks for the way to make one for ever. */
function makeFolder(folder: string, mode: number): void {
  if (statSync(folder, { throwIfNoEntry: false })) return
  const parent = folderOf(folder)
  if (parent !== folder) makeFolder(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * What makes another program of a process: versions, platform, options of Node; the package, and the file of it that was loaded first.
 *
 * @param entry Path of that file.
 */
export function warmProgram(files: Pick<WarmFiles, 'digest' | 'shape'>, entry: string): readonly (string | undefined)[] {
  const { version, platform, arch, execArgv } = process
  return [version, platform, arch, execArgv.join(' '), packageDigest(files, folderOf(entry)), files.shape(entry)]
}

/** Of the nearest manifest above a folder. */
function packageDigest(files: Pick<WarmFiles, 'digest'>, folder: string): string | undefined {
  return ofManifest(folder, files.digest)
}

/** The version of the package that a file of it is in; empty where its manifest cannot be read. Having Node look for it takes longer. */
export function packageVersion(files: Pick<WarmFiles, 'read'>, entry: string): string {
  const text = ofManifest(folderOf(entry), files.read)
  return text === undefined ? '' : (JSON.parse(text) as { readonly version: string }).version
}

function ofManifest(folder: string, look: (path: string) => string | undefined): string | undefined {
  const parent = folderOf(folder)
  return look(pathIn(folder, 'package.json')) ?? (parent === folder ? undefined : ofManifest(parent, look))
}

function digestFile(path: string, window: Buffer): string {
  const file = openSync(path, 'r')
  try {
    let length = 0
    for (;;) {
      const more = readSync(file, window, length, window.length - length, null)
      if (more === 0) return hash('sha256', window.subarray(0, length))
      length += more
      if (length === window.length) return hash('sha256', readFileSync(path))
    }
  } finally {
    closeSync(file)
  }
}

/** @param folder Without a separator at its end. */
function collectSpecs(folder: string, found: string[]): void {
  const names: string[] = []
  const folders: string[] = []
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry
    if (specFile.test(name) && !entry.isDirectory() && !isLinkedFolder(entry, folder)) names.push(name)
    else if (!entry.isFile() && name !== 'node_modules' && name !== 'dist' && !name.startsWith('.')) {
      // Links may lead in circles and out of the project.
      if (isLinkedFolder(entry, folder)) throw new Error('a folder is linked')
      if (entry.isDirectory()) folders.push(name)
    }
  }
  for (const name of names.sort()) found.push(`${folder}${sep}${name}`)
  for (const name of folders.sort()) collectSpecs(`${folder}${sep}${name}`, found)
}

function isLinkedFolder(entry: Dirent, folder: string): boolean {
  return entry.isSymbolicLink() && statSync(pathIn(folder, entry.name), { throwIfNoEntry: false })?.isDirectory() === true
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
