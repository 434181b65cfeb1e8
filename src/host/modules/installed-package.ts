import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Disk } from '../disk.ts'

/** An installed package that this one does not depend on, or whose version counts. */
export interface InstalledPackage {
  readonly version: string
  /** URL of its module for Node. */
  readonly entry: string
}

/** The fields that are read from a package's manifest. */
interface Manifest {
  readonly version?: string
  readonly exports?: { readonly '.'?: { readonly node?: { readonly import?: string }; readonly import?: string } }
}

/** Folder of this package's own modules. */
const ownFolder = dirname(fileURLToPath(import.meta.url))

/**
 * Finds a package in a `node_modules` of some folders or above, then in one of this package's folder or above.
 * The first folder that has it wins.
 *
 * @param entry Its module if its manifest does not say one for Node.
 */
export async function findPackage(
  disk: Pick<Disk, 'read' | 'stat'>,
  name: string,
  folders: readonly string[],
  entry: string,
): Promise<InstalledPackage | undefined> {
  for (const folder of [...folders, ownFolder].flatMap(upwards)) {
    const home = join(folder, 'node_modules', name)
    const path = join(home, 'package.json')
    if (!(await disk.stat(path))) continue
    const { version = '', exports } = JSON.parse(new TextDecoder().decode(await disk.read(path))) as Manifest
    const named = exports?.['.']?.node?.import ?? exports?.['.']?.import
    return { version, entry: pathToFileURL(join(home, typeof named === 'string' ? named : entry)).href }
  }
  return undefined
}

/** A folder and all its parents. */
function upwards(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}
