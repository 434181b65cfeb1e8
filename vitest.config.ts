import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // Where CI runs the tests, the tests still play people at their desks; those about CI say so themselves.
    env: { CI: '' },
  },
})
