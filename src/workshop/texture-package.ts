import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'

/** The optional package that encodes KTX2, as it is installed. */
export interface TexturePackage {
  /** Other versions may make other bytes. */
  readonly version: string
  /** URL of its module. */
  readonly entry: string
}

/** Where the package says that its module for Node is, and where it is in the versions that are known. */
interface Manifest {
  readonly version?: string
  readonly exports?: { readonly '.'?: { readonly node?: { readonly import?: string } } }
}

/**
 * Finds `ktx2-encoder` in the `node_modules` of the project or above, then in those that this package lies in.
 *
 * @param root Of the project, absolute.
 * @throws `SW_CONFIG` with the command that installs it.
 */
export async function findTexturePackage({ disk }: Pick<Host, 'disk'>, root: string): Promise<TexturePackage> {
  for (const folder of [...upwards(root), ...upwards(dirname(fileURLToPath(import.meta.url)))]) {
    const home = join(folder, 'node_modules', 'ktx2-encoder')
    const path = join(home, 'package.json')
    if (!(await disk.stat(path))) continue
    const { version = '', exports = {} } = JSON.parse(new TextDecoder().decode(await disk.read(path))) as Manifest
    return { version, entry: pathToFileURL(join(home, exports['.']?.node?.import ?? 'dist/node/index.js')).href }
  }
  throw new SpritewrightError('SW_CONFIG', {
    message:
      'atlas.format: "ktx2" needs the package ktx2-encoder, which is not installed. Install it (npm install --save-dev ktx2-encoder@^0.6), or take "ktx2" out of the list.',
    facts: { package: 'ktx2-encoder', root },
  })
}

/** A folder and all that it lies in. */
function upwards(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}
