import { type Clock, nodeClock } from '../../src/host/clock.ts'
import { isTimeLimit } from './time-limits.ts'

const longestPauseMs = 50

/**
 * The clock of this machine, on which no pause of the product takes longer than a twentieth of a second. Time limits
 * last as long as ever, so a busy machine meets all of them.
 */
export function shortPauses(): Clock {
  const clock = nodeClock()
  return { ...clock, sleep: (ms, signal) => clock.sleep(isTimeLimit(ms) ? ms : Math.min(ms, longestPauseMs), signal) }
}
