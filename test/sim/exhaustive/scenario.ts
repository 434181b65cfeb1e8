import { parseCredits } from '../../../src/credit/credits.ts'
import { emptyService, type SmallRules } from '../../kit/small-service.ts'
import { emptyStore, type StoreOutcome, withoutRecord } from '../team/store.ts'
import type { AdapterName } from '../team/wires.ts'
import { type DiskImage, withoutFiles } from './image.ts'
import { isLostWith, orderedHash, usualRules } from './project.ts'
import type { Outcome, World } from './world.ts'

/** How a process dies. */
export type Death =
  /** Its writes stay, synced or not. */
  | 'killed'
  /** Its writes stay, but a later power loss may still take those that are not synced. */
  | 'killed, not synced'
  /** Everything that was not synced is lost. */
  | 'power loss'

/** What happens to the machine's clocks while no process runs. */
export type ClockChange =
  | 'right'
  /** The wall clock shows the time of the crash; the monotonic clock goes on. */
  | 'standing still'
  /** The machine was started anew, and its wall clock shows two hours before the crash. */
  | 'put back'

/** What is gone when the next process starts. */
export type Loss =
  | 'nothing'
  /** `git clean`: everything of the project that is not committed. */
  | 'the store of the project'
  /** The next process runs on another machine, which has the current lock file. */
  | 'everything but the lock file'
  /** The store of the team has lost a record of the request: the last one, or the one before it. */
  | 'the last record'
  | 'an earlier record'

/** A change of the world while no process runs. */
export interface Pause {
  readonly downMs: number
  readonly clock: ClockChange
  readonly loss: Loss
  /** The machine of the next process. */
  readonly machine?: number | undefined
  /** How far the clock of the store jumps, in milliseconds. */
  readonly storeJumpMs?: number
}

/** The axes of machines that share a journal. */
export interface TeamAxes {
  readonly adapter: AdapterName
  /** The users of the machines: one key, or that of another user. */
  readonly users: readonly ('own' | 'other')[]
  /** Outcomes of each write and of each read, of the first process and of the second. */
  readonly puts: readonly [readonly StoreOutcome[], readonly StoreOutcome[]]
  readonly gets: readonly [readonly StoreOutcome[], readonly StoreOutcome[]]
  /** How many calls of a schedule may have another outcome than `ok`. */
  readonly faultyCalls: number
  readonly storeJumps: readonly number[]
  /** Whether the clocks of all machines are right. */
  readonly areTwins?: boolean
}

/**
 * The axes of an exploration, and the limit of surprises in a schedule. Crashes, faults, changes of price,
 * downtimes, changes of a clock and losses are surprises.
 */
export interface Scenario {
  readonly name: string
  readonly surprises: number
  readonly rules: SmallRules
  /** Whether a second copy of the journal is kept outside of the project. */
  readonly hasCopy: boolean
  /** Decimal text. */
  readonly ceiling: string
  readonly outcomes: readonly Outcome[]
  /** How many POSTs, from the first, may have another outcome than `ok`. */
  readonly faultyPosts: number
  /** Prices after the first crash. The first of them is the price before it. */
  readonly prices: readonly bigint[]
  readonly downtimes: readonly number[]
  readonly clocks: readonly ClockChange[]
  readonly losses: readonly Loss[]
  /** How the first process may die, and how the second. */
  readonly deaths: readonly [readonly Death[], readonly Death[]]
  /** How a schedule without any surprise ends. */
  readonly expected: 'done' | 'failed'
  /** @default one machine, with a journal of its own */
  readonly team?: TeamAxes
}

const minute = 60_000
const hour = 60 * minute

/** Every axis of the money protocol, at prices that a float cannot tell apart. */
export const everything: Scenario = {
  name: 'everything',
  surprises: 3,
  rules: usualRules,
  hasCopy: false,
  ceiling: '123456789012345.0003',
  outcomes: ['ok', 'lost request', 'lost response', '5xx before', '5xx after', '429', '409'],
  faultyPosts: 3,
  // The same, up within the ceiling, up above it, down.
  prices: ['123456789012345.0001', '123456789012345.0002', '123456789012345.0004', '123456789012345'].map((text) => parseCredits(text)),
  // None, shorter than the replay window, longer than it, longer than the service remembers keys.
  downtimes: [0, 9 * minute, 15 * minute, 40 * minute],
  clocks: ['right', 'put back'],
  losses: ['nothing'],
  deaths: [
    ['killed', 'power loss'],
    ['killed', 'power loss'],
  ],
  expected: 'done',
}

const few: Scenario = {
  ...everything,
  surprises: 3,
  hasCopy: true,
  outcomes: ['ok', 'lost response', '409'],
  faultyPosts: 2,
  prices: everything.prices.slice(0, 1),
  downtimes: [0, 9 * minute, 40 * minute],
  clocks: ['right'],
}

const slow: SmallRules = { ...usualRules, jobMs: 5_000 }

const alone: Scenario = { ...few, hasCopy: false }

