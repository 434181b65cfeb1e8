import { basename } from 'node:path'
import { SpritewrightError } from '../errors.ts'
import { isInside } from '../host/real-path.ts'
import type { Place } from './document.ts'

/**
 * The sprite's name: the file's name before `.sprite.json`, `.yaml` or `.yml`. Returns `undefined` for any
 * other file.
 */
export function specName(file: string): string | undefined {
  return /^(.*)\.sprite\.(?:json|yaml|yml)$/.exec(basename(file))?.[1]
}

/** The names of own art without a spec: an Aseprite file, or a folder with the ending `.sprites`. */
const bareArt = /^(.*)\.(?:aseprite|ase|sprites)$/
const insideBareArt = /^(.*?[\\/][^\\/]+\.sprites)[\\/]/

/** A folder of frames touched up by hand. */
const touchedUp = /\.frames[\\/][^\\/]+$/

/**
 * The sprite's name of own art without a spec: `goblin` of `goblin.aseprite`, `ui` of the folder `ui.sprites`.
 * Returns `undefined` for any other file.
 */
export function bareArtName(file: string): string | undefined {
  return bareArt.exec(basename(file))?.[1]
}

/**
 * The spec or own art to which a file belongs: the file itself, or the folder of own art that contains it.
 *
 * @param root Folder of the project. The names of folders above it are ignored.
 */
export function spriteFile(root: string, file: string): string | undefined {
  // A spec in such a folder is still a spec.
  if (specName(file) !== undefined) return file
  const above = isInside(root, file) ? root : ''
  const below = file.slice(above.length)
  const [, folder = below] = insideBareArt.exec(below) ?? []
  return bareArtName(folder) !== undefined && !touchedUp.test(folder) ? above + folder : undefined
}

/** Largest spec file that is read, in bytes. */
const maximumSpecBytes = 1024 * 1024

/** One issue in a spec, with its place. `facts.issues` of an `SW_SPEC` is a list of these. */
export interface SpecIssue extends Place {
  /** `animations.walk.frames`; empty for the file as a whole. */
  readonly path: string
  readonly expected: string
  readonly found: string
  /** The complete sentence, without file and place. */
  readonly message: string
}

/** Creates an `SW_SPEC`. Its message shows the first five issues, one per line. */
export function specError(file: string, shownAs: string, issues: readonly SpecIssue[]): SpritewrightError {
  const lines = issues.slice(0, 5).map((issue) => `${shownAs}:${issue.line}:${issue.column} ${issue.message}`)
  if (issues.length > 5) lines.push(`... and ${issues.length - 5} more`)
  return new SpritewrightError('SW_SPEC', { message: lines.join('\n'), facts: { file, issues } })
}

/**
 * Throws if a spec file is too large.
 *
 * @param found The size, in the words of messages.
 * @throws `SW_SPEC`
 */
export function checkSpecSize(bytes: number, file: string, shownAs: string, found = `${bytes} bytes`): void {
  if (bytes <= maximumSpecBytes) return
  const expected = 'a spec of at most 1 MiB'
  throw specError(file, shownAs, [{ line: 1, column: 1, path: '', expected, found, message: `expected ${expected}, found ${found}` }])
}
