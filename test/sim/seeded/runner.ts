import { parentPort } from 'node:worker_threads'
import { runSeed, SeedFailure } from './seeded.ts'
import { describeRegression, keepRegression, shrink, toRegression } from './shrink.ts'
import { addTotals, noTotals, type Totals } from './totals.ts'

export { addTotals, formatTotals, noTotals } from './totals.ts'

/** The answer of a thread to a list of seeds. */
export interface Batch {
  readonly totals: Totals
  /** A description of each seed that broke a promise. */
  readonly broken: readonly string[]
}

async function runBatch(seeds: readonly (number | string)[], regressions: string): Promise<Batch> {
  const totals = noTotals()
  const broken: string[] = []
  for (const seed of seeds) {
    try {
      addTotals(totals, await runSeed(seed))
    } catch (error) {
      if (!(error instanceof SeedFailure)) throw error
      const regression = toRegression(await shrink(error))
      keepRegression(regressions, regression)
      broken.push(describeRegression(regression))
    }
  }
  return { totals, broken }
}

// `npm run sim` starts this file as a thread on each core.
parentPort?.on('message', ({ seeds, regressions }: { seeds: readonly (number | string)[]; regressions: string }) => {
  void runBatch(seeds, regressions).then((batch) => parentPort?.postMessage(batch))
})
