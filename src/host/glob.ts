import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathIn } from './paths.ts'

/**
 * Finds files, handed in.
 *
 * @param root Absolute path that relative patterns start from.
 * @param ignore Patterns whose matches are left out, folders with all in them.
 * @returns Absolute paths of files in this system's own form, each once, sorted by code unit. Names that begin with a dot only where a pattern says so.
 */
export type Glob = (root: string, patterns: readonly string[], ignore: readonly string[]) => Promise<string[]>

/** What is never searched for specs, whatever the patterns say: other people's files and files that were made. */
export const unsearched: readonly string[] = ['**/node_modules/**', '**/dist/**', '**/.*/**']

/** Every spec of a project: what is looked for where nothing else is said. */
export const everySpec: string = '**/*.sprite.{json,yaml,yml}'

/** Files of this machine. */
export function nodeGlob(): Glob {
  return async (root, patterns, ignore) => {
    const isUsual = patterns.length === 1 && patterns[0] === everySpec && ignore.join() === unsearched.join()
    const usual = isUsual ? await findEverySpec(root) : undefined
    if (usual) return usual
    const { glob } = await import('tinyglobby')
    const found = await glob([...patterns], { cwd: root, ignore: [...ignore], absolute: true, onlyFiles: true, expandDirectories: false })
    return [...new Set(found.map((path) => resolve(path)))].sort(byCodeUnit)
  }
}

/** Folders that are read on end before others have their turn. */
const longestTurn = 64

/** The same without the library, which takes longer to load and to understand the pattern than most projects to walk. Undefined where a link is met, or a folder cannot be read: those are for the library. */
async function findEverySpec(root: string): Promise<string[] | undefined> {
  const found: string[] = []
  const folders = [resolve(root)]
  for (let read = 1; ; read++) {
    const folder = folders.pop()
    if (folder === undefined) return found.sort(byCodeUnit)
    if (read % longestTurn === 0) await new Promise<void>((next) => setImmediate(next))
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const { name } = entry
        if (name.startsWith('.') || name === 'node_modules' || name === 'dist') continue
        if (entry.isSymbolicLink()) return undefined
        if (entry.isDirectory()) folders.push(pathIn(folder, name))
        else if (entry.isFile() && specFile.test(name)) found.push(pathIn(folder, name))
      }
    } catch {
      return undefined
    }
  }
}

const specFile = /\.sprite\.(?:json|yaml|yml)$/

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
