import type { Bitmap } from '../bitmap.ts'

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
  return {
    across: addSteps(frame, { length: width, lines: height, step: 4, next: 4 * width }),
    down: addSteps(frame, { length: height, lines: width, step: 4 * width, next: 4 }),
  }
}

interface Way {
  /** Pixels of a line. */
  readonly length: number
  readonly lines: number
  /** Bytes from a pixel of a line to the next pixel, and from a line to the next line. */
  readonly step: number
  readonly next: number
}

function addSteps(frame: Bitmap, way: Way): Float64Array {
  const { length, lines } = way
  const sums = new Float64Array(PER_PIXEL * length + 1)
  const sizes = new Float64Array(length + 1)
  const least = Math.max(LEAST, OVER_NOISE * usualStep(frame, way))
  for (let line = 0; line < lines; line++) {
    for (let at = 1; at < length; at++) sizes[at] = stepAt(frame, way, line, at)
    for (let at = 1; at < length; at++) {
      const [before, size, after] = [sizes[at - 1]!, sizes[at]!, sizes[at + 1]!]
      if (size < least || size < before || size <= after) continue
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

/** The difference of the two pixels after an edge and the two before it, over premultiplied colour and alpha. */
function stepAt({ data }: Bitmap, { length, step, next }: Way, line: number, at: number): number {
  const from = line * next
  const [a, b] = [from + step * Math.max(0, at - 2), from + step * (at - 1)]
  const [c, d] = [from + step * at, from + step * Math.min(length - 1, at + 1)]
  const [e, f, g, h] = [data[a + 3]!, data[b + 3]!, data[c + 3]!, data[d + 3]!]
  if (e + f + g + h === 0) return 0
  let sum = 0
  for (let channel = 0; channel < 3; channel++)
    sum += Math.abs(data[c + channel]! * g + data[d + channel]! * h - data[a + channel]! * e - data[b + channel]! * f)
  return (sum / 255 + Math.abs(g + h - e - f)) / 2
}

/** The first quartile of all steps between opaque pixels. In pixel art, most pixels are like their neighbours. */
function usualStep(frame: Bitmap, way: Way): number {
  const { data } = frame
  const counts = new Uint32Array(RANGE)
  let all = 0
  for (let line = 0; line < way.lines; line++)
    for (let at = 2; at + 1 < way.length; at++) {
      const from = line * way.next + way.step * at + 3
      if (data[from - 2 * way.step]! < 255 || data[from - way.step]! < 255 || data[from]! < 255 || data[from + way.step]! < 255) continue
      counts[Math.min(RANGE - 1, Math.floor(stepAt(frame, way, line, at)))]!++
      all++
    }
  let [size, passed] = [0, 0]
  while (size < RANGE - 1 && passed + counts[size]! < all / 4) passed += counts[size++]!
  return size
}
