import { defineConfig } from 'vitest/config'

/** Real processes under full disks, broken wires and ten kills: `npm run sim` has them, to keep `npm test` under ten minutes on two cores. */
const longRuns = ['test/kill/full-disk.test.ts', 'test/kill/kill-ten.test.ts', 'test/kill/proxy.test.ts']

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(process.env.SPRITEWRIGHT_LONG ? [] : longRuns)],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Where CI runs the tests, the tests still play people at their desks; those about CI say so themselves.
    env: { CI: '' },
  },
})
