import { SpritewrightError } from '../errors.ts'
import { type Host, zlibVersion } from '../host/host.ts'
import { findPackage, type InstalledPackage } from '../host/modules/installed-package.ts'

/**
 * Finds `ktx2-encoder`, which encodes KTX2, for a project. Other versions may encode other bytes.
 *
 * @param root Folder of the project, absolute.
 * @throws `SW_CONFIG` with the command that installs the package.
 */
export async function findTexturePackage({ disk }: Pick<Host, 'disk'>, root: string): Promise<InstalledPackage> {
  const found = await findPackage(disk, 'ktx2-encoder', [root], 'dist/node/index.js')
  if (found) return found
  throw new SpritewrightError('SW_CONFIG', {
    message:
      'atlas.format: "ktx2" needs the package ktx2-encoder, which is not installed. Install it (npm install --save-dev ktx2-encoder@^0.6), or take "ktx2" out of the list.',
    facts: { package: 'ktx2-encoder', root },
  })
}

/**
 * Returns the versions on which the bytes of pictures depend: sharp reads, scales and encodes; zlib
 * compresses PNGs. The version of sharp is `-` if sharp is not found.
 */
export async function readCodecVersion({ disk }: Pick<Host, 'disk'>): Promise<string> {
  const sharp = (await findPackage(disk, 'sharp', [], ''))?.version
  return `${sharp ?? '-'} ${zlibVersion()}`
}
