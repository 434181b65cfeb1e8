import { realpathSync } from 'node:fs'

/** Where a path leads to, links followed; the path itself where nothing is. Bundlers name files by it. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
