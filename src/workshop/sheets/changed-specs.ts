import { extname, sep } from 'node:path'
import { filesOf } from '../../errors.ts'
import { foldPath } from '../../host/real-path.ts'
import { overrideFolder } from '../../sheets/overrides/overrides.ts'
import { referencePath } from '../../sprite-spec/reference.ts'
import type { SpriteSpec } from '../../sprite-spec/spec.ts'
import { specName } from '../../sprite-spec/spec-file.ts'
import { pictureEndings } from '../project-files.ts'

/**
 * Names of the sprites whose pictures have changed, apart from their specs; all if a changed file is neither a spec nor a picture of a sprite.
 *
 * @param changed Absolute paths; undefined if unknown.
 */
export function staleOf(specs: readonly SpriteSpec[], changed: readonly string[] | undefined): ReadonlySet<string> | 'all' {
  if (!changed) return 'all'
  const names = new Set<string>()
  const others = changed.filter((path) => specName(path) === undefined)
  const parts = others.length === 0 ? [] : specs.map(toParts)
  for (const path of others) {
    const folded = foldPath(path)
    const users = parts.filter(({ picture, frames }) => picture === folded || `${folded}${sep}`.startsWith(frames))
    if (users.length === 0 && !pictureEndings.has(extname(path).toLowerCase())) return 'all'
    for (const { name } of users) names.add(name)
  }
  return names
}

/** The files of a sprite besides its spec, folded: on some systems it may be checked once too often. */
interface SpriteParts {
  readonly name: string
  readonly picture: string | undefined
  /** Folder, with a separator at its end. */
  readonly frames: string
}

function toParts(spec: SpriteSpec): SpriteParts {
  const picture = referencePath(spec)
  return {
    name: spec.name,
    picture: picture === undefined ? undefined : foldPath(picture),
    frames: foldPath(`${overrideFolder(spec)}${sep}`),
  }
}

/** Whether an error is about a spec, its picture, or an override of frames. */
export function isAbout(spec: SpriteSpec, error: unknown): boolean {
  const frames = `${overrideFolder(spec)}${sep}`
  return filesOf(error).some((file) => file === spec.file || file === referencePath(spec) || `${file}${sep}`.startsWith(frames))
}
