import { type Bitmap, createBitmap, pixelsOf } from '../bitmap.ts'
import type { PixelGrid, Slip } from './grid.ts'

/** The share of a cell at each side whose pixels do not count, because edges are blurred and drift. */
const RIM = 0.25

/**
 * Turns each cell of a frame into one pixel with the median colour of the cell's middle. A frame of 512 pixels with
 * cells of 8 becomes 64 pixels.
 *
 * @param slip How far the cells of this frame are beside the grid.
 * @returns Frames of one size have one size again. Their sides are at least 1.
 */
export function reduceCells(frame: Bitmap, { period, x, y }: PixelGrid, slip: Slip): Bitmap {
  const columns = spansOf(frame.width, period, x, slip.x)
  const rows = spansOf(frame.height, period, y, slip.y)
  const cells = createBitmap(columns.length, rows.length)
  const [from, to] = [pixelsOf(frame), new Uint32Array(cells.data.buffer)]
  for (const [row, down] of rows.entries())
    for (const [column, across] of columns.entries()) to[row * cells.width + column] = medianColour(from, frame.width, across, down)
  return cells
}

type Span = readonly [from: number, to: number]

/** The median of each channel, as `0xAABBGGRR`. */
function medianColour(pixels: Uint32Array, width: number, [left, right]: Span, [top, bottom]: Span): number {
  let [seen, opaque] = [0, 0]
  for (let row = top; row < bottom; row++)
    for (let at = row * width + left; at < row * width + right; at++) {
      const pixel = pixels[at]!
      const alpha = pixel >>> 24
      if (alpha > 0 && seen++ === 0) counts.fill(0)
      if (alpha > 0) counts[768 + alpha]!++
      // The colour of a nearly clear pixel is noise.
      if (alpha < 128) continue
      opaque++
      for (let channel = 0; channel < 3; channel++) counts[256 * channel + ((pixel >>> (8 * channel)) & 255)]!++
    }
  if (seen === 0) return 0
  const all = (right - left) * (bottom - top)
  counts[768] = all - seen
  const alpha = median(3, all)
  return alpha === 0 ? 0 : (alpha << 24) | (median(2, opaque) << 16) | (median(1, opaque) << 8) | median(0, opaque)
}

/** How many pixels of a cell have each value, of red, green, blue and alpha. */
const counts = new Uint32Array(4 * 256)

function median(channel: number, all: number): number {
  if (all === 0) return 0
  let [value, passed] = [0, counts[256 * channel]!]
  while (passed <= all >> 1) passed += counts[256 * channel + ++value]!
  return value
}

/**
 * The pixels of each cell without its rim, from one side of a frame to the other, ascending; at least one pixel, within
 * the frame.
 */
function spansOf(length: number, period: number, origin: number, slip: number): readonly Span[] {
  return Array.from({ length: Math.max(1, Math.round((length - origin) / period)) }, (_, at): Span => {
    const [from, to] = [origin + slip + at * period, origin + slip + (at + 1) * period]
    const first = Math.min(length - 1, Math.max(0, Math.round(from + RIM * (to - from))))
    return [first, Math.max(first + 1, Math.min(length, Math.round(to - RIM * (to - from))))]
  })
}
