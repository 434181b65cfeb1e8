import type { Bitmap } from '../bitmap.ts'
import { pixelsOf } from '../frames/trim.ts'
import { type ColourCount, countColours, type FrameColours, takeColours } from './colour.ts'
import { createRim } from './rim.ts'
import { addToCells, countSolid, createCells, SOLID, sampleRow, type Thumb, thumbOf } from './samples.ts'

/** What one pass over a frame finds out about it. Lengths in pixels of the frame, y downwards. */
export interface FrameMeasure {
  readonly width: number
  readonly height: number
  /** Pixels of the figure: alpha 128 and over. 0 in a blank frame, where all places below are 0 too. */
  readonly area: number
  /** Lowest and highest row of the figure; single specks do not count. */
  readonly foot: number
  readonly head: number
  /** First and last column of the figure, likewise. */
  readonly left: number
  readonly right: number
  /** Median column of the body: only columns over {@link CORE_SHARE} of the tallest one count, so that arms and tails do not move it. */
  readonly core: number
  /** Centre of mass. */
  readonly centreX: number
  readonly centreY: number
  /** How far the figure's pixels lie from its centre: the geometric mean of both standard deviations. */
  readonly spread: number
  /** 0 to 1: part of the outline whose rim is lighter than the figure beside it, or of a key colour. */
  readonly rim: number
  /** Longest stretch of the figure on each edge of the canvas: top, right, bottom, left. */
  readonly contacts: readonly [number, number, number, number]
  /** 0 to 1: part of the canvas's edge that is not clear (alpha 8 and over). */
  readonly border: number
  readonly colours: FrameColours
  readonly thumb: Thumb
  /** Whether its edges are hard, as those of pixel art: next to no pixel is half clear. */
  readonly isHard: boolean
}

const CORE_SHARE = 0.6
/** Solid pixels that a row or column must have to count as a part of the figure: fewer are sparks and dust. */
const SPECK = 3
/** Alpha from which on a pixel of the canvas's edge is covered. */
const COVERED = 8

/** Samples a side that are enough for places, colours and light; the ends of the figure are looked up to the pixel. */
const SAMPLES = 64

/** Measures frames of one size. What is shown twice is measured once, as a third of what is drawn for games is. */
export function measureFrames(frames: readonly Bitmap[]): readonly FrameMeasure[] {
  const scratch = countColours()
  const measures: FrameMeasure[] = []
  for (const frame of frames) {
    const twin = frames.findIndex(({ data }) => Buffer.compare(data, frame.data) === 0)
    measures.push(measures[twin] ?? measureFrame(frame, scratch))
  }
  return measures
}

/**
 * Measures a frame: every pixel of small ones, a grid of samples of larger ones. At 128 × 128 about a tenth of a millisecond.
 *
 * Loops over pixels are functions of their own here: one animation is enough for them to be compiled for speed, and with them all that stands around, which took
 * several times as long as the looking.
 *
 * @param scratch Empty counters, empty again afterwards, so that one lot serves all frames.
 */
function measureFrame(frame: Bitmap, scratch: ColourCount): FrameMeasure {
  const { width, height } = frame
  const pixels = pixelsOf(frame)
  const step = Math.max(1, Math.floor(Math.min(width, height) / SAMPLES))
  const rows = new Int32Array(height)
  const columns = new Int32Array(width)
  const cells = createCells(width, height)
  const rim = createRim(pixels, Math.max(3, Math.round(height / 40)))
  let soft = 0
  for (let y = step >> 1; y < height; y += step) {
    const row = sampleRow(pixels, y * width, width, step)
    soft += addToCells(row, cells, y)
    rows[y] = countSolid(row, columns, scratch)
    if (rows[y]! > 0) rim.look(row.first, row.end)
  }
  const place = placeOf(rows, columns, step)
  return {
    width,
    height,
    ...place,
    ...endsOf(pixels, width, height, rows, columns, step),
    rim: rim.share(),
    ...edgesOf(pixels, width, height),
    colours: takeColours(scratch),
    thumb: thumbOf(cells, step),
    isHard: soft * step * step < place.area / 100,
  }
}

