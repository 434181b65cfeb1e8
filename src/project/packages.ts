import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SpritewrightError } from '../errors.ts'
import type { Disk } from '../host/disk.ts'
import { type Host, zlibVersion } from '../host/host.ts'

/** The installed optional package that encodes KTX2. */
export interface TexturePackage {
  /** Other versions may encode other bytes. */
  readonly version: string
  /** URL of its module. */
  readonly entry: string
}

/**
 * The fields that are read from a package's manifest. `exports` gives the module for Node; a default covers
 * the known versions without it.
 */
interface Manifest {
  readonly version?: string
  readonly exports?: { readonly '.'?: { readonly node?: { readonly import?: string } } }
}

/**
 * Finds `ktx2-encoder` in a `node_modules` of the project's root or above, then in one of this package's
 * folder or above.
 *
 * @param root Of the project, absolute.
 * @throws `SW_CONFIG` with the command that installs it.
 */
export async function findTexturePackage({ disk }: Pick<Host, 'disk'>, root: string): Promise<TexturePackage> {
  const found = await findPackage(disk, 'ktx2-encoder', [root, ownFolder])
  if (found) {
    const { version = '', exports = {} } = found.manifest
    return { version, entry: pathToFileURL(join(found.home, exports['.']?.node?.import ?? 'dist/node/index.js')).href }
  }
  throw new SpritewrightError('SW_CONFIG', {
    message:
      'atlas.format: "ktx2" needs the package ktx2-encoder, which is not installed. Install it (npm install --save-dev ktx2-encoder@^0.6), or take "ktx2" out of the list.',
    facts: { package: 'ktx2-encoder', root },
  })
}

/**
 * Returns the versions on which the bytes of pictures depend: sharp reads, scales and encodes; zlib
 * compresses PNGs. The version of sharp is `-` if it is not found.
 */
export async function readCodecVersion({ disk }: Pick<Host, 'disk'>): Promise<string> {
  const sharp = (await findPackage(disk, 'sharp', [ownFolder]))?.manifest.version
  return `${sharp ?? '-'} ${zlibVersion()}`
}

const ownFolder = dirname(fileURLToPath(import.meta.url))

/**
 * Finds an installed package in `node_modules` of several folders or above. The first folder that has it
 * wins.
 */
async function findPackage(
  disk: Disk,
  name: string,
  folders: readonly string[],
): Promise<{ readonly home: string; readonly manifest: Manifest } | undefined> {
  for (const folder of folders.flatMap(upwards)) {
    const home = join(folder, 'node_modules', name)
    const path = join(home, 'package.json')
    if (await disk.stat(path)) return { home, manifest: JSON.parse(new TextDecoder().decode(await disk.read(path))) as Manifest }
  }
  return undefined
}

/** A folder and all its parents. */
function upwards(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}
