import type { Clock } from '../../../src/host/clock.ts'
import type { NetRequest, NetResponse } from '../../../src/host/net.ts'
import type { Random } from '../../../src/host/random.ts'
import type { Order, Purchase } from '../../../src/job/order.ts'
import { purchase } from '../../../src/job/purchase.ts'
import { BrokenInvariant } from '../invariants.ts'
import { ExhaustiveDisk } from './disk.ts'
import type { DiskImage } from './image.ts'
import { type Checkout, jobPorts } from './project.ts'

/** Everything outside a process that outlives it. Never changed in place. */
export interface Outside {
  readonly disk: DiskImage
  /** The true time, milliseconds since the Unix epoch. */
  readonly now: number
  /** How far the machine's wall clock is ahead of the true time, in milliseconds. */
  readonly wallShift: number
  /** When the machine was started. Its monotonic clock counts from this moment. */
  readonly bootAt: number
}

/** How a process ended that nothing killed. */
export type ProcessEnd =
  | { readonly kind: 'done'; readonly purchase: Purchase }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }

/** The network and the watcher of a process. */
export interface Surroundings {
  /** Answers a request, or throws if no answer arrives. */
  readonly request: (process: SimulatedProcess, wanted: NetRequest) => NetResponse
  /** Called after every change of the disk. The change ends when it settles. */
  readonly onChange: (what: string, path: string) => void | Promise<void>
}

/** Most timers that one process may wait for, far more than any run needs. */
const patience = 5_000

/**
 * One process that runs the real `purchase()` to its end, on a clock that jumps when nothing else is left to
 * do.
 */
export class SimulatedProcess {
  readonly disk: ExhaustiveDisk
  readonly clock: JumpingClock
  readonly #surroundings: Surroundings
  readonly #number: number
  /** Whether the process is paused while another one runs beside it. */
  isHeld = false
  /** Whether it was killed at a call that never ends. */
  isDead = false
  #broken: unknown

  /**
   * @param start A world, or a process beside which this one runs on the same machine.
   * @param number Tells the processes of a schedule apart; their temporary names differ.
   */
  constructor(start: Outside | SimulatedProcess, number: number, surroundings: Surroundings) {
    this.#surroundings = surroundings
    this.#number = number
    this.clock = start instanceof SimulatedProcess ? start.clock : new JumpingClock(start)
    this.disk =
      start instanceof SimulatedProcess
        ? start.disk
        : new ExhaustiveDisk(start.disk, (what, path) => this.#noting(() => surroundings.onChange(what, path)))
  }

  /** The current outside. */
  outside(disk: DiskImage): Outside {
    return { disk, now: this.clock.now, wallShift: this.clock.wallShift, bootAt: this.clock.bootAt }
  }

  /** Remembers a broken promise, because the code under test may catch the error. */
  #noting<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof BrokenInvariant) this.#broken ??= error
      throw error
    }
  }

  async run(order: Order, checkout: Checkout): Promise<ProcessEnd> {
    const { disk, clock } = this
    const net = {
      request: async (wanted: NetRequest) => this.#noting(() => this.#surroundings.request(this, wanted)),
      close: async () => {},
    }
    let end: ProcessEnd | undefined
    purchase(jobPorts({ disk, clock, net, random: countedRandom(this.#number) }, checkout), order).then(
      (bought) => {
        end = { kind: 'done', purchase: bought }
      },
      (error: Error & { code?: unknown }) => {
        end = { kind: 'error', code: typeof error.code === 'string' ? error.code : error.name, message: error.message }
      },
    )
    for (let rung = 0; rung < patience; rung++) {
      await turn()
      if (end !== undefined || this.isDead || this.#broken) break
      if (this.isHeld) rung--
      else if (!clock.advance()) return { kind: 'error', code: 'STUCK', message: 'it waits for something that never comes' }
    }
    if (this.#broken) throw this.#broken
    if (this.isDead) return { kind: 'error', code: 'KILLED', message: 'it was killed' }
    return end ?? { kind: 'error', code: 'ENDLESS', message: `it goes on after ${patience} waits` }
  }
}

/** Lets everything run that can run without the clock. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

interface Timer {
  readonly at: number
  readonly ring: () => void
}

/** A clock that moves only by jumps to the next timer. */
export class JumpingClock implements Clock {
  now: number
  readonly wallShift: number
  readonly bootAt: number
  readonly #timers: Timer[] = []

  constructor({ now, wallShift, bootAt }: Outside) {
    this.now = now
    this.wallShift = wallShift
    this.bootAt = bootAt
  }

  wall(): number {
    return this.now + this.wallShift
  }

  mono(): number {
    return this.now - this.bootAt
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = (): void => {
        this.#timers.splice(this.#timers.indexOf(timer), 1)
        reject(signal?.reason)
      }
      const ring = (): void => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      const timer = { at: this.now + Math.max(0, ms), ring }
      this.#timers.push(timer)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Jumps to the next timer. Returns `false` if there is none. */
  advance(): boolean {
    let next: Timer | undefined
    for (const timer of this.#timers) if (!next || timer.at < next.at) next = timer
    if (!next) return false
    this.#timers.splice(this.#timers.indexOf(next), 1)
    this.now = Math.max(this.now, next.at)
    next.ring()
    return true
  }
}

/** A source of random numbers that counts. */
function countedRandom(process: number): Random {
  let next = process << 16
  return {
    bytes: (count) => {
      next++
      return Uint8Array.from({ length: count }, (_, index) => (next >> (8 * (index % 4))) & 255)
    },
    uuid: () => `00000000-0000-4000-8000-${String(++next).padStart(12, '0')}`,
    unit: () => 0.5,
  }
}
