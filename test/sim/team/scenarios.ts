import { everything, type Scenario, type TeamAxes } from '../exhaustive/scenario.ts'
import type { StoreOutcome } from './store.ts'

const minute = 60_000
const nothing: readonly StoreOutcome[] = ['ok']

/** Machines without any trouble. */
export const teamAxes = {
  adapter: 'none',
  users: ['own', 'own'],
  puts: [nothing, nothing],
  gets: [nothing, nothing],
  faultyCalls: 1,
  storeJumps: [0],
} as const

/** The machine of one process, then of the next, and so on; each begins where the one before died or ended. */
const base: Scenario = {
  ...everything,
  surprises: 2,
  // The service forgets keys as early as it may.
  rules: { ...everything.rules, retentionMs: 10 * minute },
  outcomes: ['ok', 'lost response'],
  faultyPosts: 1,
  prices: everything.prices.slice(0, 1),
  downtimes: [0, 9 * minute],
  clocks: ['right'],
  deaths: [['killed'], []],
  team: teamAxes,
}

/** Most of the schedules: three machines, each of which may die at any moment. */
const deaths: Scenario = {
  ...base,
  name: 'three machines that die',
  surprises: 3,
  downtimes: [0, 9 * minute, 40 * minute],
  deaths: [['killed'], ['killed', 'power loss']],
  team: { ...teamAxes, users: ['own', 'own', 'own'] },
}

/** What the store does to the first of two machines. */
export function storeFaults(adapter: TeamAxes['adapter']): Scenario {
  return {
    ...base,
    name: `a store that fails, by ${adapter === 'none' ? 'no adapter' : adapter}`,
    // Behind an adapter, most faults are mended there.
    surprises: adapter === 'none' ? 2 : 1,
    outcomes: adapter === 'none' ? base.outcomes : ['ok'],
    // A process that the store fails ends like one that dies.
    deaths: [[], []],
    team: {
      ...teamAxes,
      adapter,
      puts: [['ok', 'lost', 'unanswered', 'forgotten', 'denied', 'away for 3 minutes', 'away for 30 minutes'], nothing],
      gets: [['ok', 'lost', 'away for 30 minutes'], nothing],
    },
  }
}

/** Ages that clocks get wrong. */
export const clockJumps: Scenario = {
  ...base,
  name: 'clocks that jump',
  surprises: 3,
  outcomes: ['ok'],
  downtimes: [0, 40 * minute],
  clocks: ['right', 'put back'],
  team: { ...teamAxes, storeJumps: [0, 60 * minute, -120 * minute] },
}

/** The service has forgotten the key, and the records after the lost one show that there was one. */
export const lostBetween: Scenario = {
  ...base,
  name: 'a store that loses a record between others',
  surprises: 3,
  downtimes: [40 * minute],
  losses: ['an earlier record'],
}

/** Scenarios of machines that share a journal. */
export const teamScenarios: readonly Scenario[] = [
  deaths,
  storeFaults('none'),
  storeFaults('postgres'),
  storeFaults('s3'),
  {
    ...base,
    name: 'a store that fails the second machine',
    outcomes: ['ok'],
    downtimes: [0],
    team: {
      ...teamAxes,
      puts: [nothing, ['ok', 'unanswered', 'denied']],
    },
  },
  {
    ...base,
    name: 'a store that takes a minute for each answer',
    surprises: 3,
    outcomes: ['ok'],
    downtimes: [7 * minute],
    team: { ...teamAxes, users: ['own'], gets: [nothing, ['ok', 'slow']] },
  },
  { ...base, name: 'a store that loses its last record', outcomes: ['ok'], downtimes: [0, 7 * minute], losses: ['the last record'] },
  lostBetween,
  clockJumps,
  { ...base, name: 'two people who have both approved', team: { ...teamAxes, users: ['own', 'other'] } },
]

/** Two machines that build at the same time. The downtimes are those of a machine that sleeps meanwhile. */
export const atOnce: readonly Scenario[] = (['own', 'other'] as const).map((user) => ({
  ...base,
  name: `two machines at once, of ${user === 'own' ? 'one user' : 'two users'}`,
  surprises: user === 'own' ? 2 : 1,
  outcomes: user === 'own' ? base.outcomes : ['ok'],
  downtimes: [0, 40 * minute],
  team: { ...teamAxes, users: ['own', user] },
}))

/** Two machines that need a sprite each, with credits for one. */
export const race: Scenario = { ...base, name: 'two machines at once, credits for one', downtimes: [0, 2 * minute] }
