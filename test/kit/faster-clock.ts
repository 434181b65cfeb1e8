import { type Clock, nodeClock } from '../../src/host/clock.ts'
import { isTimeLimit } from './time-limits.ts'

/**
 * The clock of this machine, faster: what waits for it ends sooner, such as the pause before another try.
 * Answers of the network take as long as ever, so time limits do too.
 *
 * @param speed How many times faster.
 */
export function fasterClock(speed: number): Clock {
  const clock = nodeClock()
  const [wall, mono] = [clock.wall(), clock.mono()]
  return {
    wall: () => wall + Math.round((clock.wall() - wall) * speed),
    mono: () => mono + Math.round((clock.mono() - mono) * speed),
    sleep: (ms, signal) => clock.sleep(isTimeLimit(ms) ? ms : ms / speed, signal),
  }
}
