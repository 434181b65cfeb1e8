import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBitmap } from '../../atlas/index.ts'
import { createRecolour } from '../../atlas/layers/recolour.ts'
import { oklabDistance, toOklab } from '../../atlas/pixel/oklab.ts'

type Rgb = readonly [number, number, number]

const hex = (colour: Rgb): string => `#${Buffer.from(colour).toString('hex')}`
const blues: readonly Rgb[] = [
  [28, 47, 122],
  [60, 90, 190],
  [109, 140, 255],
]
const reds: readonly Rgb[] = [
  [122, 28, 28],
  [190, 60, 60],
  [255, 138, 109],
]
const ramp = { from: blues.map(hex), to: reds.map(hex), tolerance: 0.05 }

function recoloured(colour: Rgb, alpha = 255, ramps = [ramp]): readonly number[] {
  return [...createRecolour(ramps)(createBitmap(1, 1, new Uint8Array([...colour, alpha]))).data]
}

const byte = fc.integer({ min: 0, max: 255 })
const colour = fc.tuple(byte, byte, byte)

test('a colour of a ramp becomes the colour in its place, exactly, and keeps its alpha', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(colour, { minLength: 1, maxLength: 6, selector: String }),
      fc.array(colour, { minLength: 6, maxLength: 6 }),
      fc.integer({ min: 1, max: 255 }),
      (from, colours, alpha) => {
        const to = colours.slice(0, from.length)
        const exact = [{ from: from.map(hex), to: to.map(hex), tolerance: 0 }]
        for (const [at, one] of from.entries()) expect(recoloured(one, alpha, exact)).toEqual([...(to[at] ?? []), alpha])
      },
    ),
    { numRuns: 100 },
  )
})

test('a pixel farther from every ramp than twice the tolerance stays, and so does a clear one', () => {
  const path = Array.from({ length: 201 }, (_, at) => at / 100).map((at) => {
    const [a, b] = [toOklab(...blues[Math.floor(at)]!), toOklab(...blues[Math.min(2, Math.floor(at) + 1)]!)]
    return a.map((value, axis) => value + (at % 1) * (b[axis]! - value)) as unknown as ReturnType<typeof toOklab>
  })
  fc.assert(
    fc.property(colour, byte, (one, alpha) => {
      const far = Math.sqrt(Math.min(...path.map((point) => oklabDistance(point, toOklab(...one)))))
      fc.pre(far > 0.101 || alpha === 0)
      expect(recoloured(one, alpha)).toEqual([...one, alpha])
    }),
    { numRuns: 500 },
  )
})

test('a shade between two colours of a ramp becomes a shade between the two in their place', () => {
  const [red, green, blue] = recoloured([45, 69, 158])
  expect(red).toBeGreaterThan(reds[0]![0])
  expect(red).toBeLessThan(reds[1]![0])
  expect(green! + blue!).toBeLessThan(200)
})

test('a list of another length is stretched: its ends stand for the ends', () => {
  const two = [{ ...ramp, to: [hex(reds[0]!), hex(reds[2]!)] }]
  expect(recoloured(blues[0]!, 255, two)).toEqual([...reds[0]!, 255])
  expect(recoloured(blues[2]!, 255, two)).toEqual([...reds[2]!, 255])
  expect(recoloured(blues[1]!, 255, [{ ...ramp, to: ['#102030'] }])).toEqual([16, 32, 48, 255])
})

test('a colour of two ramps follows the nearer one, and the first of equal ones', () => {
  const green = { from: [hex(blues[0]!)], to: ['#00ff00'], tolerance: 0.3 }
  expect(recoloured(blues[2]!, 255, [green, ramp])).toEqual([...reds[2]!, 255])
  expect(recoloured(blues[0]!, 255, [green, ramp])).toEqual([0, 255, 0, 255])
})

test('the move fades out beyond the tolerance, so that soft edges have no step', () => {
  // From the brightest blue towards grey.
  const steps = Array.from({ length: 147 }, (_, at): Rgb => [109 + at, Math.min(255, 140 + at), 255])
  const reds = steps.map((one) => recoloured(one)[0]! - one[0])
  for (let at = 1; at < steps.length; at++) expect(Math.abs(reds[at]! - reds[at - 1]!)).toBeLessThanOrEqual(12)
  expect(reds[0]).toBeGreaterThan(100)
  expect(reds.at(-1)).toBe(0)
})
