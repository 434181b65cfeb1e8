import { everything, type Scenario } from '../exhaustive/scenario.ts'
import type { StoreOutcome } from './store.ts'

const minute = 60_000
const nothing: readonly StoreOutcome[] = ['ok']

const axes = {
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
  team: axes,
}

/** Most of the schedules: three machines, each of which may die at any moment. */
const deaths: Scenario = {
  ...base,
  name: 'three machines that die',
  surprises: 3,
  downtimes: [0, 9 * minute, 40 * minute],
  deaths: [['killed'], ['killed', 'power loss']],
  team: { ...axes, users: ['own', 'own', 'own'] },
}

/** What the store does to the first of two machines, by each way to reach it. */
const faults: readonly Scenario[] = (['none', 'postgres', 's3'] as const).map((adapter) => ({
  ...base,
  name: `a store that fails, by ${adapter === 'none' ? 'no adapter' : adapter}`,
  // Behind an adapter, most faults are mended there.
  surprises: adapter === 'none' ? 2 : 1,
  team: {
    ...axes,
    adapter,
    puts: [['ok', 'lost', 'unanswered', 'forgotten', 'denied', 'away for 3 minutes', 'away for 30 minutes'], nothing],
    gets: [['ok', 'lost', 'away for 30 minutes'], nothing],
  },
}))

/** Scenarios of machines that share a journal. */
export const teamScenarios: readonly Scenario[] = [
  deaths,
  ...faults,
  {
    ...base,
    name: 'a store that fails the second machine',
    outcomes: ['ok'],
    downtimes: [0],
    team: {
      ...axes,
      puts: [nothing, ['ok', 'unanswered', 'denied', 'away for 30 minutes']],
      gets: [nothing, ['ok', 'lost']],
    },
  },
  {
    ...base,
    name: 'a store that takes a minute for each answer',
    surprises: 3,
    outcomes: ['ok'],
    downtimes: [7 * minute],
    team: { ...axes, gets: [nothing, ['ok', 'slow']] },
  },
  {
    ...base,
    name: 'a store that loses a record',
    outcomes: ['ok'],
    downtimes: [0, 7 * minute],
    losses: ['the last record', 'an earlier record'],
  },
  {
    ...base,
    name: 'clocks that jump',
    surprises: 3,
    outcomes: ['ok'],
    downtimes: [0, 7 * minute, 40 * minute],
    clocks: ['right', 'put back'],
    team: { ...axes, storeJumps: [0, 60 * minute, -120 * minute, -minute] },
  },
  { ...base, name: 'two people who have both approved', team: { ...axes, users: ['own', 'other'] } },
]
