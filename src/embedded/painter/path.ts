/** A line of points, x and y in turn. */
export interface Polyline {
  readonly points: readonly number[]
  readonly isClosed: boolean
}

/** Steps that a curve is broken into. */
const CURVE_STEPS = 12

/** Turns path data as SVG writes it (M L H V C Q Z, small letters for relative ones) into lines. @throws {Error} For any other letter, which is a mistake in a drawing. */
export function parsePath(text: string): Polyline[] {
  const lines: { points: number[]; isClosed: boolean }[] = []
  let [x, y] = [0, 0]
  const last = (): number[] => lines.at(-1)!.points
  const lineTo = (toX: number, toY: number): void => {
    last().push(toX, toY)
    x = toX
    y = toY
  }
  for (const [, letter = '', rest = ''] of text.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const given = (rest.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? []).map(Number)
    const isRelative = letter >= 'a'
    const size = { M: 2, L: 2, H: 1, V: 1, C: 6, Q: 4, Z: 0 }[letter.toUpperCase()]
    if (size === undefined) throw new Error(`Expected a path of M, L, H, V, C, Q and Z, found ${letter}.`)
    if (size === 0) lines.at(-1)!.isClosed = true
    for (let from = 0; size > 0 && from < given.length; from += size) {
      const [shiftX, shiftY] = isRelative ? [x, y] : [0, 0]
      const at = (index: number): number => given[from + index]! + (index % 2 === 0 ? shiftX : shiftY)
      const upper = letter.toUpperCase()
      if (upper === 'M' && from === 0) {
        lines.push({ points: [], isClosed: false })
        lineTo(at(0), at(1))
      } else if (upper === 'M' || upper === 'L') lineTo(at(0), at(1))
      else if (upper === 'H') lineTo(at(0), y)
      else if (upper === 'V') lineTo(x, given[from]! + shiftY)
      else curve(last(), size === 6 ? [x, y, at(0), at(1), at(2), at(3), at(4), at(5)] : raised(x, y, at(0), at(1), at(2), at(3)))
      if (size >= 4) [x, y] = [at(size - 2), at(size - 1)]
    }
  }
  return lines
}

type Curve = readonly [number, number, number, number, number, number, number, number]

/** A quadratic curve as a cubic one. */
function raised(x: number, y: number, midX: number, midY: number, endX: number, endY: number): Curve {
  const toward = (from: number, to: number): number => from + ((to - from) * 2) / 3
  return [x, y, toward(x, midX), toward(y, midY), toward(endX, midX), toward(endY, midY), endX, endY]
}

function curve(points: number[], [x0, y0, x1, y1, x2, y2, x3, y3]: Curve): void {
  for (let step = 1; step <= CURVE_STEPS; step++) {
    const t = step / CURVE_STEPS
    const [a, b, c, d] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t ** 2, t ** 3]
    points.push(a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3)
  }
}

/** Path data of an ellipse. */
export function ellipse(x: number, y: number, rx: number, ry: number = rx): string {
  const [kx, ky] = [rx * 0.5523, ry * 0.5523]
  const half = (sign: 1 | -1): string =>
    `C${x + rx * sign} ${y + ky * sign} ${x + kx * sign} ${y + ry * sign} ${x} ${y + ry * sign}C${x - kx * sign} ${y + ry * sign} ${x - rx * sign} ${y + ky * sign} ${x - rx * sign} ${y}`
  return `M${x + rx} ${y}${half(1)}${half(-1)}Z`
}

/** Path data of a rectangle with round corners. */
export function box(x: number, y: number, width: number, height: number, round: number = 0): string {
  const [r, right, bottom] = [round, x + width, y + height]
  return `M${x + r} ${y}L${right - r} ${y}Q${right} ${y} ${right} ${y + r}L${right} ${bottom - r}Q${right} ${bottom} ${right - r} ${bottom}L${x + r} ${bottom}Q${x} ${bottom} ${x} ${bottom - r}L${x} ${y + r}Q${x} ${y} ${x + r} ${y}Z`
}

/** Path data of a star, its first point up. */
export function star(x: number, y: number, radius: number, inner: number, points: number): string {
  const corners = Array.from({ length: points * 2 }, (_, index) => {
    const [away, angle] = [index % 2 === 0 ? radius : inner, (index * Math.PI) / points - Math.PI / 2]
    return `${(x + away * Math.cos(angle)).toFixed(2)} ${(y + away * Math.sin(angle)).toFixed(2)}`
  })
  return `M${corners.join('L')}Z`
}

/** The outline of lines drawn with a round pen: polygons that all turn the same way, to be filled as one. */
export function strokeOf(lines: readonly Polyline[], width: number): Polyline[] {
  const half = width / 2
  const outline: Polyline[] = []
  for (const { points, isClosed } of lines) {
    const closed = isClosed ? [...points, points[0]!, points[1]!] : points
    for (let at = 0; at < closed.length; at += 2) {
      const [x, y] = [closed[at]!, closed[at + 1]!]
      outline.push({ points: disc(x, y, half), isClosed: true })
      const [nextX, nextY] = [closed[at + 2], closed[at + 3]]
      if (nextX === undefined || nextY === undefined) continue
      const length = Math.hypot(nextX - x, nextY - y)
      if (length === 0) continue
      const [acrossX, acrossY] = [(-(nextY - y) / length) * half, ((nextX - x) / length) * half]
      const points = [
        x - acrossX,
        y - acrossY,
        nextX - acrossX,
        nextY - acrossY,
        nextX + acrossX,
        nextY + acrossY,
        x + acrossX,
        y + acrossY,
      ]
      outline.push({ points, isClosed: true })
    }
  }
  return outline
}

/** The corners of a disc about (0, 0). */
const DISC = Array.from({ length: 12 }, (_, index) => (index * Math.PI) / 6).flatMap((angle) => [Math.cos(angle), Math.sin(angle)])

function disc(x: number, y: number, radius: number): number[] {
  return DISC.map((reach, at) => (at % 2 === 0 ? x : y) + radius * reach)
}
