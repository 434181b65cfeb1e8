import { realpathSync } from 'node:fs'
import { isAbsolute, join, parse, relative, sep } from 'node:path'

/**
 * The real path of a file, with links resolved. Bundlers name files by it. Parts that do not exist (yet) stay
 * unchanged.
 *
 * @param path Absolute and normalised, as `resolve` returns it.
 */
export function realPath(path: string): string {
  return realPathNow(path) ?? realPathOfMissing(path)
}

/** The paths without those that name a folder again, by a link. Of two for one folder, the first stays. */
export function distinctFolders(paths: readonly string[]): readonly string[] {
  return [...new Map(paths.toReversed().map((path) => [realPath(path), path])).values()].toReversed()
}

/** Resolves from the root down. An untrusted path may have thousands of parts, but few exist. */
function realPathOfMissing(path: string): string {
  const { root } = parse(path)
  const parts = path.slice(root.length).split(sep)
  let known = root
  for (const [at, part] of parts.entries()) {
    const next = realPathNow(join(known, part))
    if (next === undefined) return join(known, ...parts.slice(at))
    known = next
  }
  return known
}

function realPathNow(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** Whether `path` is `folder` or a path inside it. Both are absolute. Links are not followed. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith(`..${sep}`) && way !== '..' && !isAbsolute(way))
}

/** Names and paths that are one file on Windows or macOS become equal: upper and lower case, forms of Unicode. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase()
}
