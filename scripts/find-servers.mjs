// Searches this machine for the servers that tests of shared stores start.
import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Finds servers, by the names of their packages in Debian.
 *
 * @param {Readonly<Record<string, string | undefined>>} [env]
 * @returns {{ postgresql: string | undefined, nginx: string | undefined, 'redis-server': string | undefined, radosgw: string | undefined }}
 * The folder with `postgres` and `initdb`, and the executables of nginx, of Redis and of Ceph's S3 service.
 */
export function findServers(env = process.env) {
  const onPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const postgresql = [...debianVersions(), ...onPath].find((folder) => ['postgres', 'initdb'].every((name) => canRun(join(folder, name))))
  /** @param {string} name */
  const program = (name) => [...onPath, '/usr/sbin'].map((folder) => join(folder, name)).find(canRun)
  const hasCeph = ['ceph', 'ceph-mon', 'ceph-osd'].every(program)
  return { postgresql, nginx: program('nginx'), 'redis-server': program('redis-server'), radosgw: hasCeph ? program('radosgw') : undefined }
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
