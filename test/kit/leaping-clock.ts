import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../src/host/clock.ts'

/** A clock that goes on only by its sleeps, and they take no real time. For work that has one sleep at a time. */
export function leapingClock(): Clock {
  let now = 1000
  return {
    wall: () => 1_760_000_000_000 + now,
    mono: () => now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      now += ms
      await nextTurn()
      signal?.throwIfAborted()
    },
  }
}
