import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { patienceMs } from './test/kit/patience.ts'
import { type Level, level } from './test/level.ts'

/** A file says by its name in which levels it runs; one that is sampled chooses its counts by `byLevel` and its tests by `level`. */
const files: Readonly<Record<Level, { readonly include: string[]; readonly exclude: string[] }>> = {
  quick: { include: ['test/**/*.test.ts'], exclude: ['**/node_modules/**', '**/*.full.test.ts'] },
  full: { include: ['test/**/*.{sampled,full}.test.ts'], exclude: ['**/node_modules/**'] },
  long: { include: ['test/**/*.{sampled,full}.test.ts'], exclude: ['**/node_modules/**'] },
}

export default defineConfig({
  // The panel's page, as its build has it.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
  test: {
    projects: [{ extends: true, test: { name: level, ...files[level] } }],
    // Sets the timeout of a test by its folder, and how bytes are compared.
    setupFiles: ['test/kit/setup.ts'],
    hookTimeout: 2 * patienceMs,
    // One more than the two cores of a small machine: tests of browsers, servers and processes often wait.
    maxWorkers: 3,
    // What the sources are is loaded once, not once a file: no test replaces a module or leaves anything behind for the next one.
    isolate: false,
    // Megabytes for what is young: the simulators make and drop so much that a fifth of their time would go into copying it.
    // One thread that collects: several for each of three workers wait for each other on two cores, 6 % of the CPU time.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=128', '--single-threaded-gc'],
    // Where CI runs the tests, the tests still play people at their desks; those about CI say so themselves.
    // What the user's own state folder holds is nothing to them.
    env: { CI: '', ...folders() },
  },
})

/** The folder for temporary files, and a state folder in it. */
function folders(): Readonly<Record<string, string>> {
  const memory = process.env.TMPDIR === undefined ? memoryFolder() : undefined
  return { ...(memory === undefined ? {} : { TMPDIR: memory }), XDG_STATE_HOME: join(memory ?? tmpdir(), 'spritewright-test-state') }
}

/**
 * Every record is synced to the disk before anything is sent, which takes a real disk milliseconds and memory none. What a sync is good for is
 * proved on simulated disks; so the projects of the tests lie in memory where there is a roomy file system for it.
 */
function memoryFolder(): string | undefined {
  const memory = '/dev/shm'
  try {
    accessSync(memory, constants.W_OK)
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > 2 ** 32 ? memory : undefined
  } catch {
    return undefined
  }
}
