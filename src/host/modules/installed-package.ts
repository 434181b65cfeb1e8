import nodeModule from 'node:module'
import { dirname, join, sep } from 'node:path'
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

/** What Yarn's PnP adds to Node's module system. It throws for a package that is not a dependency. */
type WithPnp = { findPnpApi?(folder: string): { resolveToUnqualified(name: string, issuer: string): string } | null }

/**
 * Finds a package as Node does: as a dependency of some folders, then as one of this package. The first that
 * has it wins.
 *
 * @param entry Its module if its manifest does not say one for Node.
 */
export async function findPackage(
  disk: Pick<Disk, 'read' | 'stat'>,
  name: string,
  folders: readonly string[],
  entry: string,
): Promise<InstalledPackage | undefined> {
  for (const home of [...folders, ownFolder].flatMap((folder) => homesOf(name, folder))) {
    const path = join(home, 'package.json')
    if (!(await disk.stat(path))) continue
    const { version = '', exports } = JSON.parse(new TextDecoder().decode(await disk.read(path))) as Manifest
    const named = exports?.['.']?.node?.import ?? exports?.['.']?.import
    return { version, entry: pathToFileURL(join(home, typeof named === 'string' ? named : entry)).href }
  }
  return undefined
}

/** The folders in which a package may be that a folder uses: PnP knows the only one, or else `node_modules` there and above. */
function homesOf(name: string, folder: string): readonly string[] {
  const pnp = (nodeModule as WithPnp).findPnpApi?.(folder + sep)
  if (!pnp) return upwards(folder).map((above) => join(above, 'node_modules', name))
  try {
    return [pnp.resolveToUnqualified(name, folder + sep)]
  } catch {
    return []
  }
}

/** A folder and all its parents. */
function upwards(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}
