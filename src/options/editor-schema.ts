import { dirname, join, relative } from 'node:path'
import type { Disk } from '../host/disk.ts'

/**
 * Finds the JSON Schema of specs in the installed package, in the project or in a folder above it (a
 * monorepo).
 *
 * @param file Absolute path of a spec.
 * @returns The relative path from the spec, for its `$schema`; `undefined` if the package is not installed.
 */
export async function findSpecSchema(disk: Disk, root: string, file: string): Promise<string | undefined> {
  const schema = join(root, 'node_modules/spritewright/schemas/sprite.schema.json')
  if (await disk.stat(schema)) return relative(dirname(file), schema).replaceAll('\\', '/')
  return dirname(root) === root ? undefined : findSpecSchema(disk, dirname(root), file)
}
