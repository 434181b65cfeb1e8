import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import base from '../vitest.config.ts'

// The tests of one room, for `npm run mutation`.
const folders = (process.env.SPRITEWRIGHT_MUTATED ?? 'test').split(',')

export default defineConfig({
  ...base,
  root: join(import.meta.dirname, '..'),
  test: {
    ...base.test,
    // Stryker runs the tests in threads, which take no flags of V8.
    execArgv: [],
    include: folders.flatMap((folder) => [`${folder}/**/*.test.ts`, `${folder}.test.ts`]),
    // It starts the built command line, which has no faults.
    exclude: ['test/money/crash.test.ts'],
  },
})
