import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ManualClock } from '../kit/manual-clock.ts'

/** Lets the world run until a condition holds. The test's timeout limits it. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn()
}

/** Moves the clock on, a second at a time, until the promise settles. */
export async function finish<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false
  const settle = (): void => {
    isSettled = true
  }
  promise.then(settle, settle)
  while (!isSettled) await clock.advance(1000)
  return promise
}
