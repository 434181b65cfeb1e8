// Runs the tests of the shared stores, also over a real S3 service, which takes half a minute (npm run test:stores).
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureServers } from './install-servers.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const missing = ensureServers(['postgresql', 'nginx', 'radosgw'])
for (const name of missing) console.warn(`Expected ${name} on this machine, found none. Its tests are skipped.`)

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const env = missing.includes('radosgw') ? process.env : { ...process.env, SPRITEWRIGHT_RADOSGW: '1' }
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/stores', ...process.argv.slice(2)], {
  cwd: root,
  env,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
