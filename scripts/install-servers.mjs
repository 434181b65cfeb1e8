// Installs the servers that tests of shared stores start.
import { spawnSync } from 'node:child_process'
import { findServers } from './find-servers.mjs'

/** Packages that a server needs beside its own. */
const companions = { radosgw: ['ceph-mon', 'ceph-osd'] }

/**
 * Installs those of these servers that are missing, but only where everything belongs to root: in CI and in
 * containers. On a person's machine they would start with the machine.
 *
 * @param {(keyof ReturnType<typeof findServers>)[]} names
 * @returns The names of those that are missing all the same.
 */
export function ensureServers(names) {
  const missing = names.filter((name) => !findServers()[name])
  const mayInstall = process.getuid?.() === 0 && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0
  if (missing.length === 0 || !mayInstall) return missing
  // Debian asks `policy-rc.d` before it starts a service.
  const script = `
    if [ ! -e /usr/sbin/policy-rc.d ]; then
      trap 'rm -f /usr/sbin/policy-rc.d' EXIT
      printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d && chmod 755 /usr/sbin/policy-rc.d
    fi
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends ${missing.flatMap((name) => [name, ...(companions[name] ?? [])]).join(' ')}`
  console.log(`Installing ${missing.join(' and ')} with apt-get, without starting a service.`)
  spawnSync('sh', ['-c', script], { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, stdio: 'inherit' })
  return missing.filter((name) => !findServers()[name])
}
