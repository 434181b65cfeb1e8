// What the tests need: a built package and a browser, and for all but the quick level the servers of shared stores.
// Prints how long each step took.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { browserVariable, findBrowser } from './find-browser.mjs'
import { findServers } from './find-servers.mjs'
import { ensureExtras } from './install-extras.mjs'
import { ensureServers } from './install-servers.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Builds the package, and finds or installs what the tests of a level need. Ends the process with words if the package
 * cannot be built or there is no browser.
 *
 * @param {string} level
 */
export function prepareTests(level) {
  step('package', () => {
    if (builtAt() > changedAt()) return 'dist/ is newer than its sources'
    const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root, stdio: 'inherit' })
    if (status !== 0) {
      // The compiler writes what it can. The next run must not take half a package for a fresh one.
      rmSync(join(root, 'dist'), { recursive: true, force: true })
      fail('The package could not be built, see above. "npm run build" tries again.')
    }
    return 'built dist/'
  })

  step('browser', () => {
    const found = findBrowser()
    if (found) return `${found.path} (by ${found.foundBy})`
    installChromium()
    const installed = findBrowser()
    if (!installed) fail(`Chromium was installed, but is in none of its usual places. Set ${browserVariable} to its executable.`)
    return `${installed.path} (installed now)`
  })

  if (level === 'quick') return
  step('old engines, other frameworks, the tool of the guide', () => {
    ensureExtras('test', 'docs')
    return 'installed'
  })
  step('servers', () => {
    const missing = ensureServers(['postgresql', 'nginx', 'redis-server', ...(level === 'long' ? ['radosgw'] : [])])
    const { radosgw: _later, ...found } = findServers()
    if (missing.length === 0) return Object.values(found).join(', ')
    return `no ${missing.join(' and no ')}: the tests that need one are skipped (on Debian: apt-get install ${missing.join(' ')})`
  })
}

/** The time of the oldest file of dist/; 0 if nothing is built. */
function builtAt() {
  const built = filesOf('dist')
  return existsSync(join(root, 'dist/src/cli/bin.js')) ? Math.min(...built.map(modifiedAt)) : 0
}

/** The time of the last change of any source of dist/. */
function changedAt() {
  const sources = ['atlas', 'src', 'plugin'].flatMap(filesOf)
  return Math.max(...['package.json', 'tsconfig.json', 'scripts/build.mjs', ...sources].map(modifiedAt))
}

/** @param {string} folder */
function filesOf(folder) {
  const path = join(root, folder)
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => /\.[cm]?[jt]s$/.test(name))
}

/** @param {string} path */
function modifiedAt(path) {
  return statSync(join(root, path)).mtimeMs
}

/** Installs with apt if that needs no password. Otherwise, prints what a person can do. */
function installChromium() {
  const isRoot = process.getuid?.() === 0
  const sudo = isRoot ? [] : ['sudo', '-n']
  const mayInstall = succeeds('apt-get', ['--version']) && (isRoot || succeeds('sudo', ['-n', 'true']))
  if (!mayInstall) {
    const how =
      { darwin: 'brew install --cask chromium', win32: 'winget install Google.Chrome' }[process.platform] ?? 'sudo apt-get install chromium'
    fail(
      `Expected a Chromium for the end-to-end tests, found none.\n` +
        `Install one (here: ${how}; anywhere: npx playwright-core install chromium), or set ${browserVariable} to the executable of a Chromium, Chrome or Edge.`,
    )
  }
  console.log('No Chromium is here: installing one with apt-get.')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ]) {
    const [command, ...rest] = [...sudo, 'apt-get', ...args]
    run(command, rest, env)
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function succeeds(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' })
  if (status === 0) return
  const why = error ? error.message : `exit code ${status}`
  fail(`"${[command, ...args].join(' ')}" failed (${why}). Install a Chromium by hand, or set ${browserVariable} to the executable of one.`)
}

/**
 * @param {string} name
 * @param {() => string} work
 */
function step(name, work) {
  const start = performance.now()
  const outcome = work()
  console.log(`${name}: ${outcome}, ${((performance.now() - start) / 1000).toFixed(1)} s`)
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message)
  process.exit(1)
}
