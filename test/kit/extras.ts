import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { byLevel } from '../level.ts'

const root = join(import.meta.dirname, '../..')
const manifest = JSON.parse(readFileSync(join(root, 'test/package.json'), 'utf8')) as { devDependencies: Record<string, string> }
const extras = new Set(Object.keys(manifest.devDependencies))
const isInstalled = existsSync(join(root, 'test/node_modules/.package-lock.json'))

/** Whether tests use the packages of `test/package.json`. The quick level does not, so that it needs no second installation. */
export const hasExtras: boolean = byLevel({ quick: false, full: isInstalled, long: isInstalled })
if (byLevel({ quick: false, full: !isInstalled, long: !isInstalled }))
  console.warn('The older engines and Vites are left out. Install them with: node scripts/install-extras.mjs test')

/** Whether tests may use a package: one of the root, or one of `test/package.json` if `hasExtras`. */
export function isOffered(name: string): boolean {
  return hasExtras || !extras.has(name)
}

/** Folder of a package of the root or of `test/package.json`. */
export function packageFolder(name: string): string {
  return join(root, extras.has(name) ? 'test/node_modules' : 'node_modules', name)
}
