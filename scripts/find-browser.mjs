// Searches this machine for a Chromium, before the tests and in the end-to-end tests.
import { accessSync, constants, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** The environment variable that names a browser. It takes precedence over every other place. */
export const browserVariable = 'SPRITEWRIGHT_BROWSER'

/**
 * Finds a Chromium, or a browser built on it.
 *
 * @param {Readonly<Record<string, string | undefined>>} [env]
 * @returns {{ path: string, foundBy: string } | undefined} The executable, and a description of the place.
 * `undefined` if there is none.
 * @throws If the variable names a file that cannot be run: a person meant that browser and no other.
 */
export function findBrowser(env = process.env) {
  const named = env[browserVariable]
  if (named) {
    if (canRun(named)) return { path: named, foundBy: browserVariable }
    throw new Error(`Expected ${browserVariable} to name a Chromium that can be run, found none at "${named}". Correct it or unset it.`)
  }
  return (
    firstOf('the PATH', onPath(env)) ?? firstOf('its usual place', usualPlaces(env)) ?? firstOf("Playwright's cache", playwrightCache(env))
  )
}

/**
 * @param {string} foundBy
 * @param {readonly string[]} paths
 */
function firstOf(foundBy, paths) {
  const path = paths.find(canRun)
  return path === undefined ? undefined : { path, foundBy }
}

/** @param {Readonly<Record<string, string | undefined>>} env */
function onPath(env) {
  if (process.platform === 'win32') return []
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
  return names.flatMap((name) => ['/usr/bin', ...folders].map((folder) => join(folder, name)))
}

/** @param {Readonly<Record<string, string | undefined>>} env */
function usualPlaces(env) {
  if (process.platform === 'darwin') {
    const apps = [
      'Chromium.app/Contents/MacOS/Chromium',
      'Google Chrome.app/Contents/MacOS/Google Chrome',
      'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
    ]
    return apps.flatMap((app) => [join('/Applications', app), join(homedir(), 'Applications', app)])
  }
  if (process.platform === 'win32') {
    const folders = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter((folder) => folder !== undefined)
    const programs = ['Google/Chrome/Application/chrome.exe', 'Chromium/Application/chrome.exe', 'Microsoft/Edge/Application/msedge.exe']
    return programs.flatMap((program) => folders.map((folder) => join(folder, program)))
  }
  return ['/snap/bin/chromium', '/opt/google/chrome/chrome', '/usr/lib/chromium/chromium']
}

/**
 * The newest Chromium that any Playwright has downloaded before.
 *
 * @param {Readonly<Record<string, string | undefined>>} env
 */
function playwrightCache(env) {
  const system = { darwin: join(homedir(), 'Library/Caches'), win32: env.LOCALAPPDATA ?? join(homedir(), 'AppData/Local') }
  const cache =
    env.PLAYWRIGHT_BROWSERS_PATH ?? join(system[process.platform] ?? env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ms-playwright')
  const programs = [
    'chrome-linux64/chrome',
    'chrome-linux/chrome',
    'chrome-headless-shell-linux64/chrome-headless-shell',
    'chrome-linux/headless_shell',
    'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
    'chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
    'chrome-win64/chrome.exe',
    'chrome-win/chrome.exe',
  ]
  const builds = list(cache)
    .filter((name) => /^chromium(?:_headless_shell)?-\d+$/.test(name))
    .sort((a, b) => buildNumber(b) - buildNumber(a))
  return builds.flatMap((build) => programs.map((program) => join(cache, build, program)))
}

/** @param {string} name */
function buildNumber(name) {
  return Number(name.slice(name.lastIndexOf('-') + 1))
}

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return [] // No such folder: nothing was fetched.
  }
}

/** @param {string} path */
function canRun(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
