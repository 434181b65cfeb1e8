import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeAtlas } from '../../atlas/atlas.ts'
import { type Bitmap, createBitmap } from '../../atlas/bitmap.ts'
import { alphaHull, type HullPoint } from '../../atlas/frames/hull.ts'
import { withOutlines } from '../../atlas/outlines.ts'
import { painting } from './formats/project.ts'

/** A bitmap in which `#` is opaque. */
function drawn(...rows: readonly string[]): Bitmap {
  const bitmap = createBitmap(rows[0]!.length, rows.length)
  for (const [y, row] of rows.entries()) for (const [x, mark] of [...row].entries()) if (mark === '#') setAlpha(bitmap, x, y, 255)
  return bitmap
}

function setAlpha(bitmap: Bitmap, x: number, y: number, alpha: number): void {
  bitmap.data[(y * bitmap.width + x) * 4 + 3] = alpha
}

/**
 * How far a point lies right of the way from `a` to `b`, in ten-thousandths. It is exact, because corners are
 * multiples of a hundredth.
 */
function turn(a: HullPoint, b: HullPoint, c: HullPoint): number {
  const on = (value: number): number => Math.round(value * 100)
  return (on(b.x) - on(a.x)) * (on(c.y) - on(a.y)) - (on(b.y) - on(a.y)) * (on(c.x) - on(a.x))
}

function turnsOf(hull: readonly HullPoint[], point?: HullPoint): number[] {
  return hull.map((from, index) => turn(from, hull[(index + 1) % hull.length]!, point ?? hull[(index + 2) % hull.length]!))
}

/** Blobs, dust and lines on up to 40 × 40 pixels. */
const bitmaps = fc
  .record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 40 }),
    dots: fc.array(fc.record({ x: fc.nat(39), y: fc.nat(39), radius: fc.nat(9), alpha: fc.integer({ min: 1, max: 255 }) }), {
      maxLength: 12,
    }),
  })
  .map(({ width, height, dots }) => {
    const bitmap = createBitmap(width, height)
    for (const { x, y, radius, alpha } of dots) {
      for (let row = 0; row < height; row++) {
        for (let column = 0; column < width; column++) {
          if ((column - x) ** 2 + (row - y) ** 2 <= radius ** 2) setAlpha(bitmap, column, row, alpha)
        }
      }
    }
    return bitmap
  })

