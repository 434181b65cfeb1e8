import { SpritewrightError } from '../../../src/errors.ts'
import type { Disk } from '../../../src/host/disk.ts'
import type { Host } from '../../../src/host/host.ts'
import type { NetRequest, NetResponse } from '../../../src/host/net.ts'
import type { Options } from '../../../src/options/options.ts'
import { createWorkshop, type Workshop } from '../../../src/workshop.ts'
import { changingCalls, FaultDisk, type Kept } from '../../kit/fault-disk.ts'
import { seededChance } from '../seeded/chance.ts'
import type { SimulatedWorld } from '../world.ts'

const root = '/game'
const never = new Promise<never>(() => {})
/** Short windows, so that a run does not spend simulated minutes on waiting for a slot. */
const limits = { windowMs: 1_000, post: 20, get: 60, download: 20 }

/** When a process dies, and what is left of the disk. */
export interface Death {
  /** The change of the disk at which it dies, from 1. A process that makes fewer changes lives. */
  readonly at: number
  /** Whether changes count from the process's start, or from the moment when its first submission left. */
  readonly since: 'start' | 'submission'
  readonly moment: 'before' | 'after'
  /**
   * If set, the machine loses power too, and with it unsynced changes. It keeps nothing or everything of
   * them, or this number decides.
   */
  readonly power?: 'nothing' | 'everything' | number | undefined
}

/** Settings of a process. */
export interface Given {
  readonly death?: Death | undefined
  readonly options?: Options
  /** Wraps the disk of the process. */
  readonly disk?: (disk: Disk) => Disk
}

/** One refusal of a run. */
export interface Refusal {
  readonly code: string
  /** Ids of animations and steps; empty if the refusal names none. */
  readonly ids: readonly string[]
  readonly message: string
}

/** How a command ended. */
export type Ending<T> =
  | { readonly how: 'done'; readonly value: T }
  | { readonly how: 'refused'; readonly refusals: readonly Refusal[] }
  | { readonly how: 'died' }

/** A computer with its own checkout at `/game`, its own disk and its own user's state. */
export class Machine {
  readonly name: string
  readonly disk: FaultDisk = new FaultDisk()
  key: string
  readonly #world: SimulatedWorld
  #processes = 0
  #bootMs = 0

  constructor(world: SimulatedWorld, name: string, key: string) {
    this.#world = world
    this.name = name
    this.key = key
    this.disk.put('/tmp/.keep', '')
    this.disk.put('/state/.profile', '')
    this.disk.put(`${root}/package.json`, '{"name":"game"}')
  }

  /** Folder of the second copy of journal and name. Returns `undefined` before anything was written there. */
  copyFolder(): string | undefined {
    return /^\/state\/journals\/[^/]+/.exec(this.disk.paths('/state/journals')[0] ?? '')?.[0]
  }

  /** Runs one command in a process of its own, from its start to its end or its death. */
  run<T>(work: (workshop: Workshop) => Promise<T>, death?: Death): Promise<Ending<T>> {
    return this.#world.clock.run(this.start(work, { death }))
  }

  /** Starts one command in a process of its own. The caller must run the clock. */
  start<T>(work: (workshop: Workshop) => Promise<T>, given: Given = {}): Promise<Ending<T>> {
    const process = new MortalProcess(this, this.#world, ++this.#processes, this.#bootMs, given.death)
    const host = given.disk ? { ...process.host, disk: given.disk(process.host.disk) } : process.host
    const living = (async (): Promise<Ending<T>> => {
      const workshop = await createWorkshop({ host, root, options: { limits, ...given.options } })
      try {
        return { how: 'done', value: await work(workshop) }
      } catch (error) {
        return { how: 'refused', refusals: toRefusals(error) }
      } finally {
        await workshop.close()
      }
    })()
    living.catch(() => {})
    const died = process.died.then((): Ending<T> => ({ how: 'died' }))
    return Promise.race([living, died])
  }

  /**
   * Simulates a loss of power. All processes of the machine must be dead already. `kept` decides about
   * unsynced changes, and the machine's own clock starts anew.
   */
  losePower(kept: Kept): void {
    this.disk.crash(kept)
    this.#bootMs = this.#world.clock.mono()
  }
}

/**
 * A process that dies at a change of the disk, or not at all. After its death, nothing of it reaches the
 * world.
 */
class MortalProcess {
  readonly host: Host
  readonly died: Promise<void>
  readonly #machine: Machine
  readonly #death: Death | undefined
  readonly #connections = new Set<AbortController>()
  #die: () => void = () => {}
  #isDead = false
  #hasSubmitted = false
  #changes = 0

