import { type Bitmap, createBitmap } from '../bitmap.ts'
import type { PixelGrid } from './grid.ts'
import { type ColourSteps, PER_PIXEL } from './steps.ts'

/** An edge of cells may be this far from its place in a regular grid, in cells. */
const REACH = 0.35

/** Cost of a cell that is a quarter too wide, and of an edge that is a quarter off; a usual edge gains 1. */
const [UNEVEN, OFF] = [0.6, 0.15]

/** The most that one edge gains, so that an outline does not bend its neighbours. */
const MOST_GAIN = 3

/** The share of a cell at each side whose pixels do not count, because edges are blurred. */
const RIM = 0.25

/**
 * Turns each cell of a frame into one pixel with the median colour of the cell's middle. A frame of 512 pixels with
 * cells of 8 becomes 64 pixels.
 *
 * Edges of cells may drift: each follows the colour steps of this frame, near its place in the regular grid.
 *
 * @param steps The colour steps of the frame; without them, the grid is regular.
 * @returns Frames of one size have one size again. Their sides are at least 1.
 */
export function reduceCells(frame: Bitmap, { period, x, y }: PixelGrid, steps?: ColourSteps): Bitmap {
  const columns = edgesOf(frame.width, period, x, steps?.across)
  const rows = edgesOf(frame.height, period, y, steps?.down)
  const cells = createBitmap(columns.length - 1, rows.length - 1)
  for (let row = 0; row < cells.height; row++)
    for (let column = 0; column < cells.width; column++) {
      const across = middleOf(columns[column]!, columns[column + 1]!, frame.width)
      const down = middleOf(rows[row]!, rows[row + 1]!, frame.height)
      cells.data.set(medianColour(frame, across, down), 4 * (row * cells.width + column))
    }
  return cells
}

type Span = readonly [from: number, to: number]

/** The pixels of a cell without its rim; at least one pixel, within the frame. */
function middleOf(from: number, to: number, length: number): Span {
  const rim = RIM * (to - from)
  const first = Math.min(length - 1, Math.max(0, Math.round(from + rim)))
  return [first, Math.max(first + 1, Math.min(length, Math.round(to - rim)))]
}

function medianColour({ width, data }: Bitmap, [left, right]: Span, [top, bottom]: Span): readonly number[] {
  const channels: number[][] = [[], [], [], []]
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) {
      const at = 4 * (row * width + column)
      const alpha = data[at + 3]!
      channels[3]!.push(alpha)
      // The colour of a nearly clear pixel is noise.
      if (alpha >= 128) for (let channel = 0; channel < 3; channel++) channels[channel]!.push(data[at + channel]!)
    }
  const colour = channels.map((values) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0)
  return colour[3] === 0 ? [0, 0, 0, 0] : colour
}

/** The edges of all cells from one side of a frame to the other, in pixels, ascending. */
function edgesOf(length: number, period: number, origin: number, steps?: Float64Array): readonly number[] {
  const count = Math.max(1, Math.round((length - origin) / period))
  const regular = Array.from({ length: count + 1 }, (_, at) => origin + at * period)
  const reach = Math.floor(REACH * period)
  const total = steps?.reduce((sum, size) => sum + size, 0) ?? 0
  if (!steps || reach === 0 || total === 0) return regular
  const gain = (place: number): number => {
    const at = Math.round(place * PER_PIXEL)
    const size = (steps[at - 1] ?? 0) + (steps[at] ?? 0) + (steps[at + 1] ?? 0)
    return Math.min(MOST_GAIN, (size * (count + 1)) / total)
  }
  return bestEdges(regular, { reach, period, gain })
}

interface Bend {
  readonly reach: number
  readonly period: number
  readonly gain: (place: number) => number
}

/** Chooses the moves of all edges with the greatest gain, by dynamic programming. The first of equal moves wins. */
function bestEdges(regular: readonly number[], { reach, period, gain }: Bend): readonly number[] {
  const moves = Array.from({ length: 2 * reach + 1 }, (_, at) => at - reach)
  const costOf = (px: number, cost: number): number => cost * ((4 * px) / period) ** 2
  let sums: readonly number[] = moves.map(() => 0)
  const chosen: (readonly number[])[] = []
  for (const [edge, place] of regular.entries()) {
    const before = sums
    const from = moves.map((move) => {
      let best = 0
      const scoreOf = (other: number): number => before[other]! - costOf(move - moves[other]!, UNEVEN)
      if (edge > 0) for (let other = 1; other < moves.length; other++) if (scoreOf(other) > scoreOf(best)) best = other
      return best
    })
    sums = moves.map((move, at) => {
      const uneven = edge === 0 ? 0 : costOf(move - moves[from[at]!]!, UNEVEN)
      return (edge === 0 ? 0 : before[from[at]!]!) + gain(place + move) - costOf(move, OFF) - uneven
    })
    chosen.push(from)
  }
  let at = sums.indexOf(Math.max(...sums))
  const edges: number[] = []
  for (let edge = regular.length - 1; edge >= 0; edge--) {
    edges.unshift(regular[edge]! + moves[at]!)
    at = chosen[edge]![at]!
  }
  return edges
}
