import { basename, dirname, extname, join } from 'node:path'
import type { z } from 'zod'
import { toPlainName } from '../../art/names.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Disk } from '../../host/disk.ts'
import { isPathBeside } from '../../sprite-spec/fields.ts'
import { valueAt } from '../../sprite-spec/schema-faults.ts'

/** A spec of own art that an import writes. */
export interface ImportedSprite {
  /** The file or folder, absolute. */
  readonly path: string
  readonly isFolder: boolean
  /** Fields of the spec, but `source`. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** What an import has read from a project of another packer. */
export interface Imported {
  /** Folder for the specs, absolute. */
  readonly folder: string
  readonly sprites: readonly ImportedSprite[]
  /** Fields of `atlas` in the configuration, which an import does not write. */
  readonly atlas: Readonly<Record<string, unknown>>
  /** A sentence for each thing that has no equal here, or that a person must do. */
  readonly left: readonly string[]
}

const pictures = /\.(?:png|jpe?g|webp)$/i

/**
 * The files and folders that a project names. Files of one folder are that folder if the project names all of its
 * pictures; else each is a source of its own.
 *
 * @param paths From the folder of the project, or absolute.
 * @param left Receives a sentence for each path that no spec can have.
 */
export async function findSources(
  disk: Disk,
  folder: string,
  paths: readonly string[],
  left: string[],
): Promise<readonly Omit<ImportedSprite, 'fields'>[]> {
  const folders = new Set<string>()
  const files = new Map<string, string[]>()
  for (const named of paths.map((path) => path.replaceAll('\\', '/'))) {
    const path = named.startsWith('/') ? named : join(folder, named)
    if (!isPathBeside(named.replace(/^\/+/, ''))) left.push(`${named}: is on another machine. Correct it.`)
    else if ((await disk.stat(path))?.isFolder ?? extname(path) === '') folders.add(path)
    else if (pictures.test(path)) files.set(dirname(path), [...(files.get(dirname(path)) ?? []), path])
    else left.push(`${named}: only PNG, JPEG and WebP pictures are read. Convert it.`)
  }
  const singles: string[] = []
  for (const [parent, own] of files) {
    const all = (await disk.list(parent)).filter((name) => !name.startsWith('.'))
    if (own.length > 1 && parent !== folder && all.every((name) => own.includes(join(parent, name)))) folders.add(parent)
    else singles.push(...own)
  }
  return [...[...folders].map((path) => ({ path, isFolder: true })), ...singles.map((path) => ({ path, isFolder: false }))]
}

/** A name for a sprite or an atlas: the text with `-` in place of what a name cannot have. */
export function toSpriteName(path: string): string {
  return toPlainName(basename(path, pictures.test(path) ? extname(path) : '').replaceAll(/\{[^}]*\}/g, ''))
}

/**
 * Reads the part of a project that an import needs.
 *
 * @throws `SW_SPEC` with the place of the first part that is not as its program writes it.
 */
export function readProject<T extends z.ZodType>(schema: T, value: unknown, file: string, program: string): z.output<T> {
  const read = schema.safeParse(value)
  if (read.success) return read.data
  const path = (read.error.issues[0]?.path ?? []).map(String)
  const words = (JSON.stringify(valueAt(value, path)) ?? 'none').slice(0, 80)
  throw importError(file, `${path.join('.') || 'a project'} as ${program} writes it`, words, `Save the project again with ${program}.`)
}

/** Settings without an equal here: by path, the values that change nothing, and advice for others. */
export type Unequal = Readonly<Record<string, readonly [usual: RegExp, advice?: string]>>

/** A sentence for each setting of a project that has no equal here. */
export function listUnequal(project: unknown, table: Unequal): string[] {
  return Object.entries(table).flatMap(([path, [usual, advice = 'has no equal here']]) => {
    const found = valueAt(project, path.split('.'))
    const words = typeof found === 'string' ? found : JSON.stringify(found)
    return words === undefined || usual.test(words) ? [] : [`${path} ${words}: ${advice}.`]
  })
}

/** Makes the error for a project that cannot be read. */
export function importError(file: string, expected: string, found: string, next: string): SpritewrightError {
  return new SpritewrightError('SW_SPEC', { message: `${file}: expected ${expected}, found ${found}. ${next}`, facts: { file } })
}
