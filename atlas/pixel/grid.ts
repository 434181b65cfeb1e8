import { type ColourSteps, PER_PIXEL } from './steps.ts'

/** The grid of pixel art: cells that are squares of one size, each one pixel of the art. */
export interface PixelGrid {
  /** Width and height of a cell, in pixels; may be a fraction. */
  readonly period: number
  /** Left edge of the first cell, in pixels; at most half a cell beside the edge of the frame. */
  readonly x: number
  /** Top edge of the first cell. */
  readonly y: number
}

/** The smallest and the largest cell that is found, in pixels. */
export const cellRange = { least: 4, most: 32 } as const

/** A grid is found if so much of the steps' power has its period: 0 for edges anywhere, 1 for edges on the grid alone. */
const LEAST_SHARE = 0.06

/**
 * Of several periods, the largest with this share of the strongest one is the cell: a half or a third of a period
 * fits the same edges.
 */
const NEARLY = 0.6

/** Steps nearer than this may be of one blurred edge, in pixels. */
const NEAR = 2

/**
 * Finds the grid of a sprite: one period and one origin for all of its frames. The period is the strongest one in the
 * autocorrelation of all colour steps, so that frames which slipped and edges that drift do not disturb it.
 *
 * @param period The width of a cell, if it is known.
 * @returns `undefined` if the frames have no grid.
 * @see Wiener–Khinchin theorem: the cosine transform of an autocorrelation is the power at each period.
 */
export function findGrid(frames: readonly ColourSteps[], period?: number): PixelGrid | undefined {
  const found = period ?? findPeriod(frames.flatMap(({ across, down }) => [across, down]))
  if (found === undefined) return undefined
  const originOf = (lines: readonly Float64Array[]): number => phaseOf(lines, found)
  return { period: found, x: originOf(frames.map(({ across }) => across)), y: originOf(frames.map(({ down }) => down)) }
}

/** A distance in pixels. */
export interface Slip {
  readonly x: number
  readonly y: number
}

/** How far the cells of one frame slipped from the grid of its sprite, at most half a cell. */
export function slipOf({ across, down }: ColourSteps, { period, x, y }: PixelGrid): Slip {
  const nearest = (px: number): number => px - period * Math.round(px / period)
  return { x: nearest(phaseOf([across], period) - x), y: nearest(phaseOf([down], period) - y) }
}

function findPeriod(lines: readonly Float64Array[]): number | undefined {
  const longest = Math.max(0, ...lines.map(({ length }) => length))
  const correlation = new Float64Array(longest)
  let total = 0
  for (const line of lines) {
    total += line.reduce((sum, size) => sum + size, 0) ** 2
    correlate(line, correlation)
  }
  if (total === 0) return undefined
  const share = (period: number): number => {
    const turn = (2 * Math.PI) / (PER_PIXEL * period)
    let sum = 0
    for (let lag = PER_PIXEL * NEAR; lag < longest; lag++) sum += correlation[lag]! * Math.cos(turn * lag)
    return (2 * sum) / total
  }
  const peaks = peaksOf(share, longest / PER_PIXEL)
  const best = Math.max(...peaks.map((peak) => peak.share))
  return best < LEAST_SHARE ? undefined : peaks.find((peak) => peak.share >= NEARLY * best)!.period
}

function correlate(line: Float64Array, into: Float64Array): void {
  for (let from = 0; from < line.length; from++) {
    const size = line[from]!
    if (size === 0) continue
    for (let to = from + PER_PIXEL * NEAR; to < line.length; to++) into[to - from]! += size * line[to]!
  }
}

/** Periods whose share is above that of their neighbours, largest period first. `length` is the longest side. */
function peaksOf(share: (period: number) => number, length: number): { readonly period: number; readonly share: number }[] {
  const { least, most } = cellRange
  // An eighth of a wave over the whole frame is too little to miss a peak.
  const count = Math.ceil(8 * length * (1 / (least - 0.3) - 1 / (most + 4)))
  const tried = Array.from({ length: count }, (_, at) => {
    const period = 1 / (1 / (most + 4) + at / (8 * length))
    return { period, share: share(period) }
  })
  return tried.filter((one, at) => at > 0 && at < count - 1 && one.share > tried[at - 1]!.share && one.share >= tried[at + 1]!.share)
}

/** The origin at which most steps are on edges of cells, in pixels, from -period / 2 to period / 2. */
function phaseOf(lines: readonly Float64Array[], period: number): number {
  const turn = (2 * Math.PI) / (PER_PIXEL * period)
  let [real, imaginary] = [0, 0]
  for (const line of lines)
    for (const [at, size] of line.entries()) {
      if (size === 0) continue
      real += size * Math.cos(turn * at)
      imaginary += size * Math.sin(turn * at)
    }
  return (Math.atan2(imaginary, real) * period) / (2 * Math.PI)
}