type Place = Pick<FrameMeasure, 'area' | 'core' | 'centreX' | 'centreY' | 'spread'>

function placeOf(rows: Int32Array, columns: Int32Array, step: number): Place {
  const across = momentsOf(columns)
  const down = momentsOf(rows)
  return {
    area: across.sum * step * step,
    core: coreOf(columns, step),
    centreX: across.mean,
    centreY: down.mean,
    spread: Math.sqrt(across.deviation * down.deviation),
  }
}

function momentsOf(counts: Int32Array): { sum: number; mean: number; deviation: number } {
  let sum = 0
  let first = 0
  let second = 0
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at]!
    sum += count
    first += count * at
    second += count * at * at
  }
  if (sum === 0) return { sum, mean: 0, deviation: 0 }
  const mean = first / sum
  return { sum, mean, deviation: Math.sqrt(Math.max(0, second / sum - mean * mean)) }
}

function coreOf(columns: Int32Array, step: number): number {
  let tallest = 0
  for (const count of columns) tallest = Math.max(tallest, count)
  const least = tallest * CORE_SHARE
  let sum = 0
  for (const count of columns) if (count > 0 && count >= least) sum += count
  let passed = 0
  for (let x = 0; x < columns.length; x++) {
    const count = columns[x]!
    if (count === 0 || count < least) continue
    // Between two columns by how much of this one is still on the left half: a median that moves smoothly.
    if (passed + count >= sum / 2) return x + step * ((sum / 2 - passed) / count - 0.5)
    passed += count
  }
  return 0
}

/** First and last rows and columns of the figure, to the pixel: from the first sample that has any, outwards and inwards. */
function endsOf(
  pixels: Int32Array,
  width: number,
  height: number,
  rows: Int32Array,
  columns: Int32Array,
  step: number,
): Pick<FrameMeasure, 'foot' | 'head' | 'left' | 'right'> {
  const search = (length: number, sampled: Int32Array, solidIn: (at: number) => number): [first: number, last: number] => {
    // Samples are pixels too: where enough of them are solid, no more are looked at.
    const holds = (at: number): boolean => sampled[at]! >= SPECK || solidIn(at) >= SPECK
    let first = Math.max(0, sampled.findIndex((count) => count > 0) - step)
    while (first < length && !holds(first)) first++
    if (first === length) return [0, 0]
    let last = Math.min(length - 1, sampled.findLastIndex((count) => count > 0) + step)
    while (!holds(last)) last--
    return [first, last]
  }
  if (rows.every((count) => count === 0)) return { head: 0, foot: 0, left: 0, right: 0 }
  const size = width * height
  const [head, foot] = search(height, rows, (y) => countFrom(SOLID, pixels, y * width, (y + 1) * width, 1))
  const [left, right] = search(width, columns, (x) => countFrom(SOLID, pixels, x, size, width))
  return { head, foot, left, right }
}

function edgesOf(pixels: Int32Array, width: number, height: number): Pick<FrameMeasure, 'contacts' | 'border'> {
  let covered = 0
  const contact = (from: number, to: number, step: number): number => {
    const count = countFrom(COVERED, pixels, from, to, step)
    covered += count
    return count === 0 ? 0 : longestSolid(pixels, from, to, step)
  }
  const size = width * height
  const contacts = [contact(0, width, 1), contact(width - 1, size, width), contact(size - width, size, 1), contact(0, size, width)] as const
  return { contacts, border: covered / (2 * (width + height)) }
}

/** How many of every `step`-th pixel have this alpha or more. */
function countFrom(alpha: number, pixels: Int32Array, from: number, to: number, step: number): number {
  let count = 0
  for (let at = from; at < to; at += step) if (pixels[at]! >>> 24 >= alpha) count++
  return count
}

/** Length of the longest stretch of the figure. */
function longestSolid(pixels: Int32Array, from: number, to: number, step: number): number {
  let longest = 0
  let run = 0
  for (let at = from; at < to; at += step) {
    run = pixels[at]! >>> 24 < SOLID ? 0 : run + 1
    if (run > longest) longest = run
  }
  return longest
}
