import { extname, sep } from 'node:path'
import { overrideFolder } from '../build/overrides.ts'
import { filesOf } from '../errors.ts'
import { specName } from '../spec/parser.ts'
import { referencePath } from '../spec/reference.ts'
import type { SpriteSpec } from '../spec/spec.ts'

/** Names of the sprites whose pictures have changed, their specs left aside; all where papers have. @param changed Absolute paths; undefined where nobody knows what has. */
export function staleOf(specs: readonly SpriteSpec[], changed: readonly string[] | undefined): ReadonlySet<string> | 'all' {
  if (!changed) return 'all'
  const names = new Set<string>()
  for (const path of changed) {
    if (specName(path) !== undefined) continue
    const users = specs.filter((spec) => referencePath(spec) === path || isPartOf(spec, path))
    if (users.length === 0 && !pictures.has(extname(path).toLowerCase())) return 'all'
    for (const { name } of users) names.add(name)
  }
  return names
}

const pictures = new Set(['.png', '.jpg', '.jpeg', '.webp'])

/** Whether an error is about a spec, its picture, or frames touched up by hand. */
export function isAbout(spec: SpriteSpec, error: unknown): boolean {
  return filesOf(error).some((file) => isPartOf(spec, file) || referencePath(spec) === file)
}

/** Whether a file is the spec itself, or lies among frames touched up by hand, or is their folder. */
function isPartOf(spec: SpriteSpec, file: string): boolean {
  return file === spec.file || `${file}${sep}`.startsWith(`${overrideFolder(spec)}${sep}`)
}
