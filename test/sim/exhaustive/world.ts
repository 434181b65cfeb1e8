import { parseCredits } from '../../../src/credit/credits.ts'
import type { NetRequest, NetResponse } from '../../../src/host/net.ts'
import { sha256 } from '../../../src/host/sha256.ts'
import { answerSmall, type SmallExecution, type SmallRules, type SmallState, viewSmall } from '../../kit/small-service.ts'
import { binary, conflict, envelope, type SmallResponse } from '../../kit/small-wire.ts'
import {
  BrokenInvariant,
  checkCeiling,
  checkCharges,
  checkIntent,
  checkOffer,
  checkSameBytes,
  checkTotal,
  type OracleExecution,
  type SeenPost,
  type SeenRecord,
} from '../invariants.ts'
import { StoreLink, type StoreState, type StoreWatch, TeamStore } from '../team/store.ts'
import { add, hashText, mix } from './content.ts'
import { type DiskImage, fingerprint } from './image.ts'
import type { JumpingClock, Outside, SimulatedProcess } from './process.ts'
import { isRecordPath, type ProcessPorts } from './project.ts'

/** The outcome of one POST of a submission. */
export type Outcome = 'ok' | 'lost request' | 'lost response' | '5xx before' | '5xx after' | '429' | '409' | '403'

/** A POST under a key, with what its sender can know about it. */
export interface SentPost extends SeenPost {
  readonly count: number
  /** How many of these POSTs got no answer. */
  readonly open: number
}

/** Everything outside of the processes. Never changed in place. */
export interface World extends Outside {
  readonly service: SmallState
  /** POSTs so far, one entry for each key and body. */
  readonly posts: readonly SentPost[]
  /** Prices that the service has named so far. */
  readonly named: readonly bigint[]
  /** How many POSTs have had their outcome. */
  readonly used: number
  /** Whether the price may still change. It is chosen when a process asks the service for it. */
  readonly isPriceOpen: boolean
  /** Whether the processes now run on another machine, which may not buy. */
  readonly isElsewhere: boolean
  /** The machines that share a journal, if they do. The disk above is that of the present one. */
  readonly team?: Team | undefined
}

/** Machines that share a journal. */
export interface Team {
  readonly store: StoreState
  /** The machine on which the present process runs. */
  readonly machine: number
  /** All machines; the entry of the present one is old. */
  readonly seats: readonly Seat[]
}

/** One machine, seen from outside. */
export type Seat = Pick<Outside, 'disk' | 'wallShift' | 'bootAt'>

/** Chooses one of several events, by their names. The first of them is no surprise. */
export type Choose = (what: 'POST' | 'price' | 'store', events: readonly string[]) => number

/** The rules of a played world. */
export interface WorldRules {
  readonly rules: SmallRules
  readonly ceiling: bigint
  readonly request: string
  readonly outcomes: readonly Outcome[]
  /** Most POSTs with an outcome other than `ok`. */
  readonly faultyPosts: number
  /** Prices after the first crash. */
  readonly prices: readonly bigint[]
}

/** Most requests that one process may make, far more than any run needs. */
const patience = 300

/** The network and the service behind it, for one process. */
export class PlayedWorld {
  service: SmallState
  posts: readonly SentPost[]
  named: readonly bigint[]
  used: number
  isPriceOpen: boolean
  readonly isElsewhere: boolean
  readonly team: Team | undefined
  /** The store that the machines share. */
  readonly store: TeamStore | undefined
  readonly #links = new Map<ProcessPorts['clock'], StoreLink>()
  #requests = 0
  #last: { readonly seen: readonly unknown[]; readonly hash: number } | undefined
  readonly #world: WorldRules
  readonly #choose: Choose
  readonly #onService: (process: SimulatedProcess, what: string) => void

  /** @param onService Called after every change at the service. */
  constructor(start: World, world: WorldRules, choose: Choose, onService: (process: SimulatedProcess, what: string) => void) {
    this.service = start.service
    this.posts = start.posts
    this.named = start.named
    this.used = start.used
    this.isPriceOpen = start.isPriceOpen
    this.isElsewhere = start.isElsewhere
    this.team = start.team
    this.store = start.team && new TeamStore(start.team.store)
    this.#world = world
    this.#choose = choose
    this.#onService = onService
  }

