import { type Clock, nodeClock } from '../../src/host/clock.ts'

/**
 * The clock of this machine, faster: what waits for it ends sooner, such as the pause before another try.
 * Answers of the network take as long as ever, so a time limit comes nearer by the same factor.
 *
 * @param speed How many times faster.
 */
export function fasterClock(speed: number): Clock {
  const clock = nodeClock()
  const [wall, mono] = [clock.wall(), clock.mono()]
  return {
    wall: () => wall + Math.round((clock.wall() - wall) * speed),
    mono: () => mono + Math.round((clock.mono() - mono) * speed),
    sleep: (ms, signal) => clock.sleep(ms / speed, signal),
  }
}
