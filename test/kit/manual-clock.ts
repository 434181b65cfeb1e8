import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../src/host/clock.ts'

interface Timer {
  readonly at: number
  readonly ring: () => void
}

/** A clock that moves only when a test moves it. */
export class ManualClock implements Clock {
  #now = 1000
  #timers: Timer[] = []

  wall(): number {
    return 1_760_000_000_000 + this.#now
  }

  mono(): number {
    return this.#now
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = (): void => {
        this.#timers = this.#timers.filter((other) => other !== timer)
        reject(signal?.reason)
      }
      const ring = (): void => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      const timer: Timer = { at: this.#now + ms, ring }
      this.#timers.push(timer)
      signal?.addEventListener('abort', onAbort)
    })
  }

  /** How many sleeps are waiting. */
  get sleepers(): number {
    return this.#timers.length
  }

  /** Moves the clock on and rings every timer that comes due, in order. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await nextTurn()
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0]
      if (next === undefined || next.at > end) break
      this.#now = Math.max(this.#now, next.at)
      this.#timers = this.#timers.filter((other) => other !== next)
      next.ring()
      await nextTurn()
    }
    this.#now = end
    await nextTurn()
  }

  /**
   * Moves from timer to timer until the promise settles. Only for worlds in memory, which wait for nothing
   * else.
   */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false
    const settle = (): void => {
      isSettled = true
    }
    promise.then(settle, settle)
    for (let turn = 0; turn < 5000; turn++) {
      await nextTurn()
      if (isSettled) return promise
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0]
      if (next === undefined) continue
      await this.advance(Math.max(0, next.at - this.#now))
    }
    throw new Error('The promise never settled.')
  }
}
