import { describe, expect, test } from 'vitest'
import { createPlayer, type Player, roundOf } from '../../../plugin/panel/ui/preview/playback.ts'

const once = { loop: false, yoyo: false }
const loop = { loop: true, yoyo: false }

/** The shown places, one for each step of time. */
function watch(player: Player, stepMs: number, count: number): number[] {
  player.setPlaying(true)
  return Array.from({ length: count }, () => {
    const { place } = player
    player.advance(stepMs)
    return place
  })
}

describe('a round', () => {
  test('plays a loop from the first frame to the last', () => {
    expect(roundOf([10, 20, 30], loop).map((beat) => beat.place)).toEqual([0, 1, 2])
  })

  test('of a loop there and back shows both ends once', () => {
    expect(roundOf([10, 20, 30, 40], { loop: true, yoyo: true })).toEqual([
      { place: 0, ms: 10 },
      { place: 1, ms: 20 },
      { place: 2, ms: 30 },
      { place: 3, ms: 40 },
      { place: 2, ms: 30 },
      { place: 1, ms: 20 },
    ])
  })

  test('that is played once there and back ends on the first frame', () => {
    expect(roundOf([10, 20, 30], { loop: false, yoyo: true }).map((beat) => beat.place)).toEqual([0, 1, 2, 1, 0])
  })

  test('that is played once rests on its last frame', () => {
    const [first, last] = roundOf([10, 10], once)
    expect(first?.ms).toBe(10)
    expect(last?.ms).toBeGreaterThan(100)
  })

  test('of no frames is empty', () => {
    expect(roundOf([], once)).toEqual([])
  })
})

describe('a player', () => {
  test('shows each frame for its own time', () => {
    const player = createPlayer()
    player.setRound(roundOf([10, 30, 10], loop))
    expect(watch(player, 10, 7)).toEqual([0, 1, 1, 1, 2, 0, 1])
  })

  test('keeps what is left of a step of time for the next frame', () => {
    const player = createPlayer()
    player.setRound(roundOf([10, 10, 10], loop))
    expect(watch(player, 15, 5)).toEqual([0, 1, 0, 1, 0])
  })

  test('stands still until it is played', () => {
    const player = createPlayer()
    player.setRound(roundOf([10, 10], loop))
    player.advance(1000)
    expect(player.place).toBe(0)
  })

  test('that slept for hours wakes up in its round', () => {
    const player = createPlayer()
    player.setRound(roundOf([10, 10, 10], loop))
    player.setPlaying(true)
    player.advance(3_600_000 * 30 + 10)
    expect(player.place).toBe(1)
  })

  test('steps over the ends, and stops for it', () => {
    const player = createPlayer()
    player.setRound(roundOf([10, 10, 10], loop))
    player.setPlaying(true)
    player.step(-1)
    expect([player.place, player.isPlaying]).toEqual([2, false])
    player.step(1)
    expect(player.place).toBe(0)
  })

  test('goes on at its place when the speed changes, and at the start when that place is gone', () => {
    const player = createPlayer()
    player.setRound(roundOf([10, 10, 10], loop))
    player.seek(2)
    player.setRound(roundOf([5, 5, 5], loop))
    expect(player.place).toBe(2)
    player.setRound(roundOf([5, 5], loop))
    expect(player.place).toBe(0)
  })

  test('of no frames shows nothing, and does not stumble', () => {
    const player = createPlayer()
    expect(watch(player, 100, 2)).toEqual([0, 0])
    player.step(1)
    expect(player.place).toBe(0)
  })

  test('tells of changes until nobody listens any more', () => {
    const player = createPlayer()
    player.setRound(roundOf([10, 10], loop))
    const told: number[] = []
    const stop = player.subscribe(() => told.push(player.place))
    player.step(1)
    stop()
    player.step(1)
    expect(told).toEqual([1])
  })
})