describe('the hull of what is seen', () => {
  test('of a box is the box, clockwise from the top left', () => {
    expect(alphaHull(drawn('....', '.##.', '.##.', '.##.'), { corners: 4 })).toEqual([
      { x: 1, y: 1 },
      { x: 3, y: 1 },
      { x: 3, y: 4 },
      { x: 1, y: 4 },
    ])
  })

  test('goes round dents, and pixels count as squares', () => {
    expect(alphaHull(drawn('#..', '.#.', '..#'), { corners: 8 })).toEqual([
      { x: 0, y: 0 },
      { x: 1, y: 0 },
      { x: 3, y: 2 },
      { x: 3, y: 3 },
      { x: 2, y: 3 },
      { x: 0, y: 1 },
    ])
  })

  test('of nothing is nothing, and the threshold says what is seen', () => {
    const faint = drawn('...')
    setAlpha(faint, 1, 0, 40)
    expect(alphaHull(faint, { corners: 8, threshold: 40 })).toEqual([])
    expect(alphaHull(faint, { corners: 8, threshold: 39 })).toHaveLength(4)
  })

  test('fits closely: a disc with eight corners is hardly larger than the disc', () => {
    const disc = createBitmap(64, 64)
    for (let y = 0; y < 64; y++) for (let x = 0; x < 64; x++) if ((x - 31.5) ** 2 + (y - 31.5) ** 2 <= 900) setAlpha(disc, x, y, 255)
    const hull = alphaHull(disc, { corners: 8 })
    const area = hull.reduce((sum, { x, y }, index) => {
      const next = hull[(index + 1) % hull.length]!
      return sum + (x * next.y - y * next.x) / 2
    }, 0)
    expect(hull).toHaveLength(8)
    expect(area / (Math.PI * 900)).toBeLessThan(1.12)
  })

  test('holds every visible pixel, is convex, has no more corners than asked for, and comes out the same again', () => {
    fc.assert(
      fc.property(bitmaps, fc.integer({ min: 4, max: 16 }), fc.constantFrom(0, 100), (bitmap, corners, threshold) => {
        const hull = alphaHull(bitmap, { corners, threshold })
        const { width, height, data } = bitmap
        const isClear = !data.some((value, at) => at % 4 === 3 && value > threshold)
        expect(hull.length).toBeLessThanOrEqual(corners)
        expect(hull.length === 0).toBe(isClear)
        expect(turnsOf(hull).filter((side) => side <= 0)).toEqual([])
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < width; x++) {
            if (data[(y * width + x) * 4 + 3]! <= threshold) continue
            for (const corner of [
              [0, 0],
              [1, 0],
              [0, 1],
              [1, 1],
            ] as const) {
              const point = { x: x + corner[0], y: y + corner[1] }
              if (turnsOf(hull, point).some((side) => side < 0)) throw new Error(`${JSON.stringify(point)} lies outside`)
            }
          }
        }
        expect(alphaHull(bitmap, { corners, threshold })).toEqual(hull)
      }),
      { numRuns: 200 },
    )
  })

  test.each([3, 65, 4.5, Number.NaN])('of %s corners is refused', (corners) => {
    expect(() => alphaHull(drawn('#'), { corners })).toThrow(expect.objectContaining({ code: 'SW_ATLAS_OPTION' }))
  })
})

describe('an atlas', () => {
  const walk = painting('hero/walk', { count: 6, width: 30, height: 40 })

  test('has an outline for each frame, in pixels of the untrimmed frame, where one is asked for', () => {
    const { frames } = withOutlines(makeAtlas('sprites', [walk]), 7)
    const pictures = new Map(walk.frames.map(({ name, bitmap }) => [name, bitmap]))
    expect(frames.some(({ offsetX, offsetY }) => offsetX > 0 && offsetY > 0)).toBe(true)
    for (const { name, hull } of frames) {
      const bitmap = pictures.get(name)!
      expect(hull!.length).toBeLessThanOrEqual(7)
      expect(hull).toEqual(alphaHull(bitmap, { corners: 7 }))
    }
    expect(makeAtlas('sprites', [walk]).frames.some(({ hull }) => hull !== undefined)).toBe(false)
  })

  test('has none for a frame in which nothing is seen', () => {
    const clear = { ...walk, frames: [{ ...walk.frames[0]!, bitmap: createBitmap(9, 9) }], play: [] }
    expect(withOutlines(makeAtlas('sprites', [clear]), 8).frames[0]).not.toHaveProperty('hull')
  })

  test('has the borders of nine-slices at its scale, and leaves such frames untrimmed', () => {
    const borders = { left: 3, top: 4, right: 5, bottom: 6 }
    const { frames } = makeAtlas('sprites', [{ ...walk, borders }], { scale: 0.5 })
    expect(frames[0]).toMatchObject({ borders: { left: 2, top: 2, right: 3, bottom: 3 }, width: 30, height: 40, offsetX: 0, offsetY: 0 })
  })

  test.each([-1, 1.5, Number.NaN])('refuses borders of %s pixels', (left) => {
    const borders = { left, top: 0, right: 0, bottom: 0 }
    expect(() => makeAtlas('sprites', [{ ...walk, borders }])).toThrow(expect.objectContaining({ code: 'SW_ATLAS_OPTION' }))
  })

  test('refuses outlines of three corners, also where there is nothing to outline', () => {
    expect(() => withOutlines(makeAtlas('sprites', []), 3)).toThrow(
      expect.objectContaining({ code: 'SW_ATLAS_OPTION', facts: { hull: 3 } }),
    )
  })
})
