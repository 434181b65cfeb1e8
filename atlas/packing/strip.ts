import { type Box, type BoxEntries, toEntries } from './boxes.ts'
import { Outline, type OutlineCopy, WALL } from './outline.ts'
import { type FillRule, WaitingBoxes } from './waiting.ts'

/** Result of filling a strip. */
export interface Filling {
  /** Right edge of the rightmost box. */
  readonly width: number
  /** Bottom edge of the lowest box. */
  readonly height: number
  /** Number of boxes placed. */
  readonly placed: number
}

/** A half-filled strip from which other fillings continue. */
export interface HalfFilled extends Filling {
  readonly outline: OutlineCopy
  /** Lost area, square pixels. */
  readonly lost: number
  /** Entries of the waiting boxes, in order. */
  readonly rest: Int32Array
}

/**
 * Bounds of one filling. Every field is required: objects of several shapes would be compiled several times.
 */
export interface FillBounds {
  readonly width: number
  /** Lowest bottom edge of a box. */
  readonly height: number
  /** Whether boxes that do not fit are skipped. If not, the filling fails. */
  readonly isPartial: boolean
  /** The start, see {@link emptyStrip}. */
  readonly from: HalfFilled
  /** Number of boxes after which the state is kept in `halfFilled`; -1 for never. */
  readonly keepAt: number
}

const none = new Int32Array(0)

/** Returns an empty strip. */
export function emptyStrip(width: number): HalfFilled {
  const outline = { xs: Int32Array.of(0), ys: Int32Array.of(0), spans: Int32Array.of(width) }
  return { width: 0, height: 0, placed: 0, outline, lost: 0, rest: none }
}

/**
 * Fills strips of a given width from top to bottom: it finds the highest gap, then the box that fits this gap best.
 *
 * All numbers are integers, so every machine gives the same places. The arrays are allocated once, since a
 * page is tried hundreds of times with the same boxes in other orders.
 *
 * @see Burke, Kendall, Whitwell: A New Placement Heuristic for the Orthogonal Stock-Cutting Problem (2004);
 * Leung, Zhang, Sim: A two-stage intelligent search algorithm for the two-dimensional strip packing problem
 * (2011), for the score of a fit.
 */
export class StripFiller {
  readonly entries: BoxEntries
  /**
   * Box → its last place. After a filling that started half-filled, the earlier boxes have the places of their last
   * filling.
   */
  readonly xs: Int32Array
  readonly ys: Int32Array
  /** Box → its placed entry; -1 if it is not placed. */
  readonly placedBy: Int32Array
  /** The state after `keepAt` boxes. */
  halfFilled: HalfFilled | undefined
  readonly #outline: Outline
  readonly #waiting: WaitingBoxes

  constructor(boxes: readonly Box[], canTurn: boolean) {
    this.entries = toEntries(boxes, canTurn)
    this.xs = new Int32Array(boxes.length)
    this.ys = new Int32Array(boxes.length)
    this.placedBy = new Int32Array(boxes.length)
    this.#outline = new Outline(boxes.length)
    this.#waiting = new WaitingBoxes(this.entries)
  }

  /**
   * Fills one strip.
   *
   * @param order Entries from `orderBy`, with all entries of a box or none. With `from`, only the entries of the
   *   remaining boxes.
   * @returns `undefined` if not all boxes fit the bounds. The function stops as soon as this is certain.
   */
  fill(order: Int32Array, rule: FillRule, bounds: FillBounds): Filling | undefined {
    const { boxes, area, boxOf, widths, heights } = this.entries
    const { from, keepAt, isPartial, height: most } = bounds
    const outline = this.#outline
    const waiting = this.#waiting
    const { x, y, span } = outline
    outline.begin(from.outline)
    waiting.begin(order)
    let { width, height, placed, lost } = from
    if (placed === 0) this.placedBy.fill(-1)
    const mayLose = isPartial ? WALL : bounds.width * most - area
    while (placed < boxes) {
      if (placed === keepAt) this.halfFilled = { width, height, placed, outline: outline.copy(), lost, rest: waiting.rest() }
      const at = outline.gap()
      const top = y[at]!
      const gap = span[at]!
      const before = outline.left[at]!
      const after = outline.right[at]!
      // Distances from the gap to the bottom edges of its neighbours.
      const toLeft = before < 0 ? WALL : y[before]! - top
      const toRight = after < 0 ? WALL : y[after]! - top
      const near = Math.min(toLeft, toRight)
      const entry = waiting.choose(gap, Math.max(toLeft, toRight), near, isPartial ? most - top : WALL, rule)
      if (entry < 0) {
        // No box fits: the gap is lost down to its shorter neighbour.
        if (near === WALL) break
        lost += near * gap
        if (lost > mayLose) return undefined
        outline.sink(at, top + near)
        continue
      }
      const wide = widths[entry]!
      const tall = heights[entry]!
      const bottom = top + tall
      if (bottom > most) return undefined
      // Next to the neighbour with the same bottom edge, else next to the longer neighbour.
      const goesLeft = tall === toLeft || (tall !== toRight && toLeft >= toRight)
      const start = goesLeft ? x[at]! : x[at]! + gap - wide
      if (gap === wide) outline.sink(at, bottom)
      else outline.split(at, goesLeft ? wide : gap - wide, bottom, goesLeft)
      waiting.take(entry)
      const box = boxOf[entry]!
      this.xs[box] = start
      this.ys[box] = top
      this.placedBy[box] = entry
      placed++
      if (bottom > height) height = bottom
      if (start + wide > width) width = start + wide
    }
    return placed === boxes || isPartial ? { width, height, placed } : undefined
  }
}
