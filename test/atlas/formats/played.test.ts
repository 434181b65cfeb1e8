import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { playedFrames, toWholeMs, withStills } from '../../../atlas/formats/shared/played.ts'

/** The letters of `frames` as they are played. */
function played(frames: string, loop: boolean, yoyo: boolean): string {
  const list = [...frames].map((name, index) => ({ name, durationMs: index }))
  return playedFrames({ name: 'a/b', sprite: 'a', fps: 12, frames: list, loop, yoyo })
    .map(({ name, durationMs }) => {
      expect(durationMs).toBe(frames.indexOf(name))
      return name
    })
    .join('')
}

describe('there and back, written out', () => {
  test.each([
    ['abcd', true, 'abcdcb'],
    ['abcd', false, 'abcdcba'],
    ['ab', true, 'ab'],
    ['ab', false, 'aba'],
    ['a', true, 'a'],
    ['a', false, 'a'],
    ['', true, ''],
  ])('%s, for ever: %s, is %s', (frames, loop, expected) => {
    expect(played(frames, loop, true)).toBe(expected)
    expect(played(frames, loop, false)).toBe(frames)
  })
})

test('whole milliseconds end where the exact ones do, to half a millisecond', () => {
  expect(toWholeMs([1000 / 12, 1000 / 12, 1000 / 12])).toEqual([83, 84, 83])
  fc.assert(
    fc.property(fc.array(fc.double({ min: 1, max: 500, noNaN: true }), { maxLength: 60 }), (durations) => {
      const whole = toWholeMs(durations)
      let [should, does] = [0, 0]
      for (const [index, duration] of durations.entries()) {
        should += duration
        does += whole[index]!
        expect(Number.isInteger(whole[index]) && whole[index]! >= 1).toBe(true)
        expect(Math.abs(should - does)).toBeLessThanOrEqual(0.5 + 1e-6)
      }
    }),
  )
})

test('no frame is shorter than a millisecond', () => {
  expect(toWholeMs([0.2, 0.2, 10])).toEqual([1, 1, 10])
})

test('a picture becomes an animation of one frame that does not repeat, in the order of names', () => {
  const place = { page: 0, x: 0, y: 0, width: 1, height: 1, offsetX: 0, offsetY: 0, sourceWidth: 1, sourceHeight: 1 }
  const frames = [
    { ...place, name: 'a/walk/0000' },
    { ...place, name: 'a/icon', isStill: true },
  ]
  const walk = { name: 'a/walk', sprite: 'a', frames: [{ name: 'a/walk/0000', durationMs: 80 }], fps: 12, loop: true, yoyo: false }
  const icon = { name: 'a/icon', sprite: 'a', frames: [{ name: 'a/icon', durationMs: 1000 }], fps: 1, loop: false, yoyo: false }
  expect(withStills({ frames, animations: [walk] })).toEqual([icon, walk])
})
