import { type Clock, nodeClock } from '../../src/host/clock.ts'

/** Sleeps from here on are time limits of requests, in milliseconds; all others are pauses of the product. */
const shortestLimitMs = 20_000
const longestPauseMs = 50

/**
 * The clock of this machine, on which no pause of the product takes longer than a twentieth of a second. Time limits
 * last as long as ever, so a busy machine meets all of them.
 */
export function shortPauses(): Clock {
  const clock = nodeClock()
  return { ...clock, sleep: (ms, signal) => clock.sleep(ms < shortestLimitMs ? Math.min(ms, longestPauseMs) : ms, signal) }
}
