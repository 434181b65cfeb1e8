import { explore } from '../exhaustive/exhaustive.ts'
import { usualRules } from '../exhaustive/project.ts'
import { exploreRivals } from '../exhaustive/rivals.ts'
import { everything, type Scenario } from '../exhaustive/scenario.ts'
import { BrokenInvariant } from '../invariants.ts'
import { raceForCredits } from './race.ts'
import { deletedStore, lateRecord, refusedReplay, windowThatEnds } from './scenes.ts'

/** Counts the processes that were run. */
export interface Counter {
  runs: number
}

const minute = 60_000

/** Few axes: each variant is explored only where it is wrong. */
const few: Scenario = {
  ...everything,
  surprises: 1,
  outcomes: ['ok', 'lost response'],
  prices: everything.prices.slice(0, 1),
  clocks: ['right'],
}

/** Jobs that always fail, up to a limit: one approval may start only three executions. */
function alwaysFails(index: number): 'fails, may be tried again' {
  if (index > 2) throw new BrokenInvariant('I9', `execution ${index + 1} is started under one approval: its attempts have no end`)
  return 'fails, may be tried again'
}

/**
 * Explorations by name: the exhaustive ones, smaller, and scenes for cases that they do not play. Each ends
 * at the first broken promise.
 */
export const explorations = {
  everything: (counter: Counter) => counted({ ...everything, surprises: 2 }, counter),
  'a job that fails once': (counter: Counter) =>
    counted({ ...few, rules: { ...usualRules, fate: (index) => (index === 0 ? alwaysFails(index) : 'completes') } }, counter),
  'jobs that fail again and again': (counter: Counter) =>
    counted({ ...few, outcomes: ['ok'], rules: { ...usualRules, fate: alwaysFails }, expected: 'failed' }, counter),
  'a stream that lies': (counter: Counter) => counted({ ...few, rules: { ...usualRules, jobMs: 5_000, stream: 'lies' } }, counter),
  'a clock that is put back': (counter: Counter) =>
    counted({ ...few, surprises: 3, outcomes: ['ok'], downtimes: [40 * minute], clocks: ['put back'] }, counter),
  'a store that is deleted at any moment': (counter: Counter) =>
    counted(
      { ...few, surprises: 3, hasCopy: true, outcomes: ['ok'], downtimes: [40 * minute], losses: ['the store of the project'] },
      counter,
    ),
  'a store that is deleted after the purchase': deletedStore,
  'a window that ends during a wait': windowThatEnds,
  'a replay that is refused': refusedReplay,
  'a record that comes late': lateRecord,
  'two builds, one sprite': (counter: Counter) => counted({ ...few, outcomes: ['ok'] }, counter, exploreRivals),
  'two builds, two sprites, credits for one': raceForCredits,
} satisfies Readonly<Record<string, (counter: Counter) => Promise<void>>>

export type ExplorationName = keyof typeof explorations

/**
 * The simulator reports its number of processes only if it finds nothing. So this counts a field that each
 * process reads once.
 */
async function counted(scenario: Scenario, counter: Counter, exploreIt: (scenario: Scenario) => Promise<unknown> = explore): Promise<void> {
  await exploreIt({
    ...scenario,
    get hasCopy() {
      counter.runs++
      return scenario.hasCopy
    },
  })
}
