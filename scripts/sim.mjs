// The long runs: the whole of the simulator, and every stream of the corpus cut at every byte; too long for `npm test`.
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
try {
  execFileSync(process.execPath, [vitest, 'run', 'test/sim', 'test/service/cut-streams.test.ts', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SPRITEWRIGHT_LONG: '1' },
  })
} catch (error) {
  process.exitCode = error.status ?? 1
}
