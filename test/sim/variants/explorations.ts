import { explore } from '../exhaustive/exhaustive.ts'
import { usualRules } from '../exhaustive/project.ts'
import { exploreRivals } from '../exhaustive/rivals.ts'
import { everything, type Scenario, type TeamAxes } from '../exhaustive/scenario.ts'
import { BrokenInvariant } from '../invariants.ts'
import { clockJumps, lostBetween, race, storeFaults, teamAxes } from '../team/scenarios.ts'
import { exploreRace, exploreSwitches } from '../team/switches.ts'
import { branchApprovals, copiedApprovals, endedApprovals } from './ended.ts'
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

/** Two machines, one of which stands still while the other builds. */
function atOnce(downtimes: readonly number[], axes: Partial<TeamAxes> = {}): Scenario {
  return { ...race, surprises: 1, outcomes: ['ok'], downtimes, team: { ...teamAxes, ...axes } }
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
  'approvals that have ended': endedApprovals,
  'approvals that were copied': copiedApprovals,
  'approvals that an old branch has': branchApprovals,
  'two builds, one sprite': (counter: Counter) => counted({ ...few, outcomes: ['ok'] }, counter, exploreRivals),
  'two builds, two sprites, credits for one': raceForCredits,
  'machines at once': (counter: Counter) => counted(atOnce([0, 40 * minute]), counter, exploreSwitches),
  'twins over PostgreSQL': (counter: Counter) => counted(atOnce([0], { adapter: 'postgres', areTwins: true }), counter, exploreSwitches),
  'twins over S3': (counter: Counter) => counted(atOnce([0], { adapter: 's3', areTwins: true }), counter, exploreSwitches),
  'two machines, credits for one': (counter: Counter) => counted({ ...race, downtimes: [2 * minute] }, counter, exploreRace),
  'a shared store that fails': (counter: Counter) => counted({ ...storeFaults('none'), surprises: 1 }, counter),
  'a record that is lost between others': (counter: Counter) => counted({ ...lostBetween, outcomes: ['ok'] }, counter),
  'a takeover over S3': (counter: Counter) =>
    counted({ ...race, surprises: 1, outcomes: ['ok'], downtimes: [0], team: { ...teamAxes, adapter: 's3' } }, counter),
  'another machine after forty minutes': (counter: Counter) =>
    counted({ ...clockJumps, downtimes: [40 * minute], clocks: ['right'], team: { ...teamAxes, storeJumps: [0, -120 * minute] } }, counter),
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
