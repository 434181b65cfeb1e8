import { expect, test } from 'vitest'
import { byLevel } from '../level.ts'
import { fuzzOnce, noFuzz } from './fuzz.ts'
import { knownFiles } from './runner.ts'

const count = byLevel({ quick: 100, full: 1_500, long: 1_500 })

// `npm run maintain -- fuzz` runs for a chosen time.
test.each(['zip', 'png'] as const)(
  'whatever a %s file holds, it is read as another reader reads it, or refused by a rule',
  async (reader) => {
    const totals = noFuzz()
    const cpuMs = (): number => process.cpuUsage().user / 1000
    for (let seed = 1; seed <= count; seed++) await fuzzOnce(reader, seed, totals, cpuMs, knownFiles(reader))
    console.log(
      `${reader}: ${totals.cases} cases, ${totals.accepted} read, ${totals.agreed} of them by another reader too, ${totals.rules.size} rules met`,
    )
    expect(totals.accepted).toBeGreaterThan(count / 10)
    expect(totals.agreed).toBeGreaterThan(count / 10)
    expect(totals.rules.size).toBeGreaterThan(15)
  },
)
