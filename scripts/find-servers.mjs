// Searches this machine for the servers that tests of shared stores start.
import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Finds PostgreSQL and nginx.
 *
 * @param {Readonly<Record<string, string | undefined>>} [env]
 * @returns {{ postgres: string | undefined, nginx: string | undefined }} The folder with `postgres` and `initdb`,
 * and the executable of nginx.
 */
export function findServers(env = process.env) {
  const onPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const postgres = [...debianVersions(), ...onPath].find((folder) => ['postgres', 'initdb'].every((name) => canRun(join(folder, name))))
  const nginx = [...onPath, '/usr/sbin'].map((folder) => join(folder, 'nginx')).find(canRun)
  return { postgres, nginx }
}

/** Debian has a folder for each version. The newest is the first. */
function debianVersions() {
  const home = '/usr/lib/postgresql'
  return list(home)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(home, version, 'bin'))
}

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return [] // No such folder: nothing was installed.
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
