import { type Bitmap, createBitmap } from '../bitmap.ts'
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
  const columns = edgesOf(frame.width, period, x, slip.x)
  const rows = edgesOf(frame.height, period, y, slip.y)
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
function edgesOf(length: number, period: number, origin: number, slip: number): readonly number[] {
  const count = Math.max(1, Math.round((length - origin) / period))
  return Array.from({ length: count + 1 }, (_, at) => origin + slip + at * period)
}
