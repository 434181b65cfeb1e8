import type { Bitmap } from '../bitmap.ts'
import { pixelsOf } from '../frames/trim.ts'
import { type ColourCount, countColours, type FrameColours, takeColours } from './colour.ts'
import { createRim } from './rim.ts'
import { addToCells, countSolid, createCells, SOLID, sampleRow, type Thumb, thumbOf } from './samples.ts'

/** Measurements of a frame, made in one pass. Lengths are in pixels of the frame; y grows downwards. */
export interface FrameMeasure {
  readonly width: number
  readonly height: number
  /** Pixels of the figure: alpha 128 and above. In a blank frame, area and all positions below are 0. */
  readonly area: number
  /** Lowest and highest row of the figure, without single specks. */
  readonly foot: number
  readonly head: number
  /** First and last column of the figure, without single specks. */
  readonly left: number
  readonly right: number
  /**
   * Median column of the body. Only columns with at least {@link CORE_SHARE} of the tallest column count, so that
   * arms and tails do not move the median.
   */
  readonly core: number
  /** Centre of mass. */
  readonly centreX: number
  readonly centreY: number
  /** Distance of the figure's pixels from its centre: the geometric mean of both standard deviations. */
  readonly spread: number
  /** Share of the outline, 0 to 1, whose rim is lighter than the figure next to it or has a key colour. */
  readonly rim: number
  /** Longest run of the figure along each edge of the canvas: top, right, bottom, left. */
  readonly contacts: readonly [number, number, number, number]
  /** Share of the canvas's edge, 0 to 1, that is covered (alpha 8 and above). */
  readonly border: number
  readonly colours: FrameColours
  readonly thumb: Thumb
  /** Whether the figure's edges are hard as in pixel art, with almost no half-clear pixels. */
  readonly isHard: boolean
  /** Whether the figure is half-clear, as in a fade. Then its colours are mixed with others. */
  readonly isFaint: boolean
}

const CORE_SHARE = 0.6
/** Least number of solid pixels in a row or column of the figure. Fewer are sparks and dust. */
const SPECK = 3
/** Least alpha of a covered pixel on the canvas's edge. */
const COVERED = 8

/** Samples per side, enough for positions, colours and light. The ends of the figure are exact to the pixel. */
const SAMPLES = 64

/**
 * Measures frames of one size. Equal frames are measured once; about a third of all frames of game animations
 * repeat.
 */
export function measureFrames(frames: readonly Bitmap[]): readonly FrameMeasure[] {
  const scratch = countColours()
  const measures: FrameMeasure[] = []
  for (const frame of frames) {
    const first = frames.findIndex(({ data }) => Buffer.compare(data, frame.data) === 0)
    measures.push(measures[first] ?? measureFrame(frame, scratch))
  }
  return measures
}

/**
 * Measures a frame: every pixel of a small frame, a grid of samples of a larger frame. A frame of 128 × 128 takes
 * about a tenth of a millisecond.
 *
 * Loops over pixels are separate functions, which the compiler optimises during the first animation. If such
 * a loop were inside a larger function, the compiler would optimise the whole function. That takes several
 * times as long as the measuring.
 *
 * @param scratch Empty counters, empty again afterwards, so that all frames share them.
 */
function measureFrame(frame: Bitmap, scratch: ColourCount): FrameMeasure {
  const { width, height } = frame
  const pixels = pixelsOf(frame)
  const step = Math.max(1, Math.floor(Math.min(width, height) / SAMPLES))
  const rows = new Int32Array(height)
  const columns = new Int32Array(width)
  const cells = createCells(width, height)
  const rim = createRim(pixels, Math.max(1, Math.round(height / 40)))
  let soft = 0
  for (let y = step >> 1; y < height; y += step) {
    const row = sampleRow(pixels, y * width, width, step)
    soft += addToCells(row, cells, y)
    rows[y] = countSolid(row, columns, scratch)
    if (rows[y]! > 0) rim.addRow(row.first, row.end, row.from, width)
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
    isFaint: soft * step * step > place.area * 0.8,
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
    // Interpolated within the column by its share in the left half, so that the median moves smoothly.
    if (passed + count >= sum / 2) return x + step * ((sum / 2 - passed) / count - 0.5)
    passed += count
  }
  return 0
}

/**
 * First and last rows and columns of the figure, exact to the pixel. The search starts one sample outside of
 * the first sample with a solid pixel.
 */
function endsOf(
  pixels: Int32Array,
  width: number,
  height: number,
  rows: Int32Array,
  columns: Int32Array,
  step: number,
): Pick<FrameMeasure, 'foot' | 'head' | 'left' | 'right'> {
  const search = (length: number, sampled: Int32Array, solidIn: (at: number) => number): [first: number, last: number] => {
    // Samples are pixels too: if enough of them are solid, the other pixels are not read.
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

/** Counts the pixels with at least this alpha, of every `step`-th pixel. */
function countFrom(alpha: number, pixels: Int32Array, from: number, to: number, step: number): number {
  let count = 0
  for (let at = from; at < to; at += step) if (pixels[at]! >>> 24 >= alpha) count++
  return count
}

/** Length of the longest run of the figure. */
function longestSolid(pixels: Int32Array, from: number, to: number, step: number): number {
  let longest = 0
  let run = 0
  for (let at = from; at < to; at += step) {
    run = pixels[at]! >>> 24 < SOLID ? 0 : run + 1
    if (run > longest) longest = run
  }
  return longest
}
