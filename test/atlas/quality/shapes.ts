import { type Bitmap, blit, createBitmap, crop } from '../../../atlas/index.ts'

/** Red, green and blue, 0 to 255, and alpha, 0 to 1. */
export type Paint = readonly [red: number, green: number, blue: number, alpha?: number]
export type Point = readonly [x: number, y: number]

/** A filled shape. Lengths are shares of the canvas's side; y grows downwards. */
export type Shape =
  | { readonly kind: 'limb'; readonly from: Point; readonly to: Point; readonly radius: number; readonly paint: Paint }
  | { readonly kind: 'oval'; readonly at: Point; readonly radii: Point; readonly paint: Paint }
  | { readonly kind: 'area'; readonly points: readonly Point[]; readonly paint: Paint }

/** The shapes of a frame, the farthest first. */
export type Scene = readonly Shape[]

/** How scenes are drawn: as vectors with soft edges, or as pixel art without. */
export interface Style {
  readonly name: string
  /** Side of the canvas, pixels. */
  readonly px: number
  readonly isHard: boolean
}

export const vectors: Style = { name: 'vectors of 128 px', px: 128, isHard: false }
export const pixels: Style = { name: 'pixel art of 48 px', px: 48, isHard: true }

/** How a figure is finished: with a dark outline, with light and shadow on its shapes, or flat. */
export type Finish = 'outlined' | 'lit' | 'flat'

/** Draws a scene. A soft one has nine samples a pixel, a hard one has one. */
export function draw(scene: Scene, { px, isHard }: Style, finish: Finish): Bitmap {
  const fine = isHard ? 1 : 3
  const side = px * fine
  const canvas = new Float32Array(side * side * 4)
  const line = finish === 'outlined' ? (isHard ? 1 : 1.6) / px : 0
  if (line > 0)
    for (const shape of scene) {
      const ink: Paint = [38, 28, 44, shape.paint[3] ?? 1]
      fill(canvas, side, shape, line, () => ink)
    }
  const shift = 1.6 / px
  for (const shape of scene) {
    const { paint } = shape
    const dark = changed(paint, (value) => value * 0.78)
    const light = changed(paint, (value) => value + (255 - value) * 0.22)
    const isFlat = finish !== 'lit'
    fill(canvas, side, shape, 0, (x, y) => {
      if (isFlat) return paint
      if (outside(shape, x + shift, y + shift) > 0) return dark
      return outside(shape, x - shift, y - shift) > 0 ? light : paint
    })
  }
  return shrink(canvas, px, fine)
}

/** The same paint with another colour. */
export function changed([red, green, blue, alpha = 1]: Paint, change: (value: number, channel: number) => number): Paint {
  const whole = (value: number, channel: number): number => Math.min(255, Math.max(0, change(value, channel)))
  return [whole(red, 0), whole(green, 1), whole(blue, 2), alpha]
}

/** Moves every point of a scene. `size` scales its lengths. */
export function bend(scene: Scene, to: (point: Point) => Point, size = 1): Scene {
  return scene.map((shape): Shape => {
    if (shape.kind === 'limb') return { ...shape, from: to(shape.from), to: to(shape.to), radius: shape.radius * size }
    if (shape.kind === 'area') return { ...shape, points: shape.points.map(to) }
    return { ...shape, at: to(shape.at), radii: [shape.radii[0] * size, shape.radii[1] * size] }
  })
}

export function move(scene: Scene, x: number, y: number): Scene {
  return bend(scene, ([atX, atY]) => [atX + x, atY + y])
}

export function grow(scene: Scene, factor: number, [x, y]: Point): Scene {
  return bend(scene, ([atX, atY]) => [x + (atX - x) * factor, y + (atY - y) * factor], factor)
}

export function repaint(scene: Scene, change: (paint: Paint) => Paint): Scene {
  return scene.map((shape) => ({ ...shape, paint: change(shape.paint) }))
}

/** The distance of a point from a shape; negative inside. */
function outside(shape: Shape, x: number, y: number): number {
  if (shape.kind === 'limb') return fromSegment(shape.from, shape.to, x, y) - shape.radius
  if (shape.kind === 'oval') {
    const [rx, ry] = [Math.max(1e-4, shape.radii[0]), Math.max(1e-4, shape.radii[1])]
    return (Math.sqrt(((x - shape.at[0]) / rx) ** 2 + ((y - shape.at[1]) / ry) ** 2) - 1) * Math.min(rx, ry)
  }
  let nearest = Number.POSITIVE_INFINITY
  let isInside = false
  for (let i = 0; i < shape.points.length; i++) {
    const point = shape.points[i]!
    const before = shape.points[i === 0 ? shape.points.length - 1 : i - 1]!
    nearest = Math.min(nearest, fromSegment(before, point, x, y))
    const crosses = point[1] > y !== before[1] > y
    if (crosses && x < ((before[0] - point[0]) * (y - point[1])) / (before[1] - point[1]) + point[0]) isInside = !isInside
  }
  return isInside ? -nearest : nearest
}

function fromSegment(from: Point, to: Point, x: number, y: number): number {
  const dx = to[0] - from[0]
  const dy = to[1] - from[1]
  const length = dx * dx + dy * dy
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - from[0]) * dx + (y - from[1]) * dy) / length))
  const [offX, offY] = [x - from[0] - along * dx, y - from[1] - along * dy]
  return Math.sqrt(offX * offX + offY * offY)
}

