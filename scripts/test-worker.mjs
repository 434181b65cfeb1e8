// Plays a whole studio: 5 workers, 20 clients, 200 sprites, over Redis and PostgreSQL that are restarted while
// workers are killed (npm run test:worker). It needs the packages bullmq and ioredis, and takes some minutes.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureServers } from './install-servers.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const missing = ensureServers(['postgresql', 'redis-server'])
for (const name of missing) console.warn(`Expected ${name} on this machine, found none. The test is skipped.`)
spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root, stdio: 'inherit' })

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/kill/worker.test.ts', ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, SPRITEWRIGHT_STUDIO: '1' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
