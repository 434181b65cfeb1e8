import { parseCredits } from '../../../src/credit/credits.ts'
import type { SigningKey } from '../../../src/credit/signing-key.ts'
import type { Order } from '../../../src/job/order.ts'
import { BrokenInvariant, checkPlace } from '../invariants.ts'
import { fingerprintOfStore, type StoreOutcome, type StoreWatch } from '../team/store.ts'
import { overWire } from '../team/wires.ts'
import { checkQuietAfter, checkRun } from './checks.ts'
import { add, mix } from './content.ts'
import { type DiskImage, fingerprint, fingerprintOfRisk } from './image.ts'
import { type ProcessEnd, SimulatedProcess } from './process.ts'
import {
  approvedProject,
  type Checkout,
  isResultPath,
  lockPath,
  orderedHash,
  orderUnder,
  otherKey,
  ownKey,
  type ProcessPorts,
  places,
} from './project.ts'
import { type Death, firstWorld, machinesFor, type Pause, pauseSurprises, pausesOf, restart, type Scenario, tellPause } from './scenario.ts'
import { type Choose, fingerprintOfSeats, fingerprintOfWorld, PlayedWorld, type World, type WorldRules } from './world.ts'

/** The result of an exploration. */
export interface Report {
  /**
   * Number of ways from the approval to the end of the last process. They differ in when and how each process
   * died, in the outcome of each POST, in downtimes, and so on. Ways that meet in one state go on together,
   * so there are more ways than runs.
   */
  readonly schedules: number
  /** Processes of the real code that were run. */
  readonly runs: number
  /** Different states that a dying process left behind. */
  readonly crashes: number
  /** Ends at which something was paid. */
  readonly charges: number
  /** How often processes that nothing killed ended in each way. */
  readonly ends: Readonly<Record<string, number>>
}

/** A part of an exploration, so that several processes can share it. */
export interface Share {
  /** From 0. */
  readonly part: number
  readonly of: number
}

/** Everything that happened up to a state, in words. */
interface Story {
  readonly before: Story | undefined
  readonly words: string
}

/** A state from which a process starts. */
interface Start {
  readonly world: World
  readonly number: 1 | 2 | 3
  /** How many more surprises the schedule may have. */
  readonly surprises: number
  readonly story: Story | undefined
  /** In how many ways this state comes about. */
  ways: number
  /**
   * Pauses that may follow if this process dies. A schedule has one kind of pause, which follows each of its
   * crashes.
   */
  readonly pauses: Pause[]
}

/** A state that a dying process leaves behind. */
interface Crash {
  readonly surprises: number
  readonly world: World
  readonly story: Story
  /** In how many ways (number of changes, kind of death) a process from one start leaves this state. */
  ways: number
}

/** A choice that was made while a process ran. */
interface Made {
  readonly count: number
  readonly chosen: number
  readonly words: string
}

/** A broken promise, with the schedule that broke it. */
export class BrokenSchedule extends Error {
  override readonly name = 'BrokenSchedule'
  readonly invariant: string

  constructor(broken: BrokenInvariant, story: readonly string[]) {
    super([broken.message, ...story.map((line) => `  ${line}`)].join('\n'), { cause: broken })
    this.invariant = broken.invariant
  }
}

/** A broken promise becomes an error with its schedule. Other errors are returned unchanged. */
export function brokenBy(error: unknown, story: readonly string[]): unknown {
  return error instanceof BrokenInvariant ? new BrokenSchedule(error, story) : error
}

/** A report of nothing. */
export function noReport(): { schedules: number; runs: number; crashes: number; charges: number; ends: Readonly<Record<string, number>> } {
  return { schedules: 0, runs: 0, crashes: 0, charges: 0, ends: {} }
}

/**
 * Runs every schedule of a scenario. A schedule has up to three processes, of which the first two may die at
 * any moment. It also has every outcome of their requests and every event in between. The last process runs
 * to its end.
 *
 * @param share Part of the schedules, divided by the states that the first process leaves behind.
 * @throws {BrokenSchedule} At the first broken promise.
 */
export async function explore(scenario: Scenario, share: Share = { part: 0, of: 1 }): Promise<Report> {
  return new Exploration(scenario).run(share)
}

