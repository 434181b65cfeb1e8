import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byLevel, level } from '../../level.ts'
import { type Bundle, bundle } from '../bundle.ts'
import type { Answer } from '../exhaustive/main.ts'
import { runSimulator } from '../seeded/simulator-process.ts'

/** The ends other than done or a decision. */
const scarce = 'two machines at once, credits for one: needs approval'
/** The older approval is replaced as soon as the newer one is used. The next build of that machine finds the purchase. */
const replaced = 'two machines at once, of two users: needs approval'
/** What the quick level plays. */
const sample = ['a store that fails, by no adapter', 'two machines at once, of one user', 'two people who have both approved', 'seeds']

let simulator: Bundle
beforeAll(async () => {
  simulator = await bundle('sim/team/main.ts', 'team')
})
afterAll(() => simulator.remove())

describe('I1 to I6, I8 to I10: every schedule of one purchase on machines that share a journal', () => {
  test('deaths, takeovers, a store that fails, loses, is slow or away, clocks that jump, and whole days of up to five machines: one charge, and every machine ends', async () => {
    const runs = await Promise.all(
      [0, 1].map((part) => runSimulator(simulator, { part, of: 2, level, ...(level === 'quick' ? { names: sample } : {}) })),
    )
    expect(runs.map(({ failure }) => failure)).toEqual(['', ''])
    const answers = runs.flatMap(({ lines }) => lines.map((line) => JSON.parse(line) as Answer))
    const total = { schedules: 0, runs: 0, crashes: 0, charges: 0 }
    for (const { name, report } of answers) {
      if (name === 'seeds')
        console.log(
          `L4: ${report.schedules} seeds of two to five machines, ${report.runs} processes, ${report.crashes} deaths, ${report.charges} charges, 0 double charges, 0 above the total`,
        )
      else {
        for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += report[key]
        console.log(`${name}: ${report.schedules} schedules, ${report.runs} executions of the code`)
      }
    }
    // A broken promise ends the simulator, so the zeros in this line are true.
    console.log(
      `L3: ${total.schedules} schedules over several machines, in ${total.runs} executions of the real code, ${total.crashes} crashes, ${total.charges} charged ends, 0 double charges, 0 above the total, 0 lost results`,
    )
    expect(total.schedules).toBeGreaterThanOrEqual(byLevel({ quick: 300, full: 100_000, long: 100_000 }))
    const ends = answers.flatMap(({ name, report }) => Object.keys(report.ends).map((end) => `${name}: ${end}`))
    expect(ends.filter((end) => !/: (done$|needs decision)/.test(end))).toEqual(
      byLevel({ quick: [], full: [scarce, replaced], long: [scarce, replaced] }),
    )
  })
})
