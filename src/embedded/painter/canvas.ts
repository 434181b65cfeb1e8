import { type Bitmap, createBitmap } from '../../../atlas/index.ts'
import type { Polyline } from './path.ts'

/** How much of each pixel of a rectangle a shape covers, 0 to 1. */
export interface Mask {
  /** Left and top edge on the canvas, pixels. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly cover: Float32Array
}

/** A colour, channels 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** Lines of samples in a pixel row; along a row the coverage is exact. */
const ROWS = 4

/** Coverage of polygons by the nonzero rule, cut to a canvas of so many pixels. */
export function maskOf(lines: readonly Polyline[], canvasWidth: number, canvasHeight: number): Mask {
  const edges = edgesOf(lines)
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { x0, y0, x1, y1 } of edges) {
    left = Math.min(left, x0, x1)
    right = Math.max(right, x0, x1)
    top = Math.min(top, y0)
    bottom = Math.max(bottom, y1)
  }
  const x = Math.max(0, Math.floor(left))
  const y = Math.max(0, Math.floor(top))
  const width = Math.max(0, Math.min(canvasWidth, Math.ceil(right)) - x)
  const height = Math.max(0, Math.min(canvasHeight, Math.ceil(bottom)) - y)
  const cover = new Float32Array(width * height)
  addSpans({ x, y, width, height, cover }, edges)
  return { x, y, width, height, cover }
}

interface Edge {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
  /** 1 where the polygon runs downwards. */
  readonly turn: 1 | -1
}

function edgesOf(lines: readonly Polyline[]): Edge[] {
  const edges: Edge[] = []
  for (const { points } of lines)
    for (let at = 0; at < points.length; at += 2) {
      const next = (at + 2) % points.length
      const [x0, y0, x1, y1] = [points[at]!, points[at + 1]!, points[next]!, points[next + 1]!]
      if (y0 < y1) edges.push({ x0, y0, x1, y1, turn: 1 })
      else if (y1 < y0) edges.push({ x0: x1, y0: y1, x1: x0, y1: y0, turn: -1 })
    }
  return edges
}

/** Where edges cross the lines of samples: those of line `n` from `starts[n]` to `starts[n + 1]`, from left to right. */
interface Crossings {
  readonly starts: Int32Array
  readonly xs: Float64Array
  readonly turns: Int8Array
}

/** @param top Upper edge of the first line's pixel. */
function crossingsOf(edges: readonly Edge[], top: number, count: number): Crossings {
  const starts = new Int32Array(count + 1)
  for (const edge of edges) for (let row = firstLine(edge, top), end = lineAfter(edge, top, count); row < end; row++) starts[row + 1]!++
  for (let row = 0; row < count; row++) starts[row + 1]! += starts[row]!
  const xs = new Float64Array(starts[count]!)
  const turns = new Int8Array(xs.length)
  const filled = starts.slice()
  for (const edge of edges) {
    const { x0, y0, x1, y1, turn } = edge
    for (let row = firstLine(edge, top), end = lineAfter(edge, top, count); row < end; row++) {
      const x = x0 + ((lineAt(top, row) - y0) / (y1 - y0)) * (x1 - x0)
      let at = filled[row]!++
      for (; at > starts[row]! && xs[at - 1]! > x; at--) {
        xs[at] = xs[at - 1]!
        turns[at] = turns[at - 1]!
      }
      xs[at] = x
      turns[at] = turn
    }
  }
  return { starts, xs, turns }
}

function lineAt(top: number, row: number): number {
  return top + (row + 0.5) / ROWS
}

function firstLine({ y0 }: Edge, top: number): number {
  let row = Math.max(0, Math.floor((y0 - top) * ROWS) - 1)
  while (lineAt(top, row) < y0) row++
  return row
}

function lineAfter({ y1 }: Edge, top: number, count: number): number {
  let row = Math.max(0, Math.floor((y1 - top) * ROWS) - 1)
  while (lineAt(top, row) < y1) row++
  return Math.min(count, row)
}

function addSpans({ x, y, width, height, cover }: Mask, edges: readonly Edge[]): void {
  const { starts, xs, turns } = crossingsOf(edges, y, height * ROWS)
  for (let row = 0; row < height * ROWS; row++) {
    const from = Math.floor(row / ROWS) * width
    const line = cover.subarray(from, from + width)
    let winding = 0
    let start = 0
    for (let at = starts[row]!; at < starts[row + 1]!; at++) {
      if (winding === 0) start = xs[at]!
      winding += turns[at]!
      if (winding === 0) addSpan(line, start - x, xs[at]! - x)
    }
  }
}

function addSpan(line: Float32Array, from: number, to: number): void {
  const [left, right] = [Math.max(0, from), Math.min(line.length, to)]
  for (let pixel = Math.floor(left); pixel < right; pixel++)
    line[pixel]! += pixel >= left && pixel + 1 <= right ? 1 / ROWS : Math.max(0, Math.min(pixel + 1, right) - Math.max(pixel, left)) / ROWS
}

/** Coverage at a pixel of a mask; 0 outside of it. */
function coverAt({ width, height, cover }: Mask, column: number, row: number): number {
  return column < 0 || row < 0 || column >= width || row >= height ? 0 : Math.min(1, cover[row * width + column]!)
}

/**
 * Lays a colour over a picture where a mask says. Straight alpha.
 *
 * @param edge Only on the edge of the mask from which so many pixels to the right and down lead out of it. @default everywhere
 */
export function layOver(
  { width, data }: Bitmap,
  mask: Mask,
  [red, green, blue]: Rgb,
  opacity: number = 1,
  edge?: { readonly x: number; readonly y: number },
): void {
  const [plainRed, plainGreen, plainBlue] = [Math.round(red), Math.round(green), Math.round(blue)]
  for (let row = 0; row < mask.height; row++)
    for (let column = 0, place = row * mask.width; column < mask.width; column++, place++) {
      const covered = mask.cover[place]!
      if (covered === 0) continue
      let cover = Math.min(1, covered) * opacity
      if (edge !== undefined) cover *= 1 - coverAt(mask, column + edge.x, row + edge.y)
      if (cover <= 0.002) continue
      const at = ((mask.y + row) * width + mask.x + column) * 4
      if (cover === 1) {
        // Most pixels of a shape: nothing of what lies under it is left.
        data[at] = plainRed
        data[at + 1] = plainGreen
        data[at + 2] = plainBlue
        data[at + 3] = 255
        continue
      }
      const under = (data[at + 3]! / 255) * (1 - cover)
      const alpha = cover + under
      data[at] = Math.round((red * cover + data[at]! * under) / alpha)
      data[at + 1] = Math.round((green * cover + data[at + 1]! * under) / alpha)
      data[at + 2] = Math.round((blue * cover + data[at + 2]! * under) / alpha)
      data[at + 3] = Math.round(alpha * 255)
    }
}

/** A clear picture, or a copy of one, to paint on. */
export function canvasFrom(width: number, height: number, source?: Bitmap): Bitmap {
  return createBitmap(width, height, source === undefined ? undefined : Uint8Array.from(source.data))
}
