import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromOklab, oklabDistance, toOklab } from '../../../atlas/pixel/oklab.ts'

test('OKLab has the published values of the primaries', () => {
  const published: [readonly [number, number, number], readonly [number, number, number]][] = [
    [
      [255, 255, 255],
      [1, 0, 0],
    ],
    [
      [255, 0, 0],
      [0.62796, 0.22486, 0.12585],
    ],
    [
      [0, 255, 0],
      [0.86644, -0.23389, 0.1795],
    ],
    [
      [0, 0, 255],
      [0.45201, -0.03246, -0.31153],
    ],
  ]
  for (const [rgb, lab] of published) for (const at of [0, 1, 2] as const) expect(toOklab(...rgb)[at]).toBeCloseTo(lab[at], 4)
})

test('every colour comes back from OKLab unchanged', () => {
  const channel = fc.integer({ min: 0, max: 255 })
  fc.assert(fc.property(fc.tuple(channel, channel, channel), (rgb) => void expect(fromOklab(toOklab(...rgb))).toEqual(rgb)))
})

test('a colour out of range is clamped', () => {
  expect(fromOklab([2, 0, 0])).toEqual([255, 255, 255])
  expect(fromOklab([-1, 0, 0])).toEqual([0, 0, 0])
  expect(oklabDistance(toOklab(0, 0, 0), toOklab(255, 255, 255))).toBeCloseTo(1, 4)
})