  /** Answers one request of the process. */
  request(process: SimulatedProcess, wanted: NetRequest): NetResponse {
    const path = wanted.url.replace(/^https:\/\/[^/]+/, '')
    if (++this.#requests > patience) throw new BrokenInvariant('I9', `a process asks the service more than ${patience} times`)
    const now = process.clock.now
    if (wanted.method === 'POST' && path === '/v1/execute') return this.#submit(process, wanted)
    if (path.startsWith('/v1/sprite-pricing')) {
      this.#decidePrice()
      if (!this.named.includes(this.service.price)) this.named = [...this.named, this.service.price]
    }
    const before = this.service
    const { state, response } = answerSmall(this.#world.rules, before, { ...wanted, body: wanted.body ?? new Uint8Array() }, now)
    this.service = state
    if (state !== before) this.#onService(process, `${wanted.method} ${path} has reached the service`)
    return toNetResponse(response)
  }

  #submit(process: SimulatedProcess, wanted: NetRequest): NetResponse {
    const { outcomes, faultyPosts, rules } = this.#world
    const post = this.#note(process, wanted)
    const outcome = this.used < faultyPosts ? (outcomes[this.#choose('POST', outcomes)] as Outcome) : 'ok'
    this.used++
    if (outcome === 'lost request') throw lost()
    if (outcome === '5xx before') return toNetResponse(brokenGateway)
    if (outcome === '429' || outcome === '409' || outcome === '403') {
      this.#answered(post)
      return toNetResponse(outcome === '409' ? conflict() : envelope(outcome === '429' ? 'rate_limited' : 'access_denied'))
    }
    const known = this.service.keys[post.key]
    if (!known || process.clock.now - known.at >= rules.retentionMs) this.#decidePrice()
    const body = wanted.body ?? new Uint8Array()
    const { state, response } = answerSmall(rules, this.service, { ...wanted, body }, process.clock.now)
    const isNew = state !== this.service
    this.service = state
    if (outcome === 'ok') this.#answered(post)
    this.checkMoney(process.clock.now)
    if (isNew) this.#onService(process, 'a submission has reached the service')
    if (outcome === 'lost response') throw lost()
    return toNetResponse(outcome === '5xx after' ? brokenGateway : response)
  }

  /** Checks a POST when it leaves, and remembers it. */
  #note(process: SimulatedProcess, wanted: NetRequest): SeenPost {
    const { ceiling, request } = this.#world
    const body = wanted.body ?? new Uint8Array()
    const said = JSON.parse(new TextDecoder().decode(body)) as { max_credits: string }
    const post: SeenPost = {
      request,
      key: wanted.headers['idempotency-key'] ?? '',
      bodySha256: sha256(body),
      maxCredits: parseCredits(said.max_credits),
    }
    if (this.linkOf(process)?.isAway) throw new BrokenInvariant('I6', 'a POST leaves while the store cannot be reached')
    checkCeiling(post, ceiling)
    checkOffer(post, this.named)
    checkSameBytes(this.posts, post)
    const same = this.posts.find(({ key, bodySha256 }) => key === post.key && bodySha256 === post.bodySha256)
    const others = this.posts.filter((other) => other !== same)
    this.posts = [...others, { ...post, count: (same?.count ?? 0) + 1, open: (same?.open ?? 0) + 1 }]
    const sentUnderKey = this.posts.reduce((sum, other) => (other.key === post.key ? sum + other.count : sum), 0)
    // The record was there when the POST left, and nobody else may have read it since.
    if (!this.store?.hasLost) checkIntent(post, this.store ? recordsOf(this.store.texts()) : survivingRecords(process), sentUnderKey)
    this.checkMoney(process.clock.now)
    return post
  }

  #answered({ key, bodySha256 }: SeenPost): void {
    const is = (other: SentPost): boolean => other.key === key && other.bodySha256 === bodySha256
    this.posts = this.posts.map((other) => (is(other) ? { ...other, open: other.open - 1 } : other))
  }

  #decidePrice(): void {
    const { prices } = this.#world
    if (!this.isPriceOpen) return
    this.isPriceOpen = false
    this.service = { ...this.service, price: prices[this.#choose('price', prices.map(String))] as bigint }
  }

  /** Checks I1 and I3. */
  checkMoney(now: number): void {
    const { ceiling, request } = this.#world
    const executions = this.oracle(now)
    checkCharges(executions, new Map([[request, ceiling]]))
    const known = new Set(this.service.executions.map(({ key }) => key))
    const open = this.posts.filter(({ key, open: unanswered }) => unanswered > 0 && !known.has(key))
    checkTotal(
      executions,
      open.reduce((sum, { maxCredits }) => sum + maxCredits, 0n),
      ceiling,
    )
  }

  oracle(now: number): readonly OracleExecution[] {
    const { rules, request } = this.#world
    return this.service.executions.map((execution) => toOracle(execution, rules, request, now))
  }

  /** See {@link fingerprintOfWorld}. */
  fingerprint(now: number): number {
    const { service, posts, named, used, isPriceOpen } = this
    const seen = [service, posts, named, used, isPriceOpen, now]
    if (!this.#last?.seen.every((part, index) => part === seen[index])) {
      const others = this.team ? fingerprintOfSeats(this.team, now) : 0
      this.#last = { seen, hash: add(fingerprintOfWorld(this, now), others) }
    }
    return this.store ? add(this.#last.hash, mix(this.store.fingerprint(now), 7)) : this.#last.hash
  }

  /** Whether the store, or the disk of another machine, names an execution. */
  isNamedElsewhere(id: string): boolean {
    if (!this.team || !this.store) return false
    const { machine, seats } = this.team
    return this.store.has(id) || seats.some(({ disk }, index) => index !== machine && isNamedOn(disk, id))
  }

  /** Opens the way of a process to the store of the team. */
  link(ports: ProcessPorts, watch: StoreWatch): StoreLink {
    if (!this.store) throw new Error('The machines of this world share no store.')
    const link = new StoreLink(this.store, ports.clock as JumpingClock, watch)
    this.#links.set(ports.clock, link)
    return link
  }

  linkOf({ clock }: SimulatedProcess): StoreLink | undefined {
    return this.#links.get(clock)
  }

  /** The world as it is now. */
  worldAfter(outside: Outside): World {
    const { service, posts, named, used, isPriceOpen, isElsewhere, team, store } = this
    return { ...outside, service, posts, named, used, isPriceOpen, isElsewhere, team: team && store && { ...team, store: store.state } }
  }
}

function isNamedOn({ names }: DiskImage, id: string): boolean {
  for (const { node } of names.values()) if (node.content.text.includes(id)) return true
  return false
}

/** A number for the machines on which no process runs now. */
export function fingerprintOfSeats({ machine, seats }: Team, now: number): number {
  let sum = machine
  for (const [index, { disk, wallShift, bootAt }] of seats.entries())
    if (index !== machine) sum = add(sum, mix(fingerprint(disk, now + wallShift, now - bootAt), 11 + index))
  return sum
}

/** A number for everything outside the disk that the next process can meet. Times count as ages. */
export function fingerprintOfWorld(
  world: Pick<World, 'service' | 'posts' | 'named' | 'used' | 'isPriceOpen' | 'isElsewhere'>,
  now: number,
): number {
  const { price, uploads, executions, keys } = world.service
  const parts = executions.map(({ id, key, bodySha256, at, fate, price: cost }) => `${id} ${key} ${bodySha256} ${now - at} ${fate} ${cost}`)
  const known = Object.entries(keys).map(([key, { execution, at }]) => `${key} ${execution} ${now - at}`)
  const sent = world.posts.map(({ key, bodySha256, count, open }) => `${key} ${bodySha256} ${count} ${open}`)
  const rest = `${price} ${uploads} ${world.named.join()} ${world.used} ${world.isPriceOpen} ${world.isElsewhere}`
  return hashText([...parts, ...known, ...sent.sort(), rest].join('\n'))
}

/** Money and state of an execution in the terms of the promises. */
export function toOracle(execution: SmallExecution, rules: SmallRules, request: string, now: number): OracleExecution {
  const { status, money } = viewSmall(execution, rules, now)
  return { id: execution.id, request, money, credits: execution.price, isCompleted: status === 'completed' }
}

/** Records that a power loss would leave. */
function survivingRecords({ disk }: SimulatedProcess): readonly SeenRecord[] {
  return recordsOf([...disk.survivingFiles()].filter(({ path }) => isRecordPath(path)).map(({ content }) => content.text))
}

/** The records in some files, each once even if it has two copies. */
function recordsOf(texts: readonly string[]): readonly SeenRecord[] {
  const records = new Map<string, SeenRecord>()
  for (const text of texts) {
    const record = parse(text) as (SeenRecord & { readonly sum: string }) | undefined
    if (record) records.set(record.sum, record)
  }
  return [...records.values()]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A record that was cut off or never synced does not count.
    return undefined
  }
}

/** The client cannot tell whether this answer came before or after the work was done. */
const brokenGateway = binary(502, 'text/html', new TextEncoder().encode('<h1>Bad gateway</h1>'))

function lost(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
}

/** An answer that arrives whole. */
export function toNetResponse({ status, headers, body }: SmallResponse): NetResponse {
  return { status, headers, body: onePart(body) }
}

async function* onePart(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}
