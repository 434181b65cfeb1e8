import { type Bitmap, createBitmap } from '../../../atlas/index.ts'
import type { Point } from './rig.ts'

/** A picture to draw on: premultiplied RGBA, 0 to 1 each. */
export interface Canvas {
  readonly width: number
  readonly height: number
  readonly pixels: Float32Array
}

/** A part of the figure that bends as one piece. */
export interface Layer {
  /** Premultiplied RGBA, 0 to 1. Pixels of other layers are clear. */
  readonly source: Canvas
  /** Top left corners of the cells that are not empty, x and y in turn, px. */
  readonly cells: Int32Array
  /** Side of a cell, px. */
  readonly cell: number
}

/** The colours in which a layer is drawn. */
export interface Tone {
  /** Uses the nearest pixel instead of smooth sampling, and keeps colours. */
  readonly isCrisp: boolean
  readonly light: number
  readonly flash: number
  /** One colour that replaces the layer's own. */
  readonly flat?: readonly [number, number, number]
}

/** Creates a clear canvas. */
export function createCanvas(width: number, height: number): Canvas {
  return { width, height, pixels: new Float32Array(width * height * 4) }
}

/** Copies a bitmap to a canvas: all of it, or the pixels for which `owns` is true. */
export function toCanvas(bitmap: Bitmap, owns?: (x: number, y: number) => boolean): Canvas {
  const canvas = createCanvas(bitmap.width, bitmap.height)
  for (let y = 0, at = 0; y < bitmap.height; y++)
    for (let x = 0; x < bitmap.width; x++, at += 4) {
      const alpha = bitmap.data[at + 3]! / 255
      if (alpha === 0 || (owns !== undefined && !owns(x, y))) continue
      canvas.pixels[at] = (bitmap.data[at]! / 255) * alpha
      canvas.pixels[at + 1] = (bitmap.data[at + 1]! / 255) * alpha
      canvas.pixels[at + 2] = (bitmap.data[at + 2]! / 255) * alpha
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

/** Cuts a canvas into cells and keeps those that are not empty. The sampling needs a margin. */
export function createLayer(source: Canvas): Layer {
  const cell = Math.max(2, Math.round(Math.max(source.width, source.height) / 40))
  const cells: number[] = []
  for (let top = -cell; top < source.height + cell; top += cell)
    for (let left = -cell; left < source.width + cell; left += cell)
      if (holdsAny(source, left - 2, top - 2, cell + 4)) cells.push(left, top)
  return { source, cells: Int32Array.from(cells), cell }
}

function holdsAny(source: Canvas, left: number, top: number, side: number): boolean {
  for (let y = Math.max(0, top); y < Math.min(source.height, top + side); y++)
    for (let x = Math.max(0, left); x < Math.min(source.width, left + side); x++)
      if (source.pixels[(y * source.width + x) * 4 + 3]! > 0) return true
  return false
}

/**
 * Draws a layer over a canvas and moves each point by `place`. A point that several cells cover is drawn
 * once.
 */
export function drawLayer(canvas: Canvas, layer: Layer, place: (x: number, y: number) => Point, tone: Tone): void {
  const drawn = new Uint8Array(canvas.width * canvas.height)
  const { cells, cell } = layer
  const corner = new Float64Array(8)
  for (let i = 0; i < cells.length; i += 2) {
    const [x, y] = [cells[i]!, cells[i + 1]!]
    for (let k = 0; k < 4; k++) {
      const at = place(x + (k & 1) * cell, y + (k >> 1) * cell)
      corner[k * 2] = at.x
      corner[k * 2 + 1] = at.y
    }
    fillTriangle(canvas, layer, drawn, tone, corner, 0, x, y)
    fillTriangle(canvas, layer, drawn, tone, corner, 3, x, y)
  }
}

/**
 * Fills the half of a cell at its corner `pivot` (0: top left, 3: bottom right) by the affine map of its
 * three corners.
 */
function fillTriangle(
  canvas: Canvas,
  layer: Layer,
  drawn: Uint8Array,
  tone: Tone,
  corner: Float64Array,
  pivot: 0 | 3,
  x: number,
  y: number,
): void {
  const [px, py] = [corner[pivot * 2]!, corner[pivot * 2 + 1]!]
  const sign = pivot === 0 ? 1 : -1
  const [ax, ay] = [(corner[pivot === 0 ? 2 : 4]! - px) * sign, (corner[pivot === 0 ? 3 : 5]! - py) * sign]
  const [bx, by] = [(corner[pivot === 0 ? 4 : 2]! - px) * sign, (corner[pivot === 0 ? 5 : 3]! - py) * sign]
  const area = ax * by - ay * bx
  if (Math.abs(area) < 1e-6) return
  const { cell, source } = layer
  const [baseX, baseY] = [x + (pivot === 0 ? 0 : cell), y + (pivot === 0 ? 0 : cell)]
  const footX = Math.hypot(by, bx) * (cell / Math.abs(area))
  const footY = Math.hypot(ay, ax) * (cell / Math.abs(area))
  const [minX, maxX] = [Math.min(px, px + ax * sign, px + bx * sign), Math.max(px, px + ax * sign, px + bx * sign)]
  const [minY, maxY] = [Math.min(py, py + ay * sign, py + by * sign), Math.max(py, py + ay * sign, py + by * sign)]
  const edge = 1e-7
  for (let row = Math.max(0, Math.ceil(minY - 0.5)); row <= Math.min(canvas.height - 1, Math.floor(maxY - 0.5)); row++)
    for (let column = Math.max(0, Math.ceil(minX - 0.5)); column <= Math.min(canvas.width - 1, Math.floor(maxX - 0.5)); column++) {
      const dx = column + 0.5 - px
      const dy = row + 0.5 - py
      const s = ((dx * by - dy * bx) / area) * sign
      const t = ((ax * dy - ay * dx) / area) * sign
      if (s < -edge || t < -edge || s + t > 1 + edge) continue
      const at = row * canvas.width + column
      if (drawn[at] === 1) continue
      drawn[at] = 1
      const u = baseX + s * cell * sign
      const v = baseY + t * cell * sign
      if (tone.isCrisp) readNearest(source, u, v)
      else if (footX > 1.4 || footY > 1.4 || tone.flat !== undefined) readArea(source, u, v, footX, footY)
      else readSmooth(source, u, v)
      if (sampled[3]! > 0) composite(canvas.pixels, at * 4, tone)
    }
}

/** The last sample: premultiplied RGBA. All reads share it, because frames are drawn one after the other. */
export const sampled: Float32Array = new Float32Array(4)

function readNearest(source: Canvas, u: number, v: number): void {
  const x = Math.floor(u)
  const y = Math.floor(v)
  sampled.fill(0)
  if (x < 0 || y < 0 || x >= source.width || y >= source.height) return
  const at = (y * source.width + x) * 4
  for (let channel = 0; channel < 4; channel++) sampled[channel] = source.pixels[at + channel]!
}

const weightsX = new Float64Array(4)
const weightsY = new Float64Array(4)

/** Catmull-Rom weights: sharper than bilinear, and exact if nothing moves. */
function setWeights(weights: Float64Array, t: number): void {
  weights[0] = t * (-0.5 + t * (1 - 0.5 * t))
  weights[1] = 1 + t * t * (-2.5 + 1.5 * t)
  weights[2] = t * (0.5 + t * (2 - 1.5 * t))
  weights[3] = t * t * (-0.5 + 0.5 * t)
}

/** Samples a canvas between its pixels into {@link sampled}. Outside of the canvas, all pixels are clear. */
export function readSmooth(source: Canvas, u: number, v: number): void {
  const left = Math.floor(u - 0.5) - 1
  const top = Math.floor(v - 0.5) - 1
  setWeights(weightsX, u - 1.5 - left)
  setWeights(weightsY, v - 1.5 - top)
  const { pixels, width, height } = source
  const fromX = left < 0 ? -left : 0
  const toX = left + 4 > width ? width - left : 4
  const toY = top + 4 > height ? height - top : 4
  let r = 0
  let g = 0
  let b = 0
  let a = 0
  for (let j = top < 0 ? -top : 0; j < toY; j++) {
    let at = ((top + j) * width + left + fromX) * 4
    for (let i = fromX; i < toX; i++, at += 4) {
      const alpha = pixels[at + 3]!
      if (alpha === 0) continue
      const weight = weightsX[i]! * weightsY[j]!
      r += pixels[at]! * weight
      g += pixels[at + 1]! * weight
      b += pixels[at + 2]! * weight
      a += alpha * weight
    }
  }
  setSample(r, g, b, a)
}

/** Takes the mean over the footprint of a frame pixel. Strongly reduced parts need it. */
function readArea(source: Canvas, u: number, v: number, spanX: number, spanY: number): void {
  const across = Math.min(16, Math.max(2, Math.ceil(spanX * 1.5)))
  const down = Math.min(16, Math.max(2, Math.ceil(spanY * 1.5)))
  const { pixels, width, height } = source
  let r = 0
  let g = 0
  let b = 0
  let a = 0
  for (let j = 0; j < down; j++) {
    const y = Math.floor(v + ((j + 0.5) / down - 0.5) * spanY)
    if (y < 0 || y >= height) continue
    for (let i = 0; i < across; i++) {
      const x = Math.floor(u + ((i + 0.5) / across - 0.5) * spanX)
      if (x < 0 || x >= width) continue
      const at = (y * width + x) * 4
      r += pixels[at]!
      g += pixels[at + 1]!
      b += pixels[at + 2]!
      a += pixels[at + 3]!
    }
  }
  const share = 1 / (across * down)
  setSample(r * share, g * share, b * share, a * share)
}

function setSample(r: number, g: number, b: number, a: number): void {
  const alpha = Math.min(1, Math.max(0, a))
  sampled[0] = Math.min(alpha, Math.max(0, r))
  sampled[1] = Math.min(alpha, Math.max(0, g))
  sampled[2] = Math.min(alpha, Math.max(0, b))
  sampled[3] = alpha
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
