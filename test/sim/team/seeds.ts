import { parseCredits } from '../../../src/credit/credits.ts'
import { idempotencyKey, type Order } from '../../../src/job/order.ts'
import { answerSmall, emptyService, type SmallRules, type SmallState } from '../../kit/small-service.ts'
import type { DiskImage } from '../exhaustive/image.ts'
import { type ProcessEnd, SimulatedProcess, type Surroundings } from '../exhaustive/process.ts'
import { approvedProject, numberedOrder, ownKey, type ProcessPorts, usualRules } from '../exhaustive/project.ts'
import { toNetResponse, toOracle } from '../exhaustive/world.ts'
import { BrokenInvariant, checkCharges, checkEnd, checkIntent, checkTotal, type OracleExecution } from '../invariants.ts'
import { type Chance, seededChance } from '../seeded/chance.ts'
import { emptyStore, StoreLink, type StoreOutcome, TeamStore } from './store.ts'
import { type AdapterName, overWire } from './wires.ts'

const minute = 60_000
const ceiling = '2.4'
const price = parseCredits(ceiling)
/** The service forgets keys as early as it may. */
const rules: SmallRules = { ...usualRules, retentionMs: 10 * minute }
const faults: readonly StoreOutcome[] = ['lost', 'unanswered', 'forgotten', 'denied', 'away for 3 minutes', 'away for 30 minutes', 'slow']
/** How long a machine stands still, or is down. */
const naps = [0, 0, 0, 1_000, 30_000, 3 * minute, 7 * minute, 9 * minute, 15 * minute, 40 * minute]

const never = new Promise<never>(() => {})

/** Figures of one seed. */
export interface TeamSeed {
  readonly processes: number
  readonly deaths: number
  readonly faults: number
  readonly switches: number
  readonly charges: number
}

/** A machine: its disk, its clocks, and the orders that it still has to build. */
interface Desk {
  disk: DiskImage
  readonly wallShift: number
  readonly bootAt: number
  readonly todo: Order[]
  /** When its next process starts. */
  from: number
}

/** A process that runs or stands still. */
interface Task {
  readonly desk: Desk
  readonly process: SimulatedProcess
  goOn?: () => void
  left?: Promise<void>
}

/**
 * Plays one seed: up to five machines build up to four sprites, with a total that may not be enough for all.
 * At any call of the store, the present process may die or stand still while others go on. When the faults
 * end, every machine builds everything.
 *
 * @throws {BrokenInvariant} If a promise is broken.
 */
export async function runTeamSeed(seed: number): Promise<TeamSeed> {
  try {
    return await new SeededTeam(seed).play()
  } catch (error) {
    if (!(error instanceof BrokenInvariant)) throw error
    throw new BrokenInvariant(error.invariant, `seed ${seed}: ${error.message}`)
  }
}

class SeededTeam {
  readonly #chance: Chance
  readonly #orders: readonly Order[]
  readonly #desks: readonly Desk[]
  readonly #store = new TeamStore(emptyStore)
  readonly #adapter: AdapterName
  readonly #total: bigint
  readonly #trouble: { readonly death: number; readonly fault: number; readonly turn: number }
  readonly #hashOfKey: ReadonlyMap<string, string>
  readonly #sent = new Map<string, number>()
  readonly #links = new Map<SimulatedProcess, StoreLink>()
  readonly #count = { processes: 0, deaths: 0, switches: 0 }
  readonly #waiting = new Set<Task>()
  #service: SmallState = emptyService(price)
  #now = 1_790_000_000_000
  #isQuiet = false
  #broken: unknown
  /** Ends the turn of the present process. */
  #yield: () => void = () => {}

