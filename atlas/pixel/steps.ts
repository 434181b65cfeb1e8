import { type Bitmap, pixelsOf } from '../bitmap.ts'

/**
 * Where the colours of a frame change: for each half pixel from one side to the other, the sum of the steps whose
 * middle is there.
 */
export interface ColourSteps {
  /** From left to right; `2 * width + 1` numbers. */
  readonly across: Float64Array
  /** From top to bottom; `2 * height + 1` numbers. */
  readonly down: Float64Array
}

/** Numbers of {@link ColourSteps} for each pixel. */
export const PER_PIXEL = 2

/** A step counts if it is larger than the noise: so many times the first quartile of all steps in opaque areas. */
const OVER_NOISE = 3

/** The smallest step that counts, and the most that one step counts, in sums of four channels. */
const [LEAST, MOST] = [16, 200]

/** The size of the largest step plus one. */
const RANGE = 1024

/** Finds the colour steps of a frame. Blurred edges count at their middle, and noise does not count. */
export function colourSteps(frame: Bitmap): ColourSteps {
  const { width, height } = frame
  const pixels = pixelsOf(frame)
  let [left, top, right, bottom] = [width, height, 0, 0]
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      if (pixels[at] === 0) continue
      if (x < left) left = x
      if (x >= right) right = x + 1
      if (y < top) top = y
      bottom = y + 1
    }
  return {
    across: addSteps(pixels, { length: width, from: left, to: right, step: 1, first: top, end: bottom, next: width }),
    down: addSteps(pixels, { length: height, from: top, to: bottom, step: width, first: left, end: right, next: 1 }),
  }
}

interface Way {
  /** Pixels of a line. */
  readonly length: number
  /** The visible pixels of a line, from `from` up to `to`. */
  readonly from: number
  readonly to: number
  /** The visible lines, from `first` up to `end`. */
  readonly first: number
  readonly end: number
  /** Pixels from a pixel of a line to its next pixel, and from a line to the next line. */
  readonly step: number
  readonly next: number
}

function addSteps(pixels: Uint32Array, way: Way): Float64Array {
  const { length, from, to, first, end } = way
  const sums = new Float64Array(PER_PIXEL * length + 1)
  const { sizes, stride, usual } = stepSizes(pixels, way)
  const least = Math.max(LEAST, OVER_NOISE * usual)
  for (let line = first; line < end; line++) {
    const start = (line - first) * stride + 2 - from
    for (let at = Math.max(1, from - 1); at < length && at < to + 2; at++) {
      const size = sizes[start + at]!
      if (size < least) continue
      const [before, after] = [sizes[start + at - 1]!, sizes[start + at + 1]!]
      if (size < before || size <= after) continue
      // The vertex of the parabola through three steps.
      const bend = before - 2 * size + after
      const place = PER_PIXEL * (at + (bend === 0 ? 0 : (before - after) / (2 * bend)))
      const cell = Math.floor(place)
      const counted = Math.min(size - least, MOST)
      sums[cell]! += counted * (cell + 1 - place)
      if (cell + 1 < sums.length) sums[cell + 1]! += counted * (place - cell)
    }
  }
  return sums
}

/**
 * The steps of all visible lines, `stride` numbers for each, the first two pixels before `from`. The usual one is the
 * first quartile between opaque pixels: in pixel art, most pixels are like their neighbours.
 */
function stepSizes(pixels: Uint32Array, { length, from, to, step, first, end, next }: Way) {
  const stride = to - from + 5
  const sizes = new Float64Array(Math.max(0, end - first) * stride)
  const counts = new Uint32Array(RANGE)
  let all = 0
  for (let line = first; line < end; line++)
    for (let at = Math.max(1, from - 1); at < length && at < to + 2; at++) {
      const place = line * next + at * step
      const [a, b] = [pixels[at < 2 ? place - step : place - 2 * step]!, pixels[place - step]!]
      const [c, d] = [pixels[place]!, pixels[at + 1 < length ? place + step : place]!]
      const size = a === c && b === d ? 0 : sizeOf(a, b, c, d)
      sizes[(line - first) * stride + 2 - from + at] = size
      if ((a & b & c & d) >>> 24 < 255 || at < 2 || at + 1 === length) continue
      counts[Math.min(RANGE - 1, Math.floor(size))]!++
      all++
    }
  let [usual, passed] = [0, 0]
  while (usual < RANGE - 1 && passed + counts[usual]! < all / 4) passed += counts[usual++]!
  return { sizes, stride, usual }
}

/** The difference of two pixels and the two before them, over premultiplied colour and alpha. */
function sizeOf(a: number, b: number, c: number, d: number): number {
  const [e, f, g, h] = [a >>> 24, b >>> 24, c >>> 24, d >>> 24]
  let sum = 0
  for (let bits = 0; bits < 24; bits += 8)
    sum += Math.abs(((c >>> bits) & 255) * g + ((d >>> bits) & 255) * h - ((a >>> bits) & 255) * e - ((b >>> bits) & 255) * f)
  return (sum / 255 + Math.abs(g + h - e - f)) / 2
}