  constructor(machine: Machine, world: SimulatedWorld, number: number, bootMs: number, death: Death | undefined) {
    this.#machine = machine
    this.#death = death
    this.died = new Promise((resolve) => {
      this.#die = resolve
    })
    const chance = seededChance(`${machine.name} ${number}`)
    const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => chance.whole(0, 255))
    this.host = {
      clock: {
        wall: () => world.clock.wall(),
        mono: () => world.clock.mono() - bootMs + 1_000,
        sleep: (ms, signal) => (this.#isDead ? never : world.clock.sleep(ms, signal)),
      },
      disk: this.#disk(),
      random: { bytes, unit: () => chance.unit(), uuid: () => toUuid(bytes(16)) },
      net: { close: async () => {}, request: (request) => this.#request(world, request) },
      glob: async (folder) => machine.disk.paths(`${folder}/sprites`).filter((path) => path.endsWith('.sprite.json')),
      loadModule: async () => undefined,
      encodeTexture: () => Promise.reject(new Error('Expected no texture to be encoded.')),
      connectDatabase: () => Promise.reject(new Error('Expected no database to be asked.')),
      openQueue: () => {
        throw new Error('Expected no queue to be opened.')
      },
      terminal: { write: () => {}, note: () => {}, isOutputTerminal: false, isInteractive: false, canAsk: false, columns: 80 },
      env: { SPRITEWRIGHT_BASE_URL: 'http://127.0.0.1:1', SPRITEWRIGHT_API_KEY: machine.key },
      stateFolder: '/state',
      tempFolder: '/tmp',
      workingFolder: root,
      processId: number,
    }
  }

  async #request(world: SimulatedWorld, wanted: NetRequest): Promise<NetResponse> {
    if (this.#isDead) return never
    const connection = new AbortController()
    this.#connections.add(connection)
    const onAbort = (): void => connection.abort(wanted.signal?.reason)
    if (wanted.signal?.aborted) onAbort()
    wanted.signal?.addEventListener('abort', onAbort, { once: true })
    if (wanted.method === 'POST' && wanted.url.endsWith('/v1/execute')) this.#hasSubmitted = true
    const response = await world.net.request({
      ...wanted,
      headers: { ...wanted.headers, 'x-machine': this.#machine.name },
      signal: connection.signal,
    })
    return this.#isDead ? never : response
  }

  #disk(): Disk {
    const disk = this.#machine.disk as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
    const isChange = (call: string): boolean => (changingCalls as readonly string[]).includes(call)
    const look =
      (call: string) =>
      async (...args: unknown[]) => {
        if (this.#isDead) return never
        const found = await disk[call]?.(...args)
        return this.#isDead ? never : found
      }
    const change =
      (call: string) =>
      async (...args: unknown[]) => {
        if (this.#isDead) return never
        if (this.#death?.since === 'start' || this.#hasSubmitted) this.#changes++
        const isLast = this.#changes > 0 && this.#changes === this.#death?.at
        if (isLast && this.#death?.moment === 'before') return this.#fall()
        const failed = await disk[call]?.(...args).then(
          () => undefined,
          (error: unknown) => ({ error }),
        )
        if (this.#isDead) return never
        if (isLast) return this.#fall()
        if (failed) throw failed.error
      }
    const calls = ['read', 'list', 'links', 'stat', 'touch', ...changingCalls]
    return Object.fromEntries(calls.map((call) => [call, isChange(call) ? change(call) : look(call)])) as unknown as Disk
  }

  #fall(): Promise<never> {
    this.#isDead = true
    for (const connection of this.#connections) connection.abort()
    const power = this.#death?.power
    if (power !== undefined) this.#machine.losePower(typeof power === 'number' ? seededChance(power) : power)
    this.#die()
    return never
  }
}

function toUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** One refusal for each failure. An error of another kind has a code that no state of the model permits. */
function toRefusals(error: unknown): readonly Refusal[] {
  if (error instanceof AggregateError) return error.errors.flatMap(toRefusals)
  if (!(error instanceof SpritewrightError))
    return [{ code: `not ours: ${String(error)}\n${(error as Error).stack}`, ids: [], message: '' }]
  const { id, ids, items, lines } = error.facts as { id?: string; ids?: string[]; items?: { id: string }[]; lines?: { id: string }[] }
  const named = id === undefined ? (ids ?? (items ?? lines ?? []).map((one) => one.id)) : [id]
  return [{ code: error.code, ids: named, message: error.message }]
}
