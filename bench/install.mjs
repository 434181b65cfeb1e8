import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs the dependencies of a folder's package.json into that folder, without a lock file, because the
 * versions are exact. Does nothing if they are already there.
 */
export function installInto(folder, print) {
  const wanted = Object.entries(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies)
  const isThere = ([name, version]) => {
    const file = join(folder, 'node_modules', name, 'package.json')
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version
  }
  if (wanted.every(isThere)) return
  print(`Installing ${wanted.map(([name, version]) => `${name} ${version}`).join(', ')} …`)
  execFileSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
}
