// Installs what a plain `npm install` leaves out, in folders with a package.json of their own. Scripts that need a
// folder call `ensureExtras`; a person runs `node scripts/install-extras.mjs` for all, or names folders:
// - test: the oldest engines and Vites that work, other engines, frameworks; for the full tests
// - docs: the guide
// - scripts/mutation: Stryker
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const all = ['test', 'docs', 'scripts/mutation']
if (process.argv[1] === fileURLToPath(import.meta.url)) ensureExtras(...(process.argv.length > 2 ? process.argv.slice(2) : all))

/**
 * Installs the packages of folders, unless they are what the lock file of the folder says. That check takes 2 ms.
 *
 * @param {...string} folders Paths from the root.
 * @throws If npm fails. It prints why.
 */
export function ensureExtras(...folders) {
  const unknown = folders.find((folder) => !all.includes(folder))
  if (unknown !== undefined) throw new Error(`Expected ${all.join(', ')}, found "${unknown}".`)
  for (const folder of folders.filter((folder) => !isInstalled(folder))) {
    console.log(`Installing the packages of ${folder}/package.json.`)
    // The surrounding "npm run" passes its own settings on, but these folders belong to no workspace.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^npm_(?:config_(?:workspace|local_prefix|prefix)|package_|lifecycle_)/i.test(name)),
    )
    const { status } = spawnSync('npm', ['ci', '--loglevel=error'], {
      cwd: join(root, folder),
      env,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    })
    if (status !== 0)
      throw new Error(`"npm ci" failed in ${folder}/, see above. Try it again with: node scripts/install-extras.mjs ${folder}`)
  }
}

/** Whether every package of the lock file is there. npm leaves out optional ones for other systems. */
function isInstalled(folder) {
  const found = readPackages(join(root, folder, 'node_modules/.package-lock.json'))
  const wanted = readPackages(join(root, folder, 'package-lock.json'))
  return Object.entries(wanted).every(
    ([path, { integrity, optional, devOptional }]) =>
      path === '' || found[path]?.integrity === integrity || (!(path in found) && (optional || devOptional)),
  )
}

/** The packages of a lock file by their paths. None if there is no such file. */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw error
  }
}
