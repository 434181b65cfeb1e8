import { expect, test } from 'vitest'
import type { Bitmap } from '../../../atlas/index.ts'
import { reduceCells } from '../../../atlas/pixel/cells.ts'
import { findGrid, type PixelGrid, slipOf } from '../../../atlas/pixel/grid.ts'
import { colourSteps } from '../../../atlas/pixel/steps.ts'
import { byLevel } from '../../level.ts'
import { type DrawnCells, drawCells } from './drawn-cells.ts'

/** 500 cases are the figure in docs/specs.md. */
const cases = byLevel({ quick: 1, full: 100, long: 500 })

/** Whether no edge of the figure's cells is half a cell or more from its place. */
function fits(grid: PixelGrid | undefined, { period, cells }: DrawnCells): boolean {
  const [{ width, height }] = cells as readonly [Bitmap]
  return grid !== undefined && (Math.abs(grid.period - period) * Math.max(width, height)) / period < 0.5
}

/** The share of the figure's pixels whose channels are all within 32 of their true values. */
function shareRight(grid: PixelGrid, { frames, cells, origin }: DrawnCells): number {
  let [right, all] = [0, 0]
  const [left, top] = [Math.round((origin.x - grid.x) / grid.period), Math.round((origin.y - grid.y) / grid.period)]
  for (const [at, frame] of frames.entries()) {
    const [made, truth] = [reduceCells(frame, grid, slipOf(colourSteps(frame), grid)), cells[at] as Bitmap]
    for (let pixel = 0; pixel < truth.width * truth.height; pixel++) {
      const [x, y] = [left + (pixel % truth.width), top + Math.floor(pixel / truth.width)]
      const isIn = x >= 0 && y >= 0 && x < made.width && y < made.height
      const found = isIn ? made.data.subarray(4 * (y * made.width + x), 4 * (y * made.width + x) + 4) : [0, 0, 0, 0]
      const wanted = truth.data.subarray(4 * pixel, 4 * pixel + 4)
      if (wanted[3] === 0 && found[3] === 0) continue
      all++
      if (wanted.every((value, channel) => Math.abs(value - (found[channel] as number)) < 32)) right++
    }
  }
  return right / all
}

test(`of ${cases} blurred, drifted and noisy sprites, 98 % get their grid, and 98 % of their pixels come back`, {
  timeout: 3_600_000,
}, async () => {
  const missed: string[] = []
  const shares: number[] = []
  for (let seed = 1; seed <= cases; seed++) {
    const drawn = await drawCells(seed)
    const grid = findGrid(drawn.frames.map(colourSteps))
    if (grid && fits(grid, drawn)) shares.push(shareRight(grid, drawn))
    else missed.push(`${seed}: ${drawn.period} px, found ${grid?.period.toFixed(2)}`)
  }
  const right = shares.reduce((sum, share) => sum + share, 0) / shares.length
  console.info(
    `grid found in ${cases - missed.length} of ${cases}; pixels right ${(100 * right).toFixed(1)} %; missed ${missed.join('; ')}`,
  )
  expect(missed.length).toBeLessThanOrEqual(0.02 * cases)
  expect(right).toBeGreaterThan(0.98)
})
