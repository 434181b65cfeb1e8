import { describe, expect, test } from 'vitest'
import {
  colourShifts,
  colourSpread,
  countColour,
  countColours,
  type FrameColours,
  isOneColour,
  median,
  takeColours,
} from '../../../atlas/quality/colour.ts'

/** Pixels of one colour. */
type Spot = readonly [red: number, green: number, blue: number, count: number]

const scratch = countColours()

/** The colours of a frame with these spots. */
function coloursOf(...spots: readonly Spot[]): FrameColours {
  for (const [red, green, blue, count] of spots)
    for (let pixel = 0; pixel < count; pixel++) countColour(scratch, 0xff000000 | (blue << 16) | (green << 8) | red)
  return takeColours(scratch)
}

/** Shifts of sequences whose frames have these spots, three digits each. */
function shiftsOf(frames: readonly (readonly Spot[])[], enough = 6): number[] {
  return colourShifts(
    frames.map((spots) => coloursOf(...spots)),
    enough,
  ).map((shift) => Number(shift.toFixed(3)))
}

test('pixels are counted in bins of sixteen steps a channel, in the order of their first pixels, with their mean, from zero each time', () => {
  const spots: readonly Spot[] = [
    [16, 32, 255, 1],
    [1, 2, 3, 2],
    [31, 47, 240, 3],
    [32, 32, 255, 1],
    [16, 48, 255, 1],
    [16, 32, 239, 1],
    [0, 15, 0, 2],
  ]
  const plain = {
    bins: Int32Array.of(0x12f, 0, 0x22f, 0x13f, 0x12e),
    counts: Int32Array.of(4, 4, 1, 1, 1),
    means: Float64Array.of(27.25, 43.25, 243.75, 0.5, 8.5, 1.5, 32, 32, 255, 16, 48, 255, 16, 32, 239),
  }
  expect([coloursOf(...spots), coloursOf(...spots), coloursOf()]).toEqual([
    plain,
    plain,
    { bins: Int32Array.of(), counts: Int32Array.of(), means: Float64Array.of() },
  ])
  expect([scratch.used, scratch.counts.some((count) => count !== 0), scratch.sums.some((sum) => sum !== 0)]).toEqual([0, false, false])
})

