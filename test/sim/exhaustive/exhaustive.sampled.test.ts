import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byLevel, level } from '../../level.ts'
import { type Bundle, bundle } from '../bundle.ts'
import { runSimulator } from '../seeded/simulator-process.ts'
import type { Answer } from './main.ts'

let simulator: Bundle
beforeAll(async () => {
  simulator = await bundle('sim/exhaustive/main.ts', 'exhaustive')
})
afterAll(() => simulator.remove())

describe('I1 to I6, I8 to I10: every schedule of one purchase with a few surprises', () => {
  test('two deaths at any moment, every outcome of the first three POSTs, downtimes, prices, clocks: one charge, none above the ceiling, nothing lost', async () => {
    // The quick level plays two of sixteen parts.
    const runs = await Promise.all(
      [0, 1].map((part) =>
        runSimulator(simulator, {
          part,
          of: byLevel({ quick: 16, full: 2, long: 2 }),
          level,
          ...(level === 'long' ? {} : { surprises: 1 }),
        }),
      ),
    )
    const answers = runs.flatMap(({ lines }) => lines.map((line) => JSON.parse(line) as Answer))
    expect(runs.map(({ failure }) => failure)).toEqual(['', ''])
    const total = { schedules: 0, runs: 0, crashes: 0, charges: 0 }
    for (const { name, report } of answers) {
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += report[key]
      console.log(`${name}: ${report.schedules} schedules, ${report.runs} executions of the code`)
    }
    const { schedules, runs: executions, crashes, charges } = total
    // A broken promise ends the simulator, so the zeros in this line are true.
    console.log(
      `L1: ${schedules} schedules (those that meet in one state go on together, in ${executions} executions of the real code), ${crashes} crashes, ${charges} charged ends, 0 double charges, 0 above the ceiling, 0 lost results`,
    )
    expect(schedules).toBeGreaterThanOrEqual(byLevel({ quick: 300, full: 100_000, long: 100_000 }))
    expect(answers.flatMap(({ report }) => Object.keys(report.ends)).filter((end) => !isAllowed(end))).toEqual([])
  })
})

/** Whether a purchase may end like this in a schedule whose service does not vanish. */
function isAllowed(end: string): boolean {
  return /^(done$|failed \(SW_(FAILED|REFUSED)\)|needs approval \(SW_(CEILING|BUYER)\)|needs decision)/.test(end)
}
