import { expect, test } from 'vitest'
import { createBitmap } from '../../atlas/index.ts'
import { drawNormals } from '../../atlas/layers/normals.ts'
import { ball, meanError, render, solids } from './solids.ts'

const shape = { from: 'shape', soften: 1 } as const

test('normals of rendered balls and bevels are right to 10 degrees on average, those of balls of 9 pixels and more to 4', () => {
  const errors = solids.map((solid) => ({
    solid,
    degrees: meanError(drawNormals(render(solid), { ...shape, depth: solid.depth }, 1), solid),
  }))
  const mean = errors.reduce((sum, { degrees }) => sum + degrees, 0) / errors.length
  const worst = Math.max(...errors.map(({ degrees }) => degrees))
  console.log(`mean error of normals: ${mean.toFixed(1)} degrees over ${errors.length} solids, at most ${worst.toFixed(1)}`)
  expect(mean).toBeLessThan(5)
  // Half a pixel is much of a small solid, and no outline shows that a bevel is straight.
  for (const { solid, degrees } of errors)
    expect({ solid: solid.name, isRight: degrees < (solid.name.startsWith('straight') ? 12 : 10) }).toEqual({
      solid: solid.name,
      isRight: true,
    })
  for (const { solid, degrees } of errors) if (solid.depth === undefined && solid.side > 24) expect(degrees).toBeLessThan(4)
})

test('red points right, green up and blue to the viewer; the map is opaque, and flat outside of the figure', () => {
  const solid = ball(20)
  const { data, width } = drawNormals(render(solid), shape, 1)
  const at = (x: number, y: number): readonly number[] => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]
  const middle = width / 2
  expect(at(middle - 17, middle)[0]).toBeLessThan(40)
  expect(at(middle + 16, middle)[0]).toBeGreaterThan(215)
  expect(at(middle, middle - 17)[1]).toBeGreaterThan(215)
  expect(at(middle, middle + 16)[1]).toBeLessThan(40)
  expect(at(middle, middle)[2]).toBeGreaterThan(250)
  expect(at(0, 0)).toEqual([128, 128, 255, 255])
})

test('equal pictures give equal maps, and the mirrored picture the mirrored vectors', () => {
  const { width, height, data } = render(ball(13, 1.3))
  const flipped = createBitmap(width, height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      flipped.data.set(data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4), (y * width + width - 1 - x) * 4)
  for (const options of [shape, { from: 'luminance', depth: 3, soften: 0 }] as const) {
    const [map, again, mirrored] = [{ width, height, data }, { width, height, data }, flipped].map((one) => drawNormals(one, options, 1))
    expect(again!.data).toEqual(map!.data)
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const [here, there] = [(y * width + x) * 4, (y * width + width - 1 - x) * 4]
        expect(Math.abs(map!.data[here]! + mirrored!.data[there]! - 255)).toBeLessThanOrEqual(6)
        expect(Math.abs(map!.data[here + 1]! - mirrored!.data[there + 1]!)).toBeLessThanOrEqual(6)
      }
  }
})

test('with luminance, a slope from dark to light faces the dark side, and a flat colour the viewer', () => {
  const slope = createBitmap(32, 8)
  for (let x = 0; x < 32; x++) for (let y = 0; y < 8; y++) slope.data.set([8 * x, 8 * x, 8 * x, 255], (y * 32 + x) * 4)
  const { data } = drawNormals(slope, { from: 'luminance', depth: 16, soften: 0 }, 1)
  expect(data[(4 * 32 + 16) * 4]).toBeLessThan(100)
  expect(data[(4 * 32 + 16) * 4 + 1]).toBe(128)
  slope.data.fill(255)
  expect([...drawNormals(slope, { from: 'luminance', depth: 16, soften: 2 }, 1).data.subarray(0, 4)]).toEqual([128, 128, 255, 255])
})

test('depth levels a shape off, and counts unscaled pixels', () => {
  const plate = createBitmap(64, 64)
  for (let y = 4; y < 60; y++) for (let x = 4; x < 60; x++) plate.data.set([90, 90, 90, 255], (y * 64 + x) * 4)
  const blueAt = (depth: number | undefined, x: number, scale = 1): number =>
    drawNormals(plate, { ...shape, depth }, scale).data[(32 * 64 + x) * 4 + 2]!
  expect(blueAt(6, 16)).toBeGreaterThan(250)
  expect(blueAt(undefined, 16)).toBeLessThan(245)
  expect(blueAt(6, 10, 2)).toBe(blueAt(12, 10))
})
