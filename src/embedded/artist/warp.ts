import { type Bitmap, createBitmap } from '../../../atlas/index.ts'
import type { Point } from './pose.ts'

/** A picture to draw on: premultiplied RGBA, 0 to 1 each. */
export type Canvas = ReturnType<typeof createCanvas>

/** A part of the figure that bends as one piece: its cells that are not empty. */
type Layer = ReturnType<typeof createLayer>

/** The colours in which a layer is drawn. */
export interface Tone {
  /** Uses the nearest pixel instead of smooth sampling, and keeps colours. */
  readonly isCrisp: boolean
  /** Pixels of the layer that lie side by side in one pixel of the canvas; more than 1 if it is drawn narrower. */
  readonly across: number
  readonly light: number
  readonly flash: number
  /** One colour that replaces the layer's own. */
  readonly flat?: readonly [number, number, number] | undefined
}

/** Creates a clear canvas. */
export function createCanvas(width: number, height: number) {
  return { width, height, pixels: new Float32Array(width * height * 4) }
}

/** Copies a bitmap to a canvas: the pixels for which `owns` is true. */
export function toCanvas(bitmap: Bitmap, owns: (x: number, y: number) => boolean): Canvas {
  const canvas = createCanvas(bitmap.width, bitmap.height)
  for (let y = 0, at = 0; y < bitmap.height; y++)
    for (let x = 0; x < bitmap.width; x++, at += 4) {
      const alpha = bitmap.data[at + 3]! / 255
      if (alpha === 0 || !owns(x, y)) continue
      for (let channel = 0; channel < 3; channel++) canvas.pixels[at + channel] = (bitmap.data[at + channel]! / 255) * alpha
      canvas.pixels[at + 3] = alpha
    }
  return canvas
}

/** Converts a canvas to straight-alpha bytes. */
export function toBitmap(canvas: Canvas): Bitmap {
  const bitmap = createBitmap(canvas.width, canvas.height)
  for (let at = 0; at < bitmap.data.length; at += 4) {
    const alpha = canvas.pixels[at + 3]!
    if (alpha < 0.5 / 255) continue
    for (let channel = 0; channel < 3; channel++)
      bitmap.data[at + channel] = Math.min(255, Math.round((canvas.pixels[at + channel]! / alpha) * 255))
    bitmap.data[at + 3] = Math.min(255, Math.round(alpha * 255))
  }
  return bitmap
}

/**
 * Cuts a canvas into cells and keeps those that are not empty. The sampling needs a margin.
 *
 * @returns The side of a cell and the top left corners of all, px.
 */
export function createLayer(source: Canvas) {
  const cell = Math.max(2, Math.round(Math.max(source.width, source.height) / 40))
  const cells: Point[] = []
  for (let y = -cell; y < source.height + cell; y += cell)
    for (let x = -cell; x < source.width + cell; x += cell) if (holdsAny(source, x - 2, y - 2, cell + 4)) cells.push({ x, y })
  return { source, cells, cell }
}

function holdsAny(source: Canvas, left: number, top: number, side: number): boolean {
  for (let y = Math.max(0, top); y < Math.min(source.height, top + side); y++)
    for (let x = Math.max(0, left); x < Math.min(source.width, left + side); x++)
      if (source.pixels[(y * source.width + x) * 4 + 3]! > 0) return true
  return false
}

/** A corner of a cell: its place on the canvas, and its place in the layer. */
interface Corner extends Point {
  readonly u: number
  readonly v: number
}

/**
 * Draws a layer over a canvas and moves each point by `place`. A point that several cells cover is drawn
 * once.
 */
export function drawLayer(canvas: Canvas, { source, cells, cell }: Layer, place: (x: number, y: number) => Point, tone: Tone): void {
  const drawn = new Uint8Array(canvas.width * canvas.height)
  const draw = (at: number, u: number, v: number): void => {
    if (drawn[at] === 1) return
    drawn[at] = 1
    if (tone.isCrisp) readNearest(source, u, v)
    else readSmooth(source, u, v, tone.across)
    if (sampled[3]! > 0) composite(canvas.pixels, at * 4, tone)
  }
  const corner = (u: number, v: number): Corner => {
    const { x, y } = place(u, v)
    return { x, y, u, v }
  }
  for (const { x, y } of cells) {
    const right = corner(x + cell, y)
    const below = corner(x, y + cell)
    fillTriangle(canvas, [corner(x, y), right, below], draw)
    fillTriangle(canvas, [corner(x + cell, y + cell), below, right], draw)
  }
}

