import { afterAll, describe, expect, test } from 'vitest'
import { runPlan, runSeed } from './seeded.ts'
import { readRegressions } from './shrink.ts'
import { regressionFile, runSeeds } from './suite.ts'
import { addTotals, formatTotals, noTotals } from './totals.ts'

const totals = noTotals()
afterAll(() => console.log(`L2, first half: ${formatTotals(totals, 0)}`))

describe('I1 to I10, whatever goes wrong', () => {
  test('plans that broke a promise once keep it', async () => {
    for (const { plan } of readRegressions(regressionFile)) await runPlan(plan)
  })

  test('the same seed is the same world', async () => {
    for (const seed of ['twin', 'pair', 'echo']) expect(await runSeed(seed)).toEqual(await runSeed(seed))
  })

  test.each([1, 251, 501, 751])('seeds %i and the 249 after it', async (from) => addTotals(totals, await runSeeds(from, 250)), 600_000)
})