  constructor(seed: number) {
    const chance = seededChance(seed)
    this.#chance = chance
    this.#orders = Array.from({ length: chance.whole(1, 4) }, (_, index) => numberedOrder(index + 1, price))
    this.#total = price * BigInt(Math.max(1, this.#orders.length - chance.whole(0, 1)))
    this.#adapter = chance.pick(['none', 'postgres', 's3'])
    this.#trouble = { death: chance.pick([0, 0.02, 0.05]), fault: chance.pick([0, 0.01, 0.05]), turn: chance.pick([0.02, 0.1, 0.3]) }
    const packages = { '/game/node_modules/pg/package.json': new TextEncoder().encode('{"version":"8.16.3"}') }
    this.#desks = Array.from({ length: chance.whole(2, 5) }, () => ({
      disk: approvedProject(ceiling, ownKey, packages),
      wallShift: chance.pick([0, 0, 35 * minute, -35 * minute, -120 * minute]),
      bootAt: this.#now - chance.pick([1, 1_000, 7_000]) * minute,
      todo: Array.from({ length: chance.whole(1, 4) }, () => chance.pick(this.#orders)),
      from: this.#now,
    }))
    this.#hashOfKey = new Map(
      this.#orders.flatMap(({ hash, identity }) => [1, 2, 3].map((attempt) => [idempotencyKey(identity, hash, attempt), hash] as const)),
    )
  }

  async play(): Promise<TeamSeed> {
    for (;;) {
      const next = this.#chance.pick<Task | Desk | undefined>([...this.#waiting, ...this.#freeDesks()])
      if (next === undefined) break
      const yielded = new Promise<void>((resolve) => {
        this.#yield = resolve
      })
      if ('process' in next) this.#resume(next)
      else void this.#run(next, next.todo.shift() as Order).catch((error: unknown) => this.#fail(error))
      await yielded
      if (this.#broken) throw this.#broken
    }
    this.#isQuiet = true
    // In the first round, a machine may not know yet what only the lock file of another one names.
    for (const order of this.#orders) await this.#buildOnAll(order)
    const before = this.#service
    for (const order of this.#orders) {
      const ends = await this.#buildOnAll(order)
      if (ends.size > 1) throw new BrokenInvariant('I9', `machines end differently with ${order.request.id}: ${[...ends].join(', ')}`)
      for (const { id, request } of this.#oracle())
        if (request === order.hash && !ends.has('needs decision') && !this.#store.has(id))
          throw new BrokenInvariant('I4', `nothing leads to the execution ${id} of ${order.request.id}`)
    }
    if (this.#service.executions !== before.executions) throw new BrokenInvariant('I10', 'a build after the last one buys')
    return { ...this.#count, faults: this.#store.faults, charges: before.executions.length }
  }

  /** Builds an order on every machine, one after the other. Returns the different ends. */
  async #buildOnAll(order: Order): Promise<ReadonlySet<string>> {
    const ends = new Set<string>()
    for (const desk of this.#desks) {
      desk.from = this.#now
      ends.add(this.#tell(await this.#run(desk, order)))
    }
    return ends
  }

  /** Machines that have something to build and no process. */
  #freeDesks(): readonly Desk[] {
    const busy = new Set([...this.#waiting].map(({ desk }) => desk))
    return this.#desks.filter((desk) => desk.todo.length > 0 && !busy.has(desk))
  }

  async #run(desk: Desk, order: Order): Promise<ProcessEnd> {
    this.#now = Math.max(this.#now, desk.from)
    const start = { disk: desk.disk, now: this.#now, wallShift: desk.wallShift, bootAt: desk.bootAt }
    const surroundings: Surroundings = { request: (process, wanted) => this.#request(process, wanted), onChange: () => {} }
    const process = new SimulatedProcess(start, ++this.#count.processes, surroundings)
    const task: Task = { desk, process }
    const share = (ports: ProcessPorts): ReturnType<typeof overWire> => {
      const link = new StoreLink(this.#store, process.clock, { outcome: (call) => this.#outcome(call), onStep: () => this.#step(task) })
      this.#links.set(process, link)
      return overWire(this.#adapter, link, ports)
    }
    const end = await process.run(order, { total: this.#total, hasCopy: false, key: ownKey, share })
    this.#now = Math.max(this.#now, process.clock.now)
    const isPowerLost = process.isDead && this.#chance.is(0.5)
    desk.disk = isPowerLost ? process.disk.imageAfterPowerLoss() : process.disk.image()
    desk.from = this.#now + this.#chance.pick(naps)
    if (!this.#isQuiet) this.#look(process, end)
    this.#yield()
    return end
  }

  /** The present process may die here, or stand still while another one goes on. */
  async #step(task: Task): Promise<void> {
    if (this.#isQuiet) return
    const { process } = task
    this.#now = Math.max(this.#now, process.clock.now)
    // A process reads several records at a time.
    if (this.#waiting.has(task)) return task.left
    if (process.isDead) return never
    if (this.#chance.is(this.#trouble.death)) {
      this.#count.deaths++
      process.isDead = true
      return never
    }
    if (!this.#chance.is(this.#trouble.turn)) return
    this.#count.switches++
    process.isHeld = true
    this.#waiting.add(task)
    task.left = new Promise<void>((resolve) => {
      task.goOn = resolve
    })
    this.#yield()
    return task.left
  }

  #resume(task: Task): void {
    this.#waiting.delete(task)
    const { process, goOn } = task
    process.clock.now = Math.max(process.clock.now, this.#now) + this.#chance.pick(naps)
    process.isHeld = false
    goOn?.()
  }

  #fail(error: unknown): void {
    this.#broken ??= error
    this.#yield()
  }

  #outcome(call: 'put' | 'get'): StoreOutcome {
    if (this.#isQuiet || !this.#chance.is(this.#trouble.fault)) return 'ok'
    return call === 'put' ? this.#chance.pick(faults) : this.#chance.pick(['lost', 'away for 3 minutes', 'away for 30 minutes', 'slow'])
  }

  #request: Surroundings['request'] = (process, wanted) => {
    const { now } = process.clock
    const isPost = wanted.method === 'POST' && wanted.url.endsWith('/v1/execute')
    if (isPost) this.#checkPost(process, wanted.headers['idempotency-key'] ?? '')
    const { state, response } = answerSmall(rules, this.#service, { ...wanted, body: wanted.body ?? new Uint8Array() }, now)
    this.#service = state
    if (isPost) this.#checkMoney()
    const isLost = isPost && !this.#isQuiet && this.#chance.is(2 * this.#trouble.death)
    if (isLost) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    return toNetResponse(response)
  }

  #checkPost(process: SimulatedProcess, key: string): void {
    const count = (this.#sent.get(key) ?? 0) + 1
    this.#sent.set(key, count)
    if (this.#links.get(process)?.isAway) throw new BrokenInvariant('I6', 'a POST leaves while the store cannot be reached')
    const request = this.#hashOfKey.get(key) ?? ''
    const records = this.#store.textsOf(request).map((text) => JSON.parse(text))
    checkIntent({ request, key, bodySha256: '', maxCredits: price }, records, count)
  }

  #oracle(): readonly OracleExecution[] {
    return this.#service.executions.map((one) => toOracle(one, rules, this.#hashOfKey.get(one.key) ?? one.key, this.#now))
  }

  #checkMoney(): void {
    const executions = this.#oracle()
    checkCharges(executions, new Map(this.#orders.map(({ hash }) => [hash, price])))
    checkTotal(executions, 0n, this.#total)
  }

  /** Checks the end of a process while there is trouble. */
  #look(process: SimulatedProcess, end: ProcessEnd): void {
    if (end.kind === 'done' || end.code === 'KILLED') return
    const link = this.#links.get(process)
    if (end.code === 'SW_STORE' && link?.hasFailed) return
    if (end.code === 'SW_JOURNAL' && link?.hasForgotten) return
    this.#tell(end)
  }

  #tell(end: ProcessEnd): string {
    return end.kind === 'done' ? checkEnd(undefined) : checkEnd(end.code, end.message)
  }
}