/** The axes that {@link everything} leaves out, each in a smaller scenario. */
export const further: readonly Scenario[] = [
  { ...few, name: 'a second copy of the journal' },
  {
    ...few,
    name: 'the store of the project is deleted, or another machine goes on',
    downtimes: [0, 9 * minute],
    losses: ['nothing', 'the store of the project', 'everything but the lock file'],
  },
  { ...few, name: 'a process is killed and the power is lost later', downtimes: [0], deaths: [['killed, not synced'], ['power loss']] },
  { ...alone, name: 'the wall clock stands still while no process runs', downtimes: [0, 40 * minute], clocks: ['right', 'standing still'] },
  { ...alone, name: 'a key that is refused for a while', outcomes: ['ok', 'lost response', '403'] },
  { ...alone, name: 'a job of seconds, and a stream that ends', surprises: 2, rules: slow },
  { ...alone, name: 'a job of seconds, and a stream that lies', surprises: 2, rules: { ...slow, stream: 'lies' } },
  { ...alone, name: 'a job of seconds, and no stream', surprises: 2, rules: { ...slow, stream: 'is missing' } },
  {
    ...alone,
    name: 'jobs that fail again and again',
    surprises: 2,
    rules: { ...usualRules, fate: () => 'fails, may be tried again' },
    expected: 'failed',
  },
  {
    ...alone,
    name: 'a job that fails once',
    surprises: 2,
    rules: { ...usualRules, fate: (index) => (index === 0 ? 'fails, may be tried again' : 'completes') },
  },
  { ...alone, name: 'a job that fails for good', surprises: 2, rules: { ...slow, fate: () => 'fails for good' }, expected: 'failed' },
]

/** Two builds at once, at every moment. */
export const rivals: Scenario = {
  ...few,
  name: 'two builds at once',
  hasCopy: true,
  outcomes: ['ok', 'lost response', '409'],
  faultyPosts: 1,
}

/** The world before the first process. */
export function firstWorld({ prices, team }: Scenario, disk: DiskImage, others: readonly DiskImage[] = []): World {
  const now = 1_790_000_000_000
  const first = { disk, wallShift: 0, bootAt: team ? now - 2 * hour : 1_789_999_000_000 }
  // The clocks of the other machines are wrong, in both directions. Twins write the same at the same time.
  const wrong = team?.areTwins ? [] : [-35 * minute, hour]
  const seats = others.map((own, index) => {
    const wallShift = wrong[index] ?? 0
    return { disk: own, wallShift, bootAt: first.bootAt - wallShift }
  })
  return {
    ...first,
    now,
    service: emptyService(prices[0] as bigint),
    posts: [],
    named: [],
    used: 0,
    isPriceOpen: false,
    isElsewhere: false,
    team: team && { store: emptyStore, machine: 0, seats: [first, ...seats] },
  }
}

/** Every combination of downtime, clock and loss. */
export function pausesOf({ downtimes, clocks, losses, team }: Scenario): Pause[] {
  const all = downtimes.flatMap((downMs) => clocks.flatMap((clock) => losses.map((loss): Pause => ({ downMs, clock, loss }))))
  const alone = all.filter(({ downMs, clock }) => clock !== 'standing still' || downMs > 0)
  return team ? alone.flatMap((pause) => team.storeJumps.map((storeJumpMs) => ({ ...pause, storeJumpMs }))) : alone
}

/**
 * The machines on which the n-th process may run. The last one runs on another machine than the one before it:
 * two processes of one machine are played without a team.
 */
export function machinesFor(number: number, { team }: World): readonly (number | undefined)[] {
  if (!team) return [undefined]
  return [...team.seats.keys()].filter((machine) => number < 3 || machine !== team.machine)
}

/** How many surprises a pause counts as. */
export function pauseSurprises({ downMs, clock, loss, storeJumpMs = 0 }: Pause): number {
  return (downMs > 0 ? 1 : 0) + (clock === 'right' ? 0 : 1) + (loss === 'nothing' ? 0 : 1) + (storeJumpMs === 0 ? 0 : 1)
}

/** A pause in words. */
export function tellPause({ downMs, clock, loss, machine, storeJumpMs = 0 }: Pause): string {
  const lost = loss === 'nothing' ? '' : `, ${loss} is gone`
  const next = machine === undefined ? '' : `, next is machine ${machine}`
  const jump = storeJumpMs === 0 ? '' : `, the store's clock jumps by ${storeJumpMs / minute} minutes`
  return `${downMs / minute} minutes pass, the clock is ${clock}${lost}${jump}${next}`
}

/** The world after a pause. */
export function restart(before: World, { downMs, clock, loss, machine, storeJumpMs = 0 }: Pause): World {
  const world = withStore(onMachine(before, machine), loss, storeJumpMs)
  const now = world.now + downMs
  const back = { right: 0, 'standing still': downMs, 'put back': downMs + 120 * minute }[clock]
  const wallShift = world.wallShift - back
  const bootAt = clock === 'put back' ? now - 5_000 : world.bootAt
  if (loss === 'nothing' || loss === 'the last record' || loss === 'an earlier record') return { ...world, now, wallShift, bootAt }
  const isElsewhere = loss === 'everything but the lock file'
  const disk = withoutFiles(world.disk, (path) => isLostWith(path, isElsewhere))
  return { ...world, disk, now, wallShift, bootAt, isElsewhere: world.isElsewhere || isElsewhere }
}

/** The same world, in which the next process runs on another machine. */
function onMachine(world: World, machine: number | undefined): World {
  const { team, disk, wallShift, bootAt } = world
  if (!team || machine === undefined || machine === team.machine) return world
  const seats = team.seats.map((seat, index) => (index === team.machine ? { disk, wallShift, bootAt } : seat))
  return { ...world, ...seats[machine], team: { ...team, seats, machine } }
}

function withStore(world: World, loss: Loss, jumpMs: number): World {
  const { team } = world
  if (!team) return world
  const which = loss === 'the last record' ? 'last' : loss === 'an earlier record' ? 'earlier' : undefined
  const left = which === undefined ? team.store : withoutRecord(team.store, orderedHash, which)
  return { ...world, team: { ...team, store: { ...left, shiftMs: left.shiftMs + jumpMs } } }
}
