import { resolve } from 'node:path'

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

/** Files of this machine. */
export function nodeGlob(): Glob {
  return async (root, patterns, ignore) => {
    const { glob } = await import('tinyglobby')
    const found = await glob([...patterns], { cwd: root, ignore: [...ignore], absolute: true, onlyFiles: true, expandDirectories: false })
    return [...new Set(found.map((path) => resolve(path)))].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  }
}
