import { afterAll, describe, expect, test } from 'vitest'
import { byLevel, level } from '../../level.ts'
import { runPlan, runSeed } from './seeded.ts'
import { readRegressions } from './shrink.ts'
import { regressionFile, runSeeds } from './suite.ts'
import { addTotals, formatTotals, noTotals } from './totals.ts'

/** How many seeds are played, and how many a test. */
const count = byLevel({ quick: 4, full: 2_000, long: 20_000 })
const batch = byLevel({ quick: 4, full: 250, long: 250 })
const totals = noTotals()
afterAll(() => console.log(`L2: ${formatTotals(totals, 0)}`))

describe('I1 to I10, whatever goes wrong', () => {
  test('plans that broke a promise once keep it', async () => {
    for (const { plan } of readRegressions(regressionFile)) await runPlan(plan)
  })

  if (level !== 'quick')
    test('the same seed is the same world', async () => {
      for (const seed of byLevel({ quick: ['twin'], full: ['twin', 'pair', 'echo'], long: ['twin', 'pair', 'echo'] }))
        expect(await runSeed(seed)).toEqual(await runSeed(seed))
    })

  test.each(Array.from({ length: count / batch }, (_, at) => [batch * at + 1, batch * (at + 1)] as const))(
    'seeds %i to %i',
    async (first) => addTotals(totals, await runSeeds(first, batch)),
  )
})