describe('the colours of a frame differ from those of its sequence', () => {
  const grey = (light: number, count: number): Spot => [light, light, light, count]

  test('by the distance of the colour to its median, in three channels', () => {
    const still: Spot = [100, 120, 140, 9]
    expect(shiftsOf([[still], [[103, 120, 140, 9]], [still], [[100, 124, 140, 9]], [still], [[100, 120, 152, 9]]], 99)).toEqual([
      0, 3, 0, 4, 0, 12,
    ])
    expect(shiftsOf([[still], [[101, 122, 142, 5]]])).toEqual([1.5, 1.5])
    expect(shiftsOf([])).toEqual([])
  })

  test('only by colours of at least three hundredths of all pixels', () => {
    const dust = Array.from({ length: 200 }, (_, at): Spot => [64 + 16 * (at % 12), 16 * Math.floor(at / 12 + 1) - 9, 250, 1])
    const shift = (count: number): number[] =>
      shiftsOf([
        [...dust.slice(0, 100 - count), [8, 2, 8, count]],
        [...dust.slice(0, 100 - count), [8, 14, 8, count]],
      ])
    expect([shift(2), shift(3)]).toEqual([
      [0, 0],
      [6, 6],
    ])
  })

  test('only by the ten most common ones, the more common of equals by their number', () => {
    // Twelve colours far from one another; the rare ones are dyed.
    const all = Array.from({ length: 12 }, (_, at): Spot => [100 * (at % 3), 80 * Math.floor(at / 3), 0, 20 - at])
    const dyed = (from: number): Spot[] => all.map(([red, green, blue, count], at) => [red, green, at < from ? blue : blue + 8, count])
    // Of ten colours, the last five have 70 of 155 pixels and the last six 86; more pixels of a tenth and eleventh would decide otherwise.
    expect([4, 5].map((from) => shiftsOf([all, all, dyed(from)])[2])).toEqual([8, 0])
    const even = all.map(([red, green, blue]): Spot => [red, green, blue, 10])
    const tail = even.map(([red, green, blue, count], at): Spot => [red, green, at === 2 || at >= 8 ? blue + 8 : blue, count])
    expect(shiftsOf([even, even, tail])[2]).toBe(0)
  })

  test('only by colours that are more than 44 steps from a more common one, which counts what is within 44', () => {
    expect(shiftsOf([[grey(0, 10), [44, 0, 0, 5]], [grey(0, 10)], [grey(0, 10)]])).toEqual([14.667, 0, 0])
    expect(shiftsOf([[grey(0, 10), [45, 0, 0, 5]], [grey(0, 10)], [grey(0, 10)]])).toEqual([0, 0, 0])
    expect(shiftsOf([[grey(0, 10), [0, 44, 0, 5]], [grey(0, 10), [0, 0, 44, 5]], [grey(0, 10)]])).toEqual([14.667, 14.667, 0])
    expect(shiftsOf([[grey(0, 10), [26, 26, 26, 5]], [grey(0, 10), [24, 25, 26, 5]], [grey(0, 10)]])).toEqual([0, 14.441, 0])
  })

  test('by 44 where a colour is missing, or nearly, and not at all where it is missing in more than half of the frames', () => {
    const both: readonly Spot[] = [grey(20, 8), grey(200, 3)]
    const rare = (count: number): readonly Spot[] => [...(count > 0 ? [grey(20, count)] : []), grey(200, 3)]
    expect(shiftsOf([both, both, rare(0), rare(1), rare(2)])).toEqual([0, 0, 44, 44, 0])
    expect(shiftsOf([both, both, rare(0), rare(0)])).toEqual([0, 0, 44, 44])
    expect(shiftsOf([both, rare(0), rare(0), [grey(210, 3)]])).toEqual([0, 0, 0, 17.321])
  })

  test('by the median of all colours, of which each counts by its usual number of pixels', () => {
    const shift = (counts: readonly [number, number, number]): number | undefined =>
      shiftsOf([0, 0, 1].map((by) => counts.map((count, at): Spot => [100 * at + by * (at + 1) * 2, 30, 30, count])))[2]
    expect([shift([2, 2, 2]), shift([4, 2, 2]), shift([5, 2, 2]), shift([2, 2, 5]), shift([2, 2, 4])]).toEqual([4, 2, 2, 6, 4])
  })

  test('not at all where they pulse in five frames or more: in steps of less than six tenths of their range, also from the last to the first', () => {
    const lights = (...all: readonly number[]): number[] => shiftsOf(all.map((light) => [[light, 30, 30, 9]]))
    expect(lights(80, 90, 100, 90)).toEqual([10, 0, 10, 0])
    expect(lights(80, 85, 90, 95, 100, 95, 90, 85)).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    // The step of 12 is six tenths of 20, the step of 11 less.
    expect(lights(80, 92, 100, 92, 86)).toEqual([12, 0, 8, 0, 6])
    expect(lights(80, 91, 100, 92, 86)).toEqual([0, 0, 0, 0, 0])
    expect(lights(80, 86, 92, 98, 104)).toEqual([12, 6, 0, 6, 12])
    // Under the limit they are told as they are.
    expect(lights(90, 92, 94, 92, 91)).toEqual([2, 0, 2, 0, 1])
    expect(lights(90, 93, 97, 94, 93)).toEqual([3, 0, 4, 1, 0])
    expect(lights(90, 93, 96, 99, 96, 93)).toEqual([4.5, 1.5, 1.5, 4.5, 1.5, 1.5])
    expect(lights(88, 92, 96, 100, 96, 92)).toEqual([0, 0, 0, 0, 0, 0])
  })
})

test('the spread of a frame is that of its colours of at least 64 in one channel', () => {
  const spread = (...spots: readonly Spot[]): number => Number(colourSpread(coloursOf(...spots)).toFixed(3))
  expect([
    spread(),
    spread([63, 63, 63, 5]),
    spread([64, 0, 0, 1], [0, 0, 68, 1]),
    spread([100, 0, 0, 3], [100, 40, 0, 1]),
    spread([100, 0, 0, 3], [100, 40, 0, 1], [63, 1, 9, 50]),
    spread([9, 100, 200, 1], [9, 160, 200, 1]),
  ]).toEqual([0, 0, 46.69, 17.321, 17.321, 30])
})

test('two frames have one colour if the means of all their pixels are less than the limit apart', () => {
  const [dark, light] = [coloursOf([10, 20, 30, 1], [30, 20, 30, 3]), coloursOf([25, 23, 34, 2])]
  expect([5, 5.001].map((limit) => isOneColour(dark, light, limit))).toEqual([false, true])
})

test('the median of values in any order is the middle one, or the mean of both', () => {
  expect([[], [7], [10, 9, 2], [10, 2, 9, 4], [1, 1]].map(median)).toEqual([0, 7, 9, 6.5, 1])
})
