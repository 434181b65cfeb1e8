import type { Clock } from '../../../src/host/clock.ts'
import type { Disk } from '../../../src/host/disk.ts'
import type { Host } from '../../../src/host/host.ts'
import type { Net, NetRequest, NetResponse } from '../../../src/host/net.ts'
import { changingCalls, type DiskCall, FaultDisk, type Kept } from '../../kit/fault-disk.ts'
import type { VirtualClock } from '../../kit/virtual-clock.ts'
import { api } from '../world.ts'
import type { Chance } from './chance.ts'
import { faultyNet, kindOf } from './net.ts'
import type { Fault, KeptName, MachineIndex } from './plan.ts'

/** Mount point of a shared vault folder, which is a disk of another computer. */
export const sharedFolder = '/shared'

/** Receives the events of a machine's processes. */
export interface Watch {
  /**
   * Called before every change of a disk.
   *
   * @param bytes The written bytes, if the change writes some.
   */
  changes(machine: Machine, call: DiskCall, path: string, bytes: Uint8Array | undefined): void
  /** Called before every request leaves a process. */
  requests(machine: Machine, request: NetRequest): void
  says(text: string): void
}

/** A computer: a disk, two clocks that may be wrong, and the processes that run on it. */
export class Machine {
  readonly index: MachineIndex
  readonly disk: FaultDisk
  readonly shared: FaultDisk | undefined
  readonly clock: VirtualClock
  readonly watch: Watch
  readonly #chance: Chance
  readonly #processes = new Set<Process>()
  /** The current API key. */
  key: string
  /** Error of the wall clock, in milliseconds. */
  wallOffsetMs = 0
  /** Counts how often both copies of the journal were deleted. */
  epoch = 0
  #bootMs = 0
  #boots = 0
  #started = 0
  crashes = 0

  constructor(
    index: MachineIndex,
    key: string,
    ports: { clock: VirtualClock; watch: Watch; shared: FaultDisk | undefined; chance: Chance; hasLinks: boolean },
  ) {
    this.index = index
    this.key = key
    this.clock = ports.clock
    this.watch = ports.watch
    this.shared = ports.shared
    this.#chance = ports.chance
    this.disk = new FaultDisk({ hasLinks: ports.hasLinks })
  }

  wall(): number {
    return this.clock.wall() + this.wallOffsetMs
  }

  mono(): number {
    return this.clock.mono() - this.#bootMs + 1_000
  }