/** The box around a scene. */
export function sceneBox(scene: Scene): readonly [left: number, top: number, right: number, bottom: number] {
  const boxes = scene.map(boxOf)
  const side = (at: 0 | 1 | 2 | 3): number[] => boxes.map((box) => box[at])
  return [Math.min(...side(0)), Math.min(...side(1)), Math.max(...side(2)), Math.max(...side(3))]
}

function boxOf(shape: Shape): readonly [left: number, top: number, right: number, bottom: number] {
  if (shape.kind === 'oval') {
    const { at, radii } = shape
    return [at[0] - radii[0], at[1] - radii[1], at[0] + radii[0], at[1] + radii[1]]
  }
  const points = shape.kind === 'limb' ? [shape.from, shape.to] : shape.points
  const radius = shape.kind === 'limb' ? shape.radius : 0
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  return [Math.min(...xs) - radius, Math.min(...ys) - radius, Math.max(...xs) + radius, Math.max(...ys) + radius]
}

/** Fills a shape that is wider by `extra` on all sides. Colours of the canvas are straight, not premultiplied. */
function fill(canvas: Float32Array, side: number, shape: Shape, extra: number, paintAt: (x: number, y: number) => Paint): void {
  const [left, top, right, bottom] = boxOf(shape)
  const clamp = (value: number): number => Math.min(side, Math.max(0, value))
  const [fromX, toX] = [clamp(Math.floor((left - extra) * side)), clamp(Math.ceil((right + extra) * side) + 1)]
  const [fromY, toY] = [clamp(Math.floor((top - extra) * side)), clamp(Math.ceil((bottom + extra) * side) + 1)]
  for (let row = fromY; row < toY; row++)
    for (let column = fromX; column < toX; column++) {
      const [x, y] = [(column + 0.5) / side, (row + 0.5) / side]
      if (outside(shape, x, y) > extra) continue
      const paint = paintAt(x, y)
      const alpha = paint[3] ?? 1
      const at = (row * side + column) * 4
      const under = canvas[at + 3]! * (1 - alpha)
      const whole = alpha + under
      if (whole === 0) continue
      canvas[at] = (paint[0] * alpha + canvas[at]! * under) / whole
      canvas[at + 1] = (paint[1] * alpha + canvas[at + 1]! * under) / whole
      canvas[at + 2] = (paint[2] * alpha + canvas[at + 2]! * under) / whole
      canvas[at + 3] = whole
    }
}

function shrink(canvas: Float32Array, px: number, fine: number): Bitmap {
  const data = new Uint8Array(px * px * 4)
  for (let y = 0; y < px; y++)
    for (let x = 0; x < px; x++) {
      let [red, green, blue, all] = [0, 0, 0, 0]
      for (let dy = 0; dy < fine; dy++)
        for (let dx = 0; dx < fine; dx++) {
          const at = ((y * fine + dy) * px * fine + x * fine + dx) * 4
          const alpha = canvas[at + 3]!
          red += canvas[at]! * alpha
          green += canvas[at + 1]! * alpha
          blue += canvas[at + 2]! * alpha
          all += alpha
        }
      if (all === 0) continue
      const at = (y * px + x) * 4
      data[at] = Math.round(red / all)
      data[at + 1] = Math.round(green / all)
      data[at + 2] = Math.round(blue / all)
      data[at + 3] = Math.round((255 * all) / (fine * fine))
    }
  return createBitmap(px, px, data)
}

/** A doll on a canvas of 40 × 48: a head, a body of two colours, a foot, and an arm that turns about its shoulder. */
export function doll(
  more: Partial<{ x: number; y: number; size: number; arm: number; dye: number; alpha: number; rim: number }> = {},
): Bitmap {
  const { x = 0, y = 0, size = 1, arm = 0, dye = 0, alpha = 255, rim } = more
  const pixels = new Uint32Array(40 * 48)
  const put = (left: number, top: number, width: number, height: number, colour: readonly number[]): void => {
    const [red = 0, green = 0, blue = 0] = colour.map((value) => Math.min(255, value + dye))
    const pixel = (alpha * 2 ** 24 + (blue << 16) + (green << 8) + red) >>> 0
    const first = Math.round(20 + x + left * size)
    const [start, end] = [Math.max(0, first), Math.max(0, Math.min(40, first + Math.round(width * size)))]
    for (let row = 0; row < Math.round(height * size); row++) {
      const from = 40 * (Math.round(44 + y + top * size) + row)
      if (from < 0) continue
      pixels.fill(pixel, from + start, from + end)
      if (rim !== undefined) pixels[from + start] = rim
    }
  }
  put(-6, -12, 12, 12, [60, 60, 120])
  put(-8, -24, 16, 12, [150, 40, 40])
  put(-5, -32, 10, 8, [220, 170, 140])
  put(6, -23 + arm, 9, 3, [150, 40, 40])
  return createBitmap(40, 48, new Uint8Array(pixels.buffer))
}

/** Each pixel as 4 × 4 of them. */
export function fourfold({ width, height, data }: Bitmap): Bitmap {
  const [small, large] = [new Uint32Array(data.buffer, data.byteOffset, width * height), new Uint32Array(16 * width * height)]
  for (let at = 0; at < large.length; at++) large[at] = small[width * ((at / (4 * width)) >> 2) + ((at % (4 * width)) >> 2)]!
  return createBitmap(4 * width, 4 * height, new Uint8Array(large.buffer))
}

/** The middle five columns. */
export function thin(frame: Bitmap): Bitmap {
  const narrow = createBitmap(frame.width, frame.height)
  blit(narrow, crop(frame, 18, 0, 5, frame.height), 18, 0)
  return narrow
}