const none = { schedules: 0, runs: 0, crashes: 0, charges: 0 }

class Exploration {
  readonly #scenario: Scenario
  readonly #world: WorldRules
  readonly #orders: ReadonlyMap<SigningKey, Order>
  readonly #count = { ...none }
  #ends: Record<string, number> = {}
  /** Ends after which the other machines have built too. */
  readonly #settled = new Set<number>()

  constructor(scenario: Scenario) {
    const ceiling = parseCredits(scenario.ceiling)
    this.#scenario = scenario
    this.#orders = new Map([ownKey, otherKey].map((key) => [key, orderUnder(ceiling, scenario.team ? key : ownKey)]))
    const { rules, outcomes, faultyPosts, prices } = scenario
    this.#world = { rules, ceiling, request: orderedHash, outcomes, faultyPosts, prices }
  }

  async run({ part, of }: Share): Promise<Report> {
    const first: Start = {
      world: scenarioStart(this.#scenario),
      number: 1,
      surprises: this.#scenario.surprises,
      story: undefined,
      ways: 1,
      pauses: pausesOf(this.#scenario),
    }
    const second = new Map<number, Start>()
    await this.#runAll(first, second)
    const ends = new Map<number, number>()
    // Every part runs the first process, but only the first part counts its ends.
    if (part > 0) {
      Object.assign(this.#count, none)
      this.#ends = {}
    }
    for (const [index, start] of [...second.values()].entries()) {
      if (index % of !== part) continue
      const third = new Map<number, Start>()
      await this.#runAll(start, third)
      for (const [key, next] of third) {
        const known = ends.get(key)
        const leaves = known ?? (await this.#runAll(next))
        if (known === undefined) ends.set(key, leaves)
        else this.#count.schedules += next.ways * leaves
      }
    }
    return { ...this.#count, ends: this.#ends }
  }

  /** Adds the states from which a process starts after a crash, one for each pause. */
  #follow(from: Start, crash: Crash, starts: Map<number, Start>): void {
    const number = from.number === 1 ? 2 : 3
    const { world, story } = crash
    const ways = from.ways * crash.ways
    for (const pause of from.pauses) {
      const surprises = crash.surprises - (from.number === 1 ? pauseSurprises(pause) : 0)
      if (surprises < 0) continue
      for (const machine of machinesFor(number, world)) {
        const change = { ...pause, machine }
        const next = restart({ ...world, isPriceOpen: world.isPriceOpen || number === 2 }, change)
        const key = add(keyOf(next, number), mix(surprises, number))
        const same = starts.get(key)
        if (same) {
          same.ways += ways
          if (!same.pauses.includes(pause)) same.pauses.push(pause)
        } else {
          const told = { before: story, words: tellPause(change) }
          starts.set(key, { world: next, number, surprises, story: told, ways, pauses: [pause] })
        }
      }
    }
  }

  /**
   * Runs a process from one state, once for each sequence of choices.
   *
   * @param starts Receives the states from which the next process starts, if there is one.
   * @returns The number of sequences.
   */
  async #runAll(start: Start, starts?: Map<number, Start>): Promise<number> {
    const scripts: (readonly number[])[] = [[]]
    const crashes = starts && new Map<number, Crash>()
    let leaves = 0
    for (let script = scripts.pop(); script; script = scripts.pop()) {
      const made = await this.#runOnce(start, script, crashes)
      leaves++
      for (let at = made.length - 1; at >= script.length; at--) {
        const before = made.slice(0, at).map(({ chosen }) => chosen)
        for (let other = (made[at] as Made).count - 1; other > 0; other--) scripts.push([...before, other])
      }
    }
    this.#count.schedules += start.ways * leaves
    if (starts) for (const crash of (crashes as Map<number, Crash>).values()) this.#follow(start, crash, starts)
    return leaves
  }

  async #runOnce(start: Start, script: readonly number[], crashes: Map<number, Crash> | undefined): Promise<readonly Made[]> {
    const made: Made[] = []
    let surprises = start.surprises
    const choose: Choose = (what, events) => {
      const chosen = script[made.length] ?? 0
      made.push({
        count: surprises > 0 ? events.length : 1,
        chosen,
        words: what === 'store' && chosen === 0 ? '' : `${what}: ${events[chosen]}`,
      })
      if (chosen > 0) surprises--
      return chosen
    }
    const tell = (): Story => ({ before: start.story, words: tellMade(start, made) })
    const leave = (process: SimulatedProcess, death: Death, what: string, left: number): void => {
      if (!crashes) return
      const key = add(crashKey(process, played, death), mix(left, 5))
      const same = crashes.get(key)
      if (same) same.ways++
      else {
        this.#count.crashes++
        const story = { before: tell(), words: `${death}, after ${what}` }
        crashes.set(key, { surprises: left, world: worldAfter(process, played, death), story, ways: 1 })
      }
    }
    const look = (process: SimulatedProcess, what: string): void => {
      // Another run has already seen every state before the last given choice of this script.
      if (!crashes || surprises === 0 || made.length < script.length || what.endsWith('.tmp')) return
      for (const death of this.#scenario.deaths[start.number === 1 ? 0 : 1]) leave(process, death, what, surprises - 1)
    }
    const played = new PlayedWorld(start.world, this.#world, choose, look)
    const process: SimulatedProcess = new SimulatedProcess(start.world, start.number, {
      request: (self, wanted) => played.request(self, wanted),
      onChange: (what, path) => {
        if (!what.startsWith('sync')) checkPlace(path, places)
        // In a team, the store has the records. Of the first disk, only the lock file and the result count then.
        if (!played.store || start.number === 2 || path === lockPath || isResultPath(path)) look(process, `${what} ${path}`)
      },
    })
    const watch: StoreWatch = {
      outcome: (call) => {
        const isSpent = played.store?.faults === this.#scenario.team?.faultyCalls
        const outcomes = isSpent ? noTroubles : this.#storeOutcomes(start.number, call)
        return outcomes[choose('store', outcomes)] as StoreOutcome
      },
      onStep: (what) => look(process, what),
    }
    look(process, 'its start')
    try {
      const words = await this.#runToEnd(process, played, start.number, watch)
      if (words === undefined) leave(process, 'killed', 'an end without the store', surprises)
      else if (surprises === this.#scenario.surprises && words !== this.#scenario.expected)
        throw new BrokenInvariant('I9', `where nothing went wrong it ended: ${words}`)
    } catch (error) {
      throw brokenBy(error, linesOf(tell()))
    }
    return made
  }

  /** The outcomes of calls of the store in the n-th process. The last one meets no fault, and has to end. */
  #storeOutcomes(number: number, call: 'put' | 'get'): readonly StoreOutcome[] {
    const { team } = this.#scenario
    return (call === 'put' ? team?.puts : team?.gets)?.[number - 1] ?? noTroubles
  }

  #checkoutOf(played: PlayedWorld, watch: StoreWatch): Checkout {
    const { hasCopy, team: axes } = this.#scenario
    const key = played.isElsewhere || axes?.users[played.team?.machine ?? 0] === 'other' ? otherKey : ownKey
    const share = axes && ((ports: ProcessPorts) => overWire(axes.adapter, played.link(ports, watch), ports))
    return { total: this.#world.ceiling, hasCopy, key, share }
  }

  /** @returns How it ended; `undefined` if it ended because the store failed it. */
  async #runToEnd(process: SimulatedProcess, played: PlayedWorld, number: number, watch: StoreWatch): Promise<string | undefined> {
    this.#count.runs++
    const checkout = this.#checkoutOf(played, watch)
    const order = this.#orders.get(checkout.key) as Order
    const end = await process.run(order, checkout)
    if (mayEndWithout(played, process, end)) return number > 2 ? 'stopped' : undefined
    const words = checkRun(process, played, end)
    const name = end.kind === 'done' ? words : `${words} (${end.code})`
    this.#ends[name] = (this.#ends[name] ?? 0) + 1
    if (played.oracle(process.clock.now).some(({ money }) => money === 'settled')) this.#count.charges++
    if (played.team && (number < 3 || this.#count.runs % 4 === 0)) await this.#settleOthers(process, played, words)
    if (words !== 'done' || (number > 1 && this.#count.runs % 8 > 0)) return words
    this.#count.runs++
    await checkQuietAfter(process, played, order, this.#checkoutOf(played, noTrouble))
    return words
  }

  /** I9: the other machines of a team come to an end too, and to the same result. */
  async #settleOthers(process: SimulatedProcess, played: PlayedWorld, words: string): Promise<void> {
    let world = played.worldAfter(process.outside(process.disk.image()))
    for (const machine of world.team?.seats.keys() ?? []) {
      if (machine === played.team?.machine) continue
      world = restart(world, { downMs: 0, clock: 'right', loss: 'nothing', machine })
      const key = keyOf(world, 4)
      if (this.#settled.has(key)) return
      this.#settled.add(key)
      this.#count.runs++
      const others = new PlayedWorld(
        world,
        this.#world,
        () => 0,
        () => {},
      )
      const other = new SimulatedProcess(world, 5 + machine, {
        request: (self, wanted) => others.request(self, wanted),
        onChange: () => {},
      })
      const checkout = this.#checkoutOf(others, noTrouble)
      const end = await other.run(this.#orders.get(checkout.key) as Order, checkout)
      const isStopped = mayEndWithout(others, other, end)
      const othersWords = isStopped ? 'stopped' : checkRun(other, others, end)
      if (words === 'done' && othersWords !== 'done' && !isStopped)
        throw new BrokenInvariant('I9', `machine ${played.team?.machine} has the result, and machine ${machine} ends with: ${othersWords}`)
      world = others.worldAfter(other.outside(other.disk.image()))
    }
  }
}

/** Whether a process may end like this because the store failed it, or has lost a record. */
function mayEndWithout(played: PlayedWorld, process: SimulatedProcess, end: ProcessEnd): boolean {
  if (end.kind === 'done') return false
  const link = played.linkOf(process)
  if (end.code === 'SW_STORE') return link?.hasFailed === true
  return end.code === 'SW_JOURNAL' && (played.store?.hasLost === true || link?.hasForgotten === true)
}

const noTroubles: readonly StoreOutcome[] = ['ok']
/** A store that does what it should. */
const noTrouble: StoreWatch = { outcome: () => 'ok', onStep: () => {} }

/** The world before the first process of a scenario. */
export function scenarioStart(scenario: Scenario): World {
  const { ceiling, team } = scenario
  if (!team) return firstWorld(scenario, approvedProject(ceiling))
  // The adapter for PostgreSQL looks for its package.
  const packages = { '/game/node_modules/pg/package.json': new TextEncoder().encode('{"version":"8.16.3"}') }
  const [first, ...others] = team.users.map((user) => approvedProject(ceiling, user === 'own' ? ownKey : otherKey, packages))
  return firstWorld(scenario, first as DiskImage, others)
}

function tellMade({ number }: Start, made: readonly Made[]): string {
  const words = made.map((one) => one.words).filter((one) => one !== '')
  return `process ${number}: ${words.join(', ') || 'no POST'}`
}

function linesOf(story: Story | undefined): readonly string[] {
  return story ? [...linesOf(story.before), story.words] : []
}

function crashKey({ disk, clock }: SimulatedProcess, played: PlayedWorld, death: Death): number {
  const wall = clock.wall()
  const mono = clock.mono()
  const ofDisk = death === 'power loss' ? disk.fingerprintAfterPowerLoss(wall, mono) : disk.fingerprint(wall, mono)
  const risk = death === 'killed, not synced' ? disk.fingerprintOfRisk() : 0
  return add(add(ofDisk, risk), mix(played.fingerprint(clock.now), 3))
}

function worldAfter(process: SimulatedProcess, played: PlayedWorld, death: Death): World {
  const { disk } = process
  const image = {
    killed: () => disk.image(),
    'killed, not synced': () => disk.imageNotSynced(),
    'power loss': () => disk.imageAfterPowerLoss(),
  }[death]()
  return played.worldAfter(process.outside(image))
}

/** The other machines do not matter to the last process. */
function keyOf(world: World, number: number): number {
  const { disk, now, wallShift, bootAt, team } = world
  const own = add(add(fingerprint(disk, now + wallShift, now - bootAt), fingerprintOfRisk(disk)), mix(fingerprintOfWorld(world, now), 3))
  return team
    ? add(own, add(number < 3 ? mix(fingerprintOfSeats(team, now), 3) : team.machine, mix(fingerprintOfStore(team.store, now), 7)))
    : own
}
