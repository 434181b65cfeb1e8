import { type Bitmap, createBitmap } from '../../atlas/index.ts'
import type { Polyline } from './painter-path.ts'

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
  const [xs, ys] = [edges.flatMap(({ x0, x1 }) => [x0, x1]), edges.flatMap(({ y0, y1 }) => [y0, y1])]
  const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const x = Math.max(0, Math.floor(least(xs)))
  const y = Math.max(0, Math.floor(least(ys)))
  const width = Math.max(0, Math.min(canvasWidth, Math.ceil(most(xs))) - x)
  const height = Math.max(0, Math.min(canvasHeight, Math.ceil(most(ys))) - y)
  const cover = new Float32Array(width * height)
  for (let row = 0; row < height * ROWS; row++) {
    const line = cover.subarray(Math.floor(row / ROWS) * width, (Math.floor(row / ROWS) + 1) * width)
    for (const [from, to] of spansAt(edges, y + (row + 0.5) / ROWS)) addSpan(line, from - x, to - x)
  }
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
  return lines.flatMap(({ points }) => {
    const edges: Edge[] = []
    for (let at = 0; at < points.length; at += 2) {
      const next = (at + 2) % points.length
      const [x0, y0, x1, y1] = [points[at]!, points[at + 1]!, points[next]!, points[next + 1]!]
      if (y0 < y1) edges.push({ x0, y0, x1, y1, turn: 1 })
      else if (y1 < y0) edges.push({ x0: x1, y0: y1, x1: x0, y1: y0, turn: -1 })
    }
    return edges
  })
}

function spansAt(edges: readonly Edge[], y: number): [number, number][] {
  const crossings: { x: number; turn: number }[] = []
  for (const { x0, y0, x1, y1, turn } of edges) if (y >= y0 && y < y1) crossings.push({ x: x0 + ((y - y0) / (y1 - y0)) * (x1 - x0), turn })
  crossings.sort((a, b) => a.x - b.x)
  const spans: [number, number][] = []
  let winding = 0
  let start = 0
  for (const { x, turn } of crossings) {
    if (winding === 0) start = x
    winding += turn
    if (winding === 0) spans.push([start, x])
  }
  return spans
}

function addSpan(line: Float32Array, from: number, to: number): void {
  const [left, right] = [Math.max(0, from), Math.min(line.length, to)]
  for (let pixel = Math.floor(left); pixel < right; pixel++)
    line[pixel]! += Math.max(0, Math.min(pixel + 1, right) - Math.max(pixel, left)) / ROWS
}

/** Coverage at a pixel of the canvas; 0 outside of the mask. */
export function coverAt({ x, y, width, height, cover }: Mask, pixelX: number, pixelY: number): number {
  const [column, row] = [pixelX - x, pixelY - y]
  return column < 0 || row < 0 || column >= width || row >= height ? 0 : Math.min(1, cover[row * width + column]!)
}

/** Lays a colour over a picture where a mask says, and only as far as `weigh` lets it. Straight alpha. */
export function layOver(
  { width, data }: Bitmap,
  mask: Mask,
  [red, green, blue]: Rgb,
  opacity: number = 1,
  weigh?: (x: number, y: number) => number,
): void {
  for (let row = 0; row < mask.height; row++)
    for (let column = 0; column < mask.width; column++) {
      let cover = Math.min(1, mask.cover[row * mask.width + column]!) * opacity
      if (cover === 0) continue
      if (weigh !== undefined) cover *= weigh(mask.x + column, mask.y + row)
      if (cover <= 0.002) continue
      const at = ((mask.y + row) * width + mask.x + column) * 4
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
