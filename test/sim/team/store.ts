import type { Clock } from '../../../src/host/clock.ts'
import type { RecordStore, StoredFile } from '../../../src/stores/record-store.ts'
import { down, type MemoryFile, MemoryRecordStore, type StoreFault } from '../../kit/memory-record-store.ts'
import { add, hashText, mix } from '../exhaustive/content.ts'

const minute = 60_000

/** What one call of the store comes to. */
export type StoreOutcome =
  | 'ok'
  | StoreFault
  /** From now on, this machine cannot reach the store for this long. */
  | 'away for 3 minutes'
  | 'away for 30 minutes'
  /** From now on, each call of this machine takes {@link slowMs}. */
  | 'slow'

const awayMs: Readonly<Record<string, number>> = { 'away for 3 minutes': 3 * minute, 'away for 30 minutes': 30 * minute }
/** Less than an adapter needs for the last of its tries, each of which waits 20 seconds. */
const slowMs = 70_000

/** The store and its clock, between two processes. Never changed in place. */
export interface StoreState {
  readonly files: ReadonlyMap<string, MemoryFile>
  /** How far the store's clock is ahead of the true time, in milliseconds. */
  readonly shiftMs: number
  /** Whether it has lost a record that it had confirmed. */
  readonly hasLost: boolean
  /** How many calls have had another outcome than `ok`. */
  readonly faults: number
}

/** The store before the first process. */
export const emptyStore: StoreState = { files: new Map(), shiftMs: 0, hasLost: false, faults: 0 }

/** The store in the true time, as the processes of one schedule share it. */
export class TeamStore {
  readonly #core: MemoryRecordStore
  readonly #shiftMs: number
  #now = 0
  hasLost: boolean
  faults: number

  constructor({ files, shiftMs, hasLost, faults }: StoreState) {
    this.#shiftMs = shiftMs
    this.hasLost = hasLost
    this.faults = faults
    this.#core = new MemoryRecordStore({ wall: () => this.#now + this.#shiftMs }, files)
  }

  get state(): StoreState {
    return { files: new Map(this.#core.files), shiftMs: this.#shiftMs, hasLost: this.hasLost, faults: this.faults }
  }

  /** Whether a file of it has a text. */
  has(text: string): boolean {
    for (const { bytes } of this.#core.files.values()) if (textOf(bytes).includes(text)) return true
    return false
  }

  texts(): readonly string[] {
    return [...this.#core.files.values()].map(({ bytes }) => textOf(bytes))
  }

  /** The records of a request. */
  textsOf(request: string): readonly string[] {
    return [...this.#core.files].filter(([name]) => name.startsWith(`${request}/`)).map(([, { bytes }]) => textOf(bytes))
  }

  async put(now: number, name: string, bytes: Uint8Array, fault: StoreFault | undefined): Promise<'mine' | 'taken'> {
    this.#now = now
    // The call takes its fault before anything else can run.
    this.#core.faults.push(fault)
    return this.#core.putIfAbsent(name, bytes)
  }

  async get(now: number, name: string): Promise<StoredFile | undefined> {
    this.#now = now
    return this.#core.get(name)
  }

  fingerprint(now: number): number {
    const { hasLost, faults } = this
    return fingerprintOfStore({ files: this.#core.files, shiftMs: this.#shiftMs, hasLost, faults }, now)
  }
}

/** How one process meets the store. */
export interface StoreWatch {
  /** Chooses the outcome of a call. */
  readonly outcome: (call: 'put' | 'get') => StoreOutcome
  /** Called before every call, and after every write. The call goes on when it settles. */
  readonly onStep: (what: string) => void | Promise<void>
}

/** The way of one process to the store, on which calls fail. */
export class StoreLink implements RecordStore {
  readonly address = 's3://team/game'
  readonly #store: TeamStore
  readonly #clock: Pick<Clock, 'sleep'> & { readonly now: number }
  readonly #watch: StoreWatch
  #awayUntil = Number.NEGATIVE_INFINITY
  #isSlow = false
  /** Whether a call has failed. */
  hasFailed = false
  /** Whether the store has confirmed a record that it does not have. */
  hasForgotten = false

  constructor(store: TeamStore, clock: Pick<Clock, 'sleep'> & { readonly now: number }, watch: StoreWatch) {
    this.#store = store
    this.#clock = clock
    this.#watch = watch
  }

  get isAway(): boolean {
    return this.#clock.now < this.#awayUntil
  }

  async putIfAbsent(name: string, bytes: Uint8Array): Promise<'mine' | 'taken'> {
    const fault = await this.#meet('put', name)
    this.hasForgotten ||= fault === 'forgotten'
    try {
      return await this.#store.put(this.#clock.now, name, bytes, fault)
    } catch (error) {
      this.hasFailed = true
      throw error
    } finally {
      await this.#watch.onStep(`put ${shortName(name)}${fault === undefined ? '' : ` (${fault})`}`)
    }
  }

  async get(name: string): Promise<StoredFile | undefined> {
    if ((await this.#meet('get', name)) === undefined) return this.#store.get(this.#clock.now, name)
    this.hasFailed = true
    throw down()
  }

  async close(): Promise<void> {}

  async #meet(call: 'put' | 'get', name: string): Promise<StoreFault | undefined> {
    await this.#watch.onStep(`before ${call} ${shortName(name)}`)
    if (this.isAway) throw down()
    const outcome = this.#watch.outcome(call)
    if (outcome !== 'ok') this.#store.faults++
    this.#isSlow ||= outcome === 'slow'
    if (this.#isSlow) await this.#clock.sleep(slowMs)
    if (outcome === 'ok' || outcome === 'slow') return undefined
    const away = awayMs[outcome]
    if (away === undefined) return outcome as StoreFault
    this.hasFailed = true
    this.#awayUntil = this.#clock.now + away
    throw down()
  }
}

function shortName(name: string): string {
  return name.replace(/^([0-9a-f]{8})[0-9a-f]*/, '$1')
}

const texts = new WeakMap<Uint8Array, string>()

function textOf(bytes: Uint8Array): string {
  const text = texts.get(bytes) ?? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  texts.set(bytes, text)
  return text
}

/** Members of a record that follow from the rest, or that nobody but its writer compares. */
const derived = /"(?:(?:at|mono)":\d+|(?:prev|sum|seal|nonce)":"[^"]*"|signed":\{[^}]*\})/g
const hashes = new WeakMap<Uint8Array, number>()

/** A number for everything that a reader of the store can learn. Times count as ages. */
export function fingerprintOfStore({ files, shiftMs, hasLost, faults }: StoreState, now: number): number {
  let sum = 2 * faults + (hasLost ? 1 : 0)
  for (const [name, { bytes, at }] of files) {
    const hash = hashes.get(bytes) ?? mix(hashText(name), hashText(textOf(bytes).replace(derived, '')) & 0x7fffffff)
    hashes.set(bytes, hash)
    sum = add(sum, mix(hash, now + shiftMs - at))
  }
  return sum
}

/** The store without one record of a request: its last one, or the one before it. It loses only one. */
export function withoutRecord(state: StoreState, request: string, which: 'last' | 'earlier'): StoreState {
  const names = [...state.files.keys()].filter((name) => name.startsWith(`${request}/`)).sort()
  const gone = names.at(which === 'last' ? -1 : -2)
  if (gone === undefined || state.hasLost) return state
  return { ...state, files: new Map([...state.files].filter(([name]) => name !== gone)), hasLost: true }
}
