import { accessSync, constants, statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Where CI runs the tests, the tests still play people at their desks; those about CI say so themselves.
    env: { CI: '', ...temporaryFolder() },
  },
})

/**
 * Every record is synced to the disk before anything is sent, which takes a real disk milliseconds and memory none. What a sync is good for is
 * proved on simulated disks; so the projects of the tests lie in memory where there is a roomy file system for it.
 */
function temporaryFolder(): { TMPDIR?: string } {
  const memory = '/dev/shm'
  if (process.env.TMPDIR !== undefined) return {}
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > 2 ** 32 ? { TMPDIR: memory } : {}
  } catch {
    return {}
  }
}
