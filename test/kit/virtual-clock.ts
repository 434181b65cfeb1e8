import '../sim/loaded.ts'
import { setImmediate as nextTurn, setTimeout as realTimeout } from 'node:timers/promises'
import type { Clock } from '../../src/host/clock.ts'
import { patienceMs } from './patience.ts'

/** Rounds without a timer before the clock counts as idle. */
const idleRounds = 50

/**
 * If the clock is idle, work that it does not know may still be under way. For example, a test runner asks
 * another process for each imported module, even for a loaded one. The clock waits up to this many moments of
 * 10 ms for such work; only a stuck run waits for all of them.
 */
const moments = patienceMs / 10
const realMoment = (): Promise<unknown> => realTimeout(10)

interface Timer {
  readonly at: number
  readonly order: number
  readonly ring: () => void
  /** Whether the sleeper is dead. If so, the timer does not ring and takes no time. */
  readonly isGone: (() => boolean) | undefined
  isOff: boolean
}

/**
 * A clock that jumps from timer to timer as soon as nothing else is left to do. Everything that runs under it
 * must wait by it alone.
 */
export class VirtualClock implements Clock {
  readonly #turns: number
  #now = 1_000
  #order = 0
  readonly #timers: Timer[] = []

  /**
   * @param turns Turns of the event loop before a timer rings. One is enough if the code waits only for
   * promises.
   */
  constructor(turns = 2) {
    this.#turns = turns
  }

  wall(): number {
    return 1_790_000_000_000 + this.#now
  }

  mono(): number {
    return this.#now
  }

  /**
   * @param isGone Called when the time has come. A dead process is not woken.
   * @default it lives
   */
  sleep(ms: number, signal?: AbortSignal, isGone?: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = (): void => {
        timer.isOff = true
        reject(signal?.reason)
      }
      const ring = (): void => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, ring, isGone, isOff: false }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#insert(timer)
    })
  }

  /**
   * Runs the clock until the promise settles.
   *
   * @param untilMs Longest time by this clock, in milliseconds.
   * @default no end
   * @throws If nothing is left that could settle the promise, or the time is over.
   */
  async run<T>(promise: Promise<T>, untilMs = Number.POSITIVE_INFINITY): Promise<T> {
    const end = this.#now + untilMs
    let isSettled = false
    const settle = (): void => {
      isSettled = true
    }
    promise.then(settle, settle)
    for (let idle = 0; idle < idleRounds + moments; ) {
      if (idle >= idleRounds) await realMoment()
      for (let turn = 0; turn < this.#turns; turn++) await nextTurn()
      if (isSettled) return promise
      const next = this.#take()
      if (!next) {
        idle++
        continue
      }
      idle = 0
      if (next.at > end) throw new Error(`The promise is not settled after ${untilMs} ms.`)
      this.#now = Math.max(this.#now, next.at)
      next.ring()
    }
    throw new Error('Nothing is left to do, and the promise is not settled.')
  }

  #insert(timer: Timer): void {
    let low = 0
    let high = this.#timers.length
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#timers[middle] as Timer
      if (other.at < timer.at || (other.at === timer.at && other.order < timer.order)) low = middle + 1
      else high = middle
    }
    this.#timers.splice(low, 0, timer)
  }

  #take(): Timer | undefined {
    for (let timer = this.#timers.shift(); timer; timer = this.#timers.shift()) if (!timer.isOff && timer.isGone?.() !== true) return timer
    return undefined
  }
}
