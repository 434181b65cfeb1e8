import { sep } from 'node:path'
import { folderOf, nameOf } from '../host/paths.ts'
import type { WarmFiles } from '../host/warm-files.ts'

/** What many files looked like, in one hash: where it is the same, each of them looks as it did, and nothing had to be written down or compared of any by itself. */
export interface Glance {
  /** Folder → names in it, one a line, of files that were known by their {@link WarmFiles.mark}. */
  readonly marked: Readonly<Record<string, string>>
  /** The same of what was known by its {@link WarmFiles.shape}. */
  readonly shaped: Readonly<Record<string, string>>
  /** SHA-256 of all their numbers, in this order. */
  readonly digest: string
}

/** Numbers of one file. A shape is the first two, the others are 0. */
const width = 4

/** A glance at files that looked so: each mark and shape by its path. */
export function toGlance(
  files: Pick<WarmFiles, 'digestBytes'>,
  marks: Readonly<Record<string, string>>,
  shapes: Readonly<Record<string, string>>,
): Glance {
  const [marked, shaped] = [byFolder(Object.keys(marks)), byFolder(Object.keys(shapes))]
  const seen = [...pathsIn(marked).map((path) => marks[path] ?? ''), ...pathsIn(shaped).map((path) => shapes[path] ?? '')]
  const numbers = seen.flatMap((look) => [...numbersOf(look), 0, 0, 0].slice(0, width))
  return { marked, shaped, digest: digestOf(files, Float64Array.from(numbers)) }
}

/** Whether all files of a glance look as they did. */
export function isAsSeen(files: Pick<WarmFiles, 'numbers' | 'digestBytes'>, { marked, shaped, digest }: Glance): boolean {
  const paths = pathsIn(marked)
  const shapes = pathsIn(shaped)
  const numbers = new Float64Array((paths.length + shapes.length) * width)
  let at = 0
  for (const path of paths) {
    files.numbers(path, numbers, at)
    at += width
  }
  for (const path of shapes) {
    files.numbers(path, numbers, at)
    numbers.fill(0, at + 2, at + width)
    at += width
  }
  return digestOf(files, numbers) === digest
}

function numbersOf(look: string): readonly number[] {
  if (look === 'none') return [-1]
  return look === 'folder' ? [-2] : look.split(' ').map(Number)
}

/** Of this machine's order of bytes: what is kept is for none but this one. */
function digestOf(files: Pick<WarmFiles, 'digestBytes'>, numbers: Float64Array): string {
  return files.digestBytes(new Uint8Array(numbers.buffer))
}

function byFolder(paths: readonly string[]): Readonly<Record<string, string>> {
  const folders = new Map<string, string[]>()
  for (const path of paths) {
    const folder = folderOf(path)
    const names = folders.get(folder) ?? []
    folders.set(folder, names)
    names.push(nameOf(path))
  }
  return Object.fromEntries([...folders].map(([folder, names]) => [folder, names.join('\n')]))
}

/** A name with a line break in it gives other paths, and more of them than were seen: no glance is ever the same as that. */
function pathsIn(folders: Readonly<Record<string, string>>): readonly string[] {
  const paths: string[] = []
  for (const folder in folders) for (const name of (folders[folder] as string).split('\n')) paths.push(`${folder}${sep}${name}`)
  return paths
}