/** Calls `draw` for each pixel whose middle is in a triangle, with its place in the layer. */
function fillTriangle(
  { width, height }: Canvas,
  [a, b, c]: readonly [Corner, Corner, Corner],
  draw: (at: number, u: number, v: number) => void,
): void {
  const area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
  if (Math.abs(area) < 1e-6) return
  const edge = 1e-7
  const lastRow = Math.min(height - 1, Math.floor(Math.max(a.y, b.y, c.y) - 0.5))
  const lastColumn = Math.min(width - 1, Math.floor(Math.max(a.x, b.x, c.x) - 0.5))
  for (let row = Math.max(0, Math.ceil(Math.min(a.y, b.y, c.y) - 0.5)); row <= lastRow; row++)
    for (let column = Math.max(0, Math.ceil(Math.min(a.x, b.x, c.x) - 0.5)); column <= lastColumn; column++) {
      const dx = column + 0.5 - a.x
      const dy = row + 0.5 - a.y
      const s = (dx * (c.y - a.y) - dy * (c.x - a.x)) / area
      const t = (dy * (b.x - a.x) - dx * (b.y - a.y)) / area
      if (s < -edge || t < -edge || s + t > 1 + edge) continue
      draw(row * width + column, a.u + s * (b.u - a.u) + t * (c.u - a.u), a.v + s * (b.v - a.v) + t * (c.v - a.v))
    }
}

/** The last sample: premultiplied RGBA. All reads share it, because frames are drawn one after the other. */
const sampled = new Float64Array(4)

function readNearest({ pixels, width, height }: Canvas, u: number, v: number): void {
  const x = Math.floor(u)
  const y = Math.floor(v)
  const at = (y * width + x) * 4
  if (x < 0 || y < 0 || x >= width || y >= height) sampled.fill(0)
  else sampled.set(pixels.subarray(at, at + 4))
}

const columns = new Float64Array(4)
const rows = new Float64Array(4)

/** Sets Catmull-Rom weights of four pixels in a row: sharper than bilinear ones, and exact if nothing moves. */
function setWeights(weights: Float64Array, t: number): void {
  weights[0] = t * (-0.5 + t * (1 - 0.5 * t))
  weights[1] = 1 + t * t * (-2.5 + 1.5 * t)
  weights[2] = t * (0.5 + t * (2 - 1.5 * t))
  weights[3] = t * t * (-0.5 + 0.5 * t)
}

/**
 * Samples a canvas between its pixels: the mean over `across` columns, so that a narrow part does not flicker.
 * Outside of the canvas, all pixels are clear.
 */
function readSmooth({ pixels, width, height }: Canvas, u: number, v: number, across: number): void {
  const top = Math.floor(v - 0.5) - 1
  setWeights(rows, v - 1.5 - top)
  sampled.fill(0)
  for (let k = 0; k < across; k++) {
    const column = u + k + 0.5 - across / 2
    const left = Math.floor(column - 0.5) - 1
    setWeights(columns, column - 1.5 - left)
    for (let j = Math.max(0, -top); j < 4 && top + j < height; j++)
      for (let i = Math.max(0, -left); i < 4 && left + i < width; i++) {
        const at = ((top + j) * width + left + i) * 4
        if (pixels[at + 3] === 0) continue
        const weight = (columns[i]! * rows[j]!) / across
        for (let channel = 0; channel < 4; channel++) sampled[channel]! += pixels[at + channel]! * weight
      }
  }
  const alpha = Math.min(1, Math.max(0, sampled[3]!))
  for (let channel = 0; channel < 4; channel++) sampled[channel] = Math.min(alpha, Math.max(0, sampled[channel]!))
}

function composite(pixels: Float32Array, at: number, tone: Tone): void {
  const alpha = sampled[3]!
  const under = 1 - alpha
  for (let channel = 0; channel < 3; channel++) {
    let value = tone.flat === undefined ? sampled[channel]! : tone.flat[channel]! * alpha
    if (!tone.isCrisp) {
      value = Math.min(alpha, value * tone.light)
      value += (alpha - value) * tone.flash
    }
    pixels[at + channel] = value + pixels[at + channel]! * under
  }
  pixels[at + 3] = alpha + pixels[at + 3]! * under
}
