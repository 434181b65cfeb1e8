import { endOfSeen, firstSeen } from '../frames/trim.ts'
import { type ColourCount, countColour } from './colour.ts'
import { lightOf } from './rim.ts'

/** Least alpha of a pixel of the figure. */
export const SOLID = 128
/** Least alpha of a visible pixel. */
const VISIBLE = 16
/** Cells per side of a thumbnail. */
const SIDE = 32
/**
 * Numbers per row of cells. Loops run row by row, since the engine would compile a long loop twice.
 */
const ROW = 2 * SIDE

/** One row of samples. Its numbers are indices into the pixels of the frame. */
export interface SampledRow {
  readonly pixels: Int32Array
  /** The first pixel of the row. */
  readonly from: number
  /** The first visible pixel, and the pixel after the last visible one. Both are after the row if none is visible. */
  readonly first: number
  readonly end: number
  /** The first sample that may be visible. */
  readonly sample: number
  /** Distance between two samples. */
  readonly step: number
}

/** Samples a row of a frame: every `step`-th pixel. */
export function sampleRow(pixels: Int32Array, from: number, width: number, step: number): SampledRow {
  const first = firstSeen(pixels, from, from + width, VISIBLE - 1)
  const end = endOfSeen(pixels, first, from + width, VISIBLE - 1)
  const lead = from + (step >> 1)
  return { pixels, from, first, end, sample: lead + step * Math.max(0, Math.ceil((first - lead) / step)), step }
}

/**
 * Counts the solid samples of a row, by columns and by colours.
 *
 * @returns The number of solid samples.
 */
export function countSolid({ pixels, from, sample, end, step }: SampledRow, columns: Int32Array, colours: ColourCount): number {
  let solid = 0
  for (let at = sample; at < end; at += step) {
    const pixel = pixels[at]!
    if (pixel >>> 24 < SOLID) continue
    solid++
    columns[at - from]!++
    countColour(colours, pixel)
  }
  return solid
}

/** Sums for the thumbnail of a frame. */
export interface Cells {
  readonly width: number
  readonly height: number
  /** Column → index of its cell in a row of cells. */
  readonly across: Int32Array
  /** Two numbers per cell: alpha, and light weighted by alpha. */
  readonly sums: Int32Array
}

/** Returns empty sums for a frame of this size. */
export function createCells(width: number, height: number): Cells {
  const across = new Int32Array(width)
  for (let x = 0; x < width; x++) across[x] = 2 * Math.floor((x * SIDE) / width)
  return { width, height, across, sums: new Int32Array(SIDE * ROW) }
}

/**
 * Adds a row of samples.
 *
 * @returns The number of half-clear samples.
 */
export function addToCells({ pixels, from, sample, end, step }: SampledRow, { height, across, sums }: Cells, y: number): number {
  const row = ROW * Math.floor((y * SIDE) / height)
  let half = 0
  for (let at = sample; at < end; at += step) {
    const pixel = pixels[at]!
    const alpha = pixel >>> 24
    if (alpha < VISIBLE) continue
    if (alpha < 250) half++
    const cell = row + across[at - from]!
    sums[cell]! += alpha
    sums[cell + 1]! += (alpha * lightOf(pixel)) >> 8
  }
  return half
}

/** Thumbnail of a frame, for comparisons. */
export interface Thumb {
  /** Mean alpha and mean light of each cell, 0 to 255. */
  readonly cells: Float32Array
  /** Sum of all cells. */
  readonly total: number
}

/** Returns the thumbnail of a frame whose every `step`-th pixel of every `step`-th row was added. */
export function thumbOf({ width, height, sums }: Cells, step: number): Thumb {
  const cells = new Float32Array(sums.length)
  const perCell = (step * step * SIDE * SIDE) / (width * height)
  let total = 0
  for (let from = 0; from < cells.length; from += ROW) total += scaleRow(sums, perCell, from, cells)
  return { cells, total }
}

/** Difference of two thumbnails, in percent of the content of both. */
export function difference(a: Thumb, b: Thumb): number {
  let apart = 0
  for (let from = 0; from < a.cells.length; from += ROW) apart += rowsApart(a.cells, b.cells, from)
  const together = a.total + b.total
  return together === 0 ? 0 : (200 * apart) / together
}

function scaleRow(sums: Int32Array, factor: number, from: number, cells: Float32Array): number {
  let total = 0
  for (let at = from; at < from + ROW; at++) {
    cells[at] = sums[at]! * factor
    total += cells[at]!
  }
  return total
}

function rowsApart(a: Float32Array, b: Float32Array, from: number): number {
  let apart = 0
  for (let at = from; at < from + ROW; at++) apart += Math.abs(a[at]! - b[at]!)
  return apart
}
