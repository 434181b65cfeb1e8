import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allOf,
  droppedOf,
  mayDropTogether,
  orderOf,
  toUse,
  withKept,
  withMoved,
  withoutPlaces,
} from '../../../plugin/panel/ui/preview/frame-order.ts'

describe('the order of frames', () => {
  test('is what the spec says, else all that was delivered, else what is played', () => {
    const played = [{ index: 3 }, { index: 5 }] as never
    expect(orderOf({ use: [2, 0], played } as never, 4)).toEqual([2, 0])
    expect(orderOf({ played } as never, 4)).toEqual([0, 1, 2, 3])
    expect(orderOf({ played } as never, 0)).toEqual([3, 5])
  })

  test('is not written where all frames are played as they came', () => {
    expect(toUse([0, 1, 2], 3)).toBeNull()
    expect(toUse([0, 2, 1], 3)).toEqual([0, 2, 1])
    expect(toUse([0, 1], 3)).toEqual([0, 1])
  })

  test('always keeps a frame', () => {
    expect(withoutPlaces([4], [0])).toEqual([4])
    expect(withoutPlaces([4, 5, 6], [0, 2])).toEqual([5])
  })

  test('moves a frame by place, also one that is played twice', () => {
    expect(withMoved([0, 1, 0, 2], 2, 0)).toEqual([0, 0, 1, 2])
    expect(withMoved([0, 1, 2], 0, 2)).toEqual([1, 2, 0])
    expect(withMoved([0, 1, 2], 2, 3)).toEqual([0, 1, 2])
  })

  test('takes a dropped frame back before those that came after it', () => {
    expect(withKept([0, 1, 3], 2)).toEqual([0, 1, 2, 3])
    expect(withKept([3, 1], 0)).toEqual([0, 3, 1])
    expect(withKept([0, 1], 7)).toEqual([0, 1, 7])
  })

  test('a frame that is dropped and kept again leaves what was there', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.nat(), (count, at) => {
        const all = allOf(count)
        const place = at % count
        const less = withoutPlaces(all, [place])
        expect(droppedOf(less, count)).toEqual([place])
        expect(withKept(less, place)).toEqual(all)
      }),
    )
  })
})

test('at most a third of the frames is offered to be dropped at once', () => {
  const order = Array.from({ length: 12 }, (_, at) => at)
  expect([0, 1, 4, 5, 12].map((count) => mayDropTogether(order, count))).toEqual([false, true, true, false, false])
})
