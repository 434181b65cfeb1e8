import { afterAll, describe, test } from 'vitest'
import { runSeeds } from './suite.ts'
import { addTotals, formatTotals, noTotals } from './totals.ts'

const totals = noTotals()
afterAll(() => console.log(`L2, second half: ${formatTotals(totals, 0)}`))

// A separate file, so that two cores share the seeds.
describe('I1 to I10, whatever goes wrong', () => {
  test.each([1001, 1251, 1501, 1751])(
    'seeds %i and the 249 after it',
    async (from) => addTotals(totals, await runSeeds(from, 250)),
    600_000,
  )
})
