import '../sim/loaded.ts'
import { setImmediate as nextTurn, setTimeout as realTimeout } from 'node:timers/promises'
import type { Clock } from '../../src/host/clock.ts'

/** Rounds without a timer after which nothing goes on by itself. */
const idleRounds = 50

/**
 * Then something may still be on its way that this clock knows nothing of: a test runner asks another process for each module that is imported, also for one that it has. So
 * many moments of 10 ms are left for that; only what is stuck waits for all of them.
 */
const moments = 200
const realMoment = (): Promise<unknown> => realTimeout(10)

interface Timer {
  readonly at: number
  readonly order: number
  readonly ring: () => void
  /** Whether the one who sleeps is dead: nobody is woken then, and no time passes for it. */
  readonly isGone: (() => boolean) | undefined
  isOff: boolean
}

/** A clock that jumps from timer to timer as soon as nothing else is left to do. Everything that runs under it must wait by it alone. */
export class VirtualClock implements Clock {
  readonly #turns: number
  #now = 1_000
  #order = 0
  readonly #timers: Timer[] = []

  /** @param turns Turns of the event loop that are waited for before a timer rings: one is enough where nothing but promises is waited for. */
  constructor(turns = 2) {
    this.#turns = turns
  }

  wall(): number {
    return 1_790_000_000_000 + this.#now
  }

  mono(): number {
    return this.#now
  }

  /** @param isGone Asked when the time has come: a dead process is not woken. @default it lives */
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
   * Goes on until the promise is settled.
   *
   * @param untilMs Longest time by this clock, milliseconds. @default no end
   * @throws Where nothing is left that could settle it, or the time is over.
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
