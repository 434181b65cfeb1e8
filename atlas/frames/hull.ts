import type { Bitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'

/** A point in pixels, y down. */
export interface HullPoint {
  readonly x: number
  readonly y: number
}

/** Options of {@link alphaHull}. */
export interface HullOptions {
  /** Most corners, 4 to 64. */
  readonly corners: number
  /**
   * Largest alpha of a clear pixel, 0 to 255.
   *
   * @default 0
   */
  readonly threshold?: number
}

/**
 * Distance in pixels by which a simplified outline moves outwards, so that rounded corners never exclude a
 * pixel.
 */
const REACH = 0.02
/** Corners are rounded to hundredths of a pixel. */
const GRID = 100

/**
 * Returns the convex outline of the visible pixels, for hit tests.
 *
 * Pixels are squares, and the outline contains all visible pixels. If the hull has too many corners, edges
 * are removed one by one. To remove an edge, its two neighbours are extended until they meet. The edge whose
 * removal adds the least area is removed first. The outline grows by a few pixels at most, and may extend
 * beyond the frame.
 *
 * @returns Corners in pixels from the top left of the bitmap, to a hundredth: clockwise on screen, from the
 * topmost (of several the leftmost). No three corners are on one line. A wholly clear bitmap has no corners. The
 * same pixels give the same numbers on every machine.
 * @throws {AtlasError} `SW_ATLAS_OPTION` for corners out of range.
 */
export function alphaHull(bitmap: Bitmap, { corners, threshold = 0 }: HullOptions): readonly HullPoint[] {
  checkCorners(corners)
  const exact = convexHull(edgePoints(bitmap, threshold))
  if (exact.length <= corners) return exact
  const reduced = widen(withoutEdges(exact, corners))
  const onGrid = reduced.map(({ x, y }) => ({ x: Math.round(x * GRID), y: Math.round(y * GRID) }))
  return convexHull(onGrid).map(({ x, y }) => ({ x: x / GRID, y: y / GRID }))
}

/** @throws {AtlasError} `SW_ATLAS_OPTION` unless `corners` is an integer from 4 to 64. */
export function checkCorners(corners: number): void {
  if (Number.isInteger(corners) && corners >= 4 && corners <= 64) return
  throw new AtlasError('SW_ATLAS_OPTION', { message: `Expected a hull of 4 to 64 corners, found ${corners}.`, facts: { hull: corners } })
}

/**
 * The outer corners of the first and the last visible pixel of each row. No other point can be on the hull.
 */
function edgePoints({ width, height, data }: Bitmap, threshold: number): HullPoint[] {
  const points: HullPoint[] = []
  for (let y = 0; y < height; y++) {
    const isVisible = (x: number): boolean => data[(y * width + x) * 4 + 3]! > threshold
    let left = 0
    while (left < width && !isVisible(left)) left++
    if (left === width) continue
    let right = width
    while (!isVisible(right - 1)) right--
    points.push({ x: left, y }, { x: left, y: y + 1 }, { x: right, y }, { x: right, y: y + 1 })
  }
  return points
}

/** Cross product: above 0 if `c` is right of the line from `a` to `b` on screen. */
function crossProduct(a: HullPoint, b: HullPoint, c: HullPoint): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/** Andrew's monotone chain, by rows. Exact for integers. */
function convexHull(points: readonly HullPoint[]): HullPoint[] {
  const sorted = [...points].sort((a, b) => a.y - b.y || a.x - b.x)
  const chain = (ordered: readonly HullPoint[]): HullPoint[] => {
    const kept: HullPoint[] = []
    for (const point of ordered) {
      while (kept.length > 1 && crossProduct(kept.at(-2)!, kept.at(-1)!, point) <= 0) kept.pop()
      kept.push(point)
    }
    return kept.slice(0, -1)
  }
  return [...chain(sorted), ...chain([...sorted].reverse())]
}

/**
 * Removes edges until `corners` are left. With five or more edges, at least one pair of neighbours meets
 * outside.
 */
function withoutEdges(hull: readonly HullPoint[], corners: number): HullPoint[] {
  let points = [...hull]
  while (points.length > corners) {
    const at = (index: number): HullPoint => points[(index + points.length) % points.length]!
    let best: { edge: number; corner: HullPoint; area: number } | undefined
    for (let edge = 0; edge < points.length; edge++) {
      const corner = meet(at(edge - 1), at(edge), at(edge + 2), at(edge + 1))
      if (corner === undefined) continue
      const area = Math.abs(crossProduct(at(edge), corner, at(edge + 1)))
      if (best === undefined || area < best.area) best = { edge, corner, area }
    }
    if (best === undefined) break
    const { edge, corner } = best
    const next = (edge + 1) % points.length
    points = points.flatMap((point, index) => (index === edge ? [corner] : index === next ? [] : [point]))
  }
  return points
}

/**
 * The point where the lines from `a` through `b` and from `c` through `d` meet beyond `b` and `d`. Returns
 * `undefined` if the lines do not meet there.
 */
function meet(a: HullPoint, b: HullPoint, c: HullPoint, d: HullPoint): HullPoint | undefined {
  const one = { x: b.x - a.x, y: b.y - a.y }
  const other = { x: d.x - c.x, y: d.y - c.y }
  const cross = one.x * other.y - one.y * other.x
  if (cross >= 0) return undefined
  const along = ((d.x - b.x) * other.y - (d.y - b.y) * other.x) / cross
  return along < 0 ? undefined : { x: b.x + one.x * along, y: b.y + one.y * along }
}

/** Moves every edge outwards by {@link REACH}. */
function widen(points: readonly HullPoint[]): HullPoint[] {
  const edges = points.map((from, index) => {
    const to = points[(index + 1) % points.length]!
    const length = Math.sqrt((to.x - from.x) ** 2 + (to.y - from.y) ** 2)
    // The points run clockwise on screen, so the outside is on the left.
    const out = { x: ((to.y - from.y) / length) * REACH, y: ((from.x - to.x) / length) * REACH }
    return { from: { x: from.x + out.x, y: from.y + out.y }, x: to.x - from.x, y: to.y - from.y }
  })
  return edges.map((edge, index) => {
    const before = edges[(index + edges.length - 1) % edges.length]!
    const cross = before.x * edge.y - before.y * edge.x
    const along = ((edge.from.x - before.from.x) * edge.y - (edge.from.y - before.from.y) * edge.x) / cross
    return { x: before.from.x + before.x * along, y: before.from.y + before.y * along }
  })
}
