import { endOfSeen, firstSeen } from '../frames/trim.ts'
import { type ColourCount, countColour } from './colour.ts'
import { lightOf } from './rim.ts'

/** Alpha from which on a pixel belongs to the figure. */
export const SOLID = 128
/** Alpha from which on it is seen at all. */
const VISIBLE = 16
/** Cells a side of a small picture. */
const SIDE = 32
/** Numbers in a row of them. They are gone through row by row: a loop that goes on for long is compiled twice, once more from its middle. */
const ROW = 2 * SIDE

/** One row of samples; places in the pixels of the frame. */
export interface SampledRow {
  readonly pixels: Int32Array
  /** Its first pixel. */
  readonly from: number
  /** Its first visible pixel, and what is behind the last one; both behind the row where none is visible. */
  readonly first: number
  readonly end: number
  /** The first sample that may be visible. */
  readonly sample: number
  /** From one sample to the next. */
  readonly step: number
}

/** A row of a frame, of which every `step`-th pixel is a sample. */
export function sampleRow(pixels: Int32Array, from: number, width: number, step: number): SampledRow {
  const first = firstSeen(pixels, from, from + width, VISIBLE - 1)
  const end = endOfSeen(pixels, first, from + width, VISIBLE - 1)
  const lead = from + (step >> 1)
  return { pixels, from, first, end, sample: lead + step * Math.max(0, Math.ceil((first - lead) / step)), step }
}

/** Counts the solid ones of a row of samples, by columns and by colours. @returns How many they are. */
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

/** Sums for a small picture of a frame. */
export interface Cells {
  readonly width: number
  readonly height: number
  /** Column → first number of its cell in a row of cells. */
  readonly across: Int32Array
  /** Two numbers a cell: alpha, and light as far as alpha lets it through. */
  readonly sums: Int32Array
}

/** Empty sums for a frame of this size. */
export function createCells(width: number, height: number): Cells {
  const across = new Int32Array(width)
  for (let x = 0; x < width; x++) across[x] = 2 * Math.floor((x * SIDE) / width)
  return { width, height, across, sums: new Int32Array(SIDE * ROW) }
}

/** Adds a row of samples. @returns How many are half clear. */
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

/** Small picture for comparing frames. */
export interface Thumb {
  /** For each cell its mean alpha and its mean light, 0 to 255. */
  readonly cells: Float32Array
  /** The sum of all those. */
  readonly total: number
}

/** The small picture of a frame, of which every `step`-th pixel of every `step`-th row was added. */
export function thumbOf({ width, height, sums }: Cells, step: number): Thumb {
  const cells = new Float32Array(sums.length)
  const perCell = (step * step * SIDE * SIDE) / (width * height)
  let total = 0
  for (let from = 0; from < cells.length; from += ROW) total += scaleRow(sums, perCell, from, cells)
  return { cells, total }
}

/** Percent of what both show that differs. */
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
