import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runSeed, SeedFailure } from './seeded.ts'
import { describeRegression, keepRegression, shrink, toRegression } from './shrink.ts'
import { addTotals, noTotals, type Totals } from './totals.ts'

/** Plans that once broke a promise. They are played first, every time. */
export const regressionFile: string = join(fileURLToPath(new URL('.', import.meta.url)), 'regressions.json')

/** Plays seeds in order. A seed that breaks a promise is made small, stored and reported. */
export async function runSeeds(from: number, count: number): Promise<Totals> {
  const totals = noTotals()
  for (let seed = from; seed < from + count; seed++) {
    try {
      addTotals(totals, await runSeed(seed))
    } catch (error) {
      if (!(error instanceof SeedFailure)) throw error
      const regression = toRegression(await shrink(error))
      keepRegression(regressionFile, regression)
      throw new Error(describeRegression(regression), { cause: error })
    }
  }
  return totals
}
