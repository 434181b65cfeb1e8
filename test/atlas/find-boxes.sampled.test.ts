import { describe, expect, test } from 'vitest'
import { type FoundBox, findBoxes } from '../../atlas/frames/find-boxes.ts'
import { visibleBox } from '../../atlas/frames/trim.ts'
import { createBitmap, crop } from '../../atlas/index.ts'
import { byLevel } from '../level.ts'
import { drawKnown, type KnownAnimation, overlap } from './boxes/figures.ts'

/** Animations that were not drawn while the shares of the finder were chosen. */
const firstSeed = 20_000
const count = byLevel({ quick: 12, full: 200, long: 1000 })

interface Case {
  readonly animation: KnownAnimation
  readonly found: ReturnType<typeof findBoxes>
}

/** The mean overlap of the frames of each animation that has such a box. */
function overlaps(box: FoundBox, cases: readonly Case[]): readonly number[] {
  return cases.flatMap(({ animation, found }) => {
    const all = animation[box].flatMap((known, at) => {
      const [one] = found[at]?.[box] ?? []
      return known ? [one ? overlap(known, one) : 0] : []
    })
    return all.length === 0 ? [] : [mean(all)]
  })
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length
}

describe('boxes of figures whose boxes are known by construction', () => {
  const cases = Array.from({ length: count }, (_, at): Case => {
    const animation = drawKnown(firstSeed + at)
    return { animation, found: findBoxes(animation.frames.map((bitmap) => ({ bitmap }))) }
  })

  test.each([
    ['body', 0.9, 0.95],
    ['hurt', 0.9, 0.95],
    ['feet', 0.8, 0.55],
    ['hit', 0.7, 0.3],
  ] as const)('%s overlaps by %f on average', (box, least, leastShare) => {
    const values = overlaps(box, cases)
    const share = values.filter((one) => one >= 0.8).length / values.length
    console.info(
      `${box}: ${values.length} animations, mean overlap ${mean(values).toFixed(3)}, ${(100 * share).toFixed(1)} % at 0.8 or more`,
    )
    expect(mean(values)).toBeGreaterThanOrEqual(least)
    expect(share).toBeGreaterThanOrEqual(leastShare)
  })

  test('the body has one size in all frames of an animation, unless it is cut at the edge of a frame', () => {
    for (const { animation, found } of cases) {
      const { width, height } = animation.frames[0]!
      const bodies = found.flatMap(({ body = [] }) => body)
      const whole = bodies.filter(([x, y, wide]) => x > 0 && y > 0 && x + wide < width)
      expect(new Set(whole.map(([, , wide, high]) => `${wide} × ${high}`)).size).toBeLessThanOrEqual(1)
      expect(whole.every(([, y, , high]) => y + high <= height)).toBe(true)
    }
  })

  test('a trimmed frame has the boxes of the untrimmed one', () => {
    const { frames } = drawKnown(firstSeed)
    const cut = frames.map((frame) => {
      const { left, top, right, bottom } = visibleBox(frame, 0)!
      const canvas = { x: left, y: top, width: frame.width, height: frame.height }
      return { bitmap: crop(frame, left, top, right - left, bottom - top), canvas }
    })
    expect(findBoxes(cut)).toEqual(findBoxes(frames.map((bitmap) => ({ bitmap }))))
  })

  test('the boxes of a single pixel have an area', () => {
    const dot = createBitmap(9, 9)
    dot.data[(4 * 9 + 4) * 4 + 3] = 255
    const pixel = [[4, 4, 1, 1]]
    expect(findBoxes([{ bitmap: dot }])).toEqual([{ body: pixel, feet: pixel, hurt: pixel }])
  })

  test('a clear frame has no boxes', () => {
    expect(findBoxes([{ bitmap: createBitmap(20, 20) }])).toEqual([{}])
  })
})
