import { resolve } from 'node:path'

/**
 * Finds files, handed in.
 *
 * @param root Absolute path that relative patterns start from.
 * @param patterns Globs with forward slashes. One that begins with `!` excludes files.
 * @returns Absolute paths of files in this system's own form, each once, sorted by code unit. Links are
 * followed. Nothing in {@link unsearched} is found, whatever the patterns say.
 */
export type Glob = (root: string, patterns: readonly string[]) => Promise<string[]>

/** Other people's files, files that were made, and hidden folders. */
const unsearched = ['**/node_modules/**', '**/dist/**', '**/.*/**']

/** Files of this machine, found by tinyglobby. It is loaded at the first search: many commands do not search. */
export function nodeGlob(): Glob {
  return async (root, patterns) => {
    const { glob } = await import('tinyglobby')
    const found = await glob([...patterns], { cwd: root, ignore: unsearched, absolute: true, expandDirectories: false })
    return [...new Set(found.map((path) => resolve(path)))].sort()
  }
}