  /** Starts a process with its planned faults. */
  start(faults: readonly Fault[], net: Net, isSlow: boolean, signal: AbortController, meanwhile: (request: number) => void): Process {
    const process = new Process(this, this.#chance.fork(`process ${++this.#started}`), faults, net, isSlow, signal, meanwhile)
    this.#processes.add(process)
    return process
  }

  ended(process: Process): void {
    this.#processes.delete(process)
  }

  /** Simulates a loss of power. Every process dies, and the disk loses some of its unsynced changes. */
  powerCut(kept: KeptName): void {
    for (const process of this.#processes) process.kill()
    this.#processes.clear()
    const left: Kept = kept === 'some' ? this.#chance.fork(`boot ${++this.#boots}`) : kept
    this.disk.crash(left)
    this.#bootMs = this.clock.mono()
    this.crashes++
  }

  /** The disk of a path. */
  diskOf(path: string): FaultDisk {
    return this.shared && (path === sharedFolder || path.startsWith(`${sharedFolder}/`)) ? this.shared : this.disk
  }
}

const never = new Promise<never>(() => {})

/**
 * A process of spritewright on a machine. After its death, nothing of it reaches the world, and nothing of
 * the world reaches it.
 */
export class Process {
  readonly machine: Machine
  readonly host: Host
  readonly died: Promise<void>
  readonly interruption: AbortController
  readonly #chance: Chance
  readonly #isSlow: boolean
  readonly #kill: Extract<Fault, { fault: 'kill' }> | undefined
  readonly #open = new Set<AbortController>()
  #die: () => void = () => {}
  #changes = 0
  #requests = 0
  #submissions = 0
  isDead = false
  injected = 0

  constructor(
    machine: Machine,
    chance: Chance,
    faults: readonly Fault[],
    net: Net,
    isSlow: boolean,
    interruption: AbortController,
    meanwhile: (request: number) => void,
  ) {
    this.machine = machine
    this.interruption = interruption
    this.#isSlow = isSlow
    this.#chance = chance
    this.#kill = faults.find((fault) => fault.fault === 'kill')
    this.died = new Promise((resolve) => {
      this.#die = resolve
    })
    const clock: Clock = {
      wall: () => machine.wall(),
      mono: () => machine.mono(),
      sleep: (ms, signal) => this.#sleep(ms, signal),
    }
    const wire = faultyNet(
      net,
      machine.clock,
      faults.filter((fault) => fault.fault === 'net'),
      () => this.injected++,
    )
    for (const fault of faults) if (fault.fault === 'disk') (fault.shared ? (machine.shared ?? machine.disk) : machine.disk).plan(fault)
    this.host = {
      clock,
      disk: this.#disk(),
      random: this.#random(chance.fork('random')),
      net: { close: async () => {}, request: (wanted) => this.#request(wire, wanted, meanwhile) },
      glob: async (root) => machine.disk.paths(`${root}/sprites`).filter((path) => path.endsWith('.sprite.json')),
      loadModule: async () => undefined,
      encodeTexture: () => Promise.reject(new Error('Expected no texture to be encoded.')),
      connectDatabase: () => Promise.reject(new Error('Expected no database to be asked.')),
      openQueue: () => {
        throw new Error('Expected no queue to be opened.')
      },
      terminal: {
        write: (text) => machine.watch.says(text),
        note: (text) => machine.watch.says(text),
        isOutputTerminal: false,
        isInteractive: false,
        canAsk: false,
        columns: 80,
      },
      env: { SPRITEWRIGHT_BASE_URL: api, SPRITEWRIGHT_API_KEY: machine.key },
      stateFolder: '/state',
      tempFolder: '/tmp',
      workingFolder: '/game',
      processId: 1,
    }
  }

  /** SIGKILL. The system closes its connections. */
  kill(): void {
    if (this.isDead) return
    this.isDead = true
    for (const open of this.#open) open.abort()
    this.#open.clear()
    this.#die()
  }

  #fall(): Promise<never> {
    const power = this.#kill?.power
    if (power) this.machine.powerCut(power)
    else this.machine.crashes++
    this.kill()
    return never
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.isDead ? never : this.machine.clock.sleep(ms, signal, () => this.isDead)
  }

  /** Simulates the time of a call of a disk or a network, which differs from call to call. */
  #delay(upToMs: number): Promise<void> {
    return this.machine.clock.sleep(this.#chance.whole(0, upToMs), undefined, () => this.isDead)
  }

  #request(wire: Net, wanted: NetRequest, meanwhile: (request: number) => void): Promise<NetResponse> {
    if (this.isDead) return never
    meanwhile(++this.#requests)
    this.machine.watch.requests(this.machine, wanted)
    const kill = this.#kill
    const isLast = kill?.submission !== undefined && kindOf(wanted) === 'submit' && ++this.#submissions === kill.submission
    if (isLast && kill?.moment === 'before') return this.#fall()
    if (this.#isSlow || isLast) return this.#slowRequest(wire, wanted, isLast)
    return wire.request(this.#closed(wanted))
  }

  async #slowRequest(wire: Net, wanted: NetRequest, isLast: boolean): Promise<NetResponse> {
    if (this.#isSlow) await this.#delay(80)
    const response = await wire.request(this.#closed(wanted))
    if (isLast) return this.#fall()
    if (this.#isSlow) await this.#delay(80)
    return response
  }

  /** An open stream ends when its process dies. */
  #closed(wanted: NetRequest): NetRequest {
    if (kindOf(wanted) !== 'events') return wanted
    const gone = new AbortController()
    this.#open.add(gone)
    wanted.signal?.addEventListener('abort', () => gone.abort(wanted.signal?.reason), { once: true })
    return { ...wanted, signal: gone.signal }
  }

  #random(chance: Chance): Host['random'] {
    const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => chance.whole(0, 255))
    return {
      bytes,
      unit: () => chance.unit(),
      uuid: () => {
        const hex = Buffer.from(bytes(16)).toString('hex')
        return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
      },
    }
  }

  /**
   * A call happens at once unless the world is slow. A process that dies before the answer gets no further
   * than its next call.
   */
  #disk(): Disk {
    const on = (path: string): FaultDisk => this.machine.diskOf(path)
    const look = <T>(work: () => Promise<T>): Promise<T> => (this.isDead ? never : this.#isSlow ? this.#delay(2).then(work) : work())
    return {
      read: (path) => look(() => on(path).read(path)),
      list: (path) => look(() => on(path).list(path)),
      links: async () => [],
      stat: (path) => look(() => on(path).stat(path)),
      makeFolder: (path) => this.#change('makeFolder', path, () => on(path).makeFolder(path)),
      writeTemp: (path, bytes) => this.#change('writeTemp', path, () => on(path).writeTemp(path, bytes), bytes),
      append: (path, bytes) => this.#change('append', path, () => on(path).append(path, bytes), bytes),
      sync: (path) => this.#change('sync', path, () => on(path).sync(path)),
      syncFolder: (path) => this.#change('syncFolder', path, () => on(path).syncFolder(path)),
      remove: (path) => this.#change('remove', path, () => on(path).remove(path)),
      touch: (path, atMs) => look(() => on(path).touch(path, atMs)),
      link: (from, to) => this.#change('link', to, () => this.#across(from, to, 'link')),
      move: (from, to) => this.#change('move', to, () => this.#across(from, to, 'move')),
    }
  }

  /** Between two disks, a rename fails and a link becomes a copy, as in the Node adapter. */
  async #across(from: string, to: string, call: 'link' | 'move'): Promise<void> {
    const [source, target] = [this.machine.diskOf(from), this.machine.diskOf(to)]
    if (source === target) return source[call](from, to)
    if (call === 'move') throw Object.assign(new Error(`EXDEV: move ${to}`), { code: 'EXDEV' })
    await target.writeTemp(to, await source.read(from))
    await target.sync(to)
  }

  #change(call: DiskCall, path: string, work: () => Promise<void>, bytes?: Uint8Array): Promise<void> {
    if (this.isDead) return never
    if (this.#isSlow) return this.#delay(3).then(() => this.#changeNow(call, path, work, bytes))
    return this.#changeNow(call, path, work, bytes)
  }

  #changeNow(call: DiskCall, path: string, work: () => Promise<void>, bytes: Uint8Array | undefined): Promise<void> {
    this.machine.watch.changes(this.machine, call, path, bytes)
    if (++this.#changes !== this.#kill?.at) return work()
    if (this.#kill.moment === 'before') return this.#fall()
    // A write is cut short. Any other change happens completely or not at all.
    if (this.#kill.moment === 'during') this.machine.diskOf(path).plan({ call: changingCalls, code: 'KILLED', partly: this.#chance.unit() })
    return work().then(
      () => this.#fall(),
      () => this.#fall(),
    )
  }
}
