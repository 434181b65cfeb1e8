import { basename, dirname, join, resolve, sep } from 'node:path'

// Node's own functions look at a path character by character, which scripts are slow at: a build asks for two thousand. Paths of our own making have nothing to be
// tidied, so that the last slash is enough. Windows has two kinds of those and drives besides, and stays with Node.
const isPlain = sep === '/'

/** The path of a name in an absolute folder, or of several names joined by slashes. What `join` would tidy (dots, doubled slashes) must not be in either. */
export function pathIn(folder: string, name: string): string {
  return isPlain && folder.startsWith('/') && !folder.endsWith('/') ? `${folder}/${name}` : join(folder, name)
}

/** The folder that a path lies in, as `dirname` tells it of a tidy one. */
export function folderOf(path: string): string {
  const slash = isPlain ? path.lastIndexOf('/') : -1
  return slash > 0 ? path.slice(0, slash) : dirname(path)
}

/** What a path names in its folder, as `basename` tells it of a tidy one. */
export function nameOf(path: string): string {
  return isPlain && !path.endsWith('/') ? path.slice(path.lastIndexOf('/') + 1) : basename(path)
}

/** A path as it is written in a file, made absolute. */
export function pathBeside(file: string, written: string): string {
  const tidy = isPlain && file.startsWith('/') ? /^(?:\.\/)?((?:[\w-][\w.-]*\/)*[\w-][\w.-]*)$/.exec(written)?.[1] : undefined
  return tidy === undefined ? resolve(dirname(file), written) : pathIn(folderOf(file), tidy)
}
