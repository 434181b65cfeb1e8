import { resolve } from 'node:path'

/**
 * Finds files. Passed in.
 *
 * @param root Absolute path that relative patterns start from.
 * @param patterns Globs with forward slashes. A glob that begins with `!` excludes files.
 * @returns Absolute paths of files in this system's own form, each once, sorted by code unit. Links are
 * followed. Files in {@link unsearched} are never found, whatever the patterns are.
 */
export type Glob = (root: string, patterns: readonly string[]) => Promise<string[]>

/** Other people's files, generated files and hidden folders. */
const unsearched = ['**/node_modules/**', '**/dist/**', '**/.*/**']

/**
 * Finds files of this machine with tinyglobby. It is loaded at the first search, because many commands do not
 * search.
 */
export function nodeGlob(): Glob {
  return async (root, patterns) => {
    const { glob } = await import('tinyglobby')
    const found = await glob([...patterns], { cwd: root, ignore: unsearched, absolute: true, expandDirectories: false })
    return [...new Set(found.map((path) => resolve(path)))].sort()
  }
}
