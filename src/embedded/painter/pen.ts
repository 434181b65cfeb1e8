import type { Bitmap } from '../../../atlas/index.ts'
import { layOver, maskOf, type Rgb } from './canvas.ts'
import { ink, lightOf, shadeOf } from './colours.ts'
import { ellipse, type Polyline, parsePath, strokeOf } from './path.ts'

/** How a part is drawn; widths in units of the drawing. */
export interface PartStyle {
  /** Width of the shade along the lower left edge; 0 for none. @default 10 */
  readonly shade?: number
  /** Width of the light along the upper right edge; 0 for none. @default 5 */
  readonly light?: number
  /** Width of the dark outline; 0 for none. @default 6 */
  readonly outline?: number
}

/** Where a drawing lies: a drawing is made in a square of 256 units. */
export interface PenPlace {
  readonly x: number
  readonly y: number
  /** Pixels a unit. */
  readonly scale: number
  /** Radians, clockwise, about (0, 0) of the drawing. @default 0 */
  readonly turn?: number
  /** Whether left and right are swapped. @default false */
  readonly isMirrored?: boolean
}

/** Draws flat shapes with dark outlines, as the art of the examples is drawn. */
export interface Pen {
  /** A filled shape with its shade, its light and its outline. */
  part(path: string, colour: Rgb, style?: PartStyle): void
  /** A filled shape without any of them. */
  spot(path: string, colour: Rgb, opacity?: number): void
  /** A line with round ends. */
  line(path: string, colour: Rgb, width: number, opacity?: number): void
  /** A pen whose (0, 0) lies at (x, y) of this one. */
  at(x: number, y: number, scale?: number, turn?: number, isMirrored?: boolean): Pen
}

/** A pen over a picture. */
export function createPen(picture: Bitmap, place: PenPlace): Pen {
  const { scale } = place
  const masked = (lines: readonly Polyline[]): ReturnType<typeof maskOf> => maskOf(lines, picture.width, picture.height)
  const read = (path: string): Polyline[] => parsePath(path).map((line) => placed(line, place))
  const spot = (path: string, colour: Rgb, opacity = 1): void => layOver(picture, masked(read(path)), colour, opacity)
  return {
    spot,
    part: (path, colour, { shade = 10, light = 5, outline = 6 } = {}) => {
      const lines = read(path)
      const mask = masked(lines)
      layOver(picture, mask, colour)
      // Near the lower left edge a step down and left leads out of the shape; the light lies on the other side.
      const [down, up] = [Math.round(shade * scale), Math.round(light * scale)]
      if (up > 0) layOver(picture, mask, lightOf(colour), 1, { x: up, y: -up })
      if (down > 0) layOver(picture, mask, shadeOf(colour), 1, { x: -down, y: Math.round(down * 0.8) })
      if (outline > 0) layOver(picture, masked(strokeOf(closed(lines), outline * scale)), ink)
    },
    line: (path, colour, width, opacity = 1) => layOver(picture, masked(strokeOf(read(path), width * scale)), colour, opacity),
    at: (x, y, by = 1, turn = 0, isMirrored = false) => {
      const { points } = placed({ points: [x, y], isClosed: false }, place)
      const mirrored = (place.isMirrored ?? false) !== isMirrored
      const turned = (place.turn ?? 0) + (place.isMirrored === true ? -turn : turn)
      return createPen(picture, { x: points[0]!, y: points[1]!, scale: scale * by, turn: turned, isMirrored: mirrored })
    },
  }
}

function placed({ points, isClosed }: Polyline, { x, y, scale, turn = 0, isMirrored = false }: PenPlace): Polyline {
  const [cos, sin, side] = [Math.cos(turn) * scale, Math.sin(turn) * scale, isMirrored ? -1 : 1]
  const moved: number[] = []
  for (let at = 0; at < points.length; at += 2) {
    const [px, py] = [points[at]! * side, points[at + 1]!]
    moved.push(x + px * cos - py * sin, y + px * sin + py * cos)
  }
  return { points: moved, isClosed }
}

function closed(lines: readonly Polyline[]): Polyline[] {
  return lines.map(({ points }) => ({ points, isClosed: true }))
}

/** Two eyes with a glint, about a middle. */
export function drawEyes(pen: Pen, x: number, y: number, apart: number = 20, size: number = 9, colour: Rgb = ink): void {
  for (const side of [-1, 1]) {
    const middle = x + side * apart
    pen.spot(ellipse(middle, y, size, size * 1.4), colour)
    pen.spot(ellipse(middle + size * 0.3, y - size * 0.5, size * 0.42), [255, 255, 255])
    pen.spot(ellipse(middle - size * 0.3, y + size * 0.6, size * 0.2), [255, 255, 255], 0.8)
  }
}

/** A smile, and two red cheeks. */
export function drawSmile(pen: Pen, x: number, y: number, size: number = 9, cheeks: number = 0): void {
  pen.line(`M${x - size} ${y}Q${x} ${y + size * 1.1} ${x + size} ${y}`, ink, 4)
  if (cheeks > 0) for (const side of [-1, 1]) pen.spot(ellipse(x + side * cheeks, y - 3, 8, 5), [255, 110, 130], 0.55)
}
