import { type Box, type BoxEntries, toEntries } from './boxes.ts'
import { Outline, type OutlineCopy, WALL } from './outline.ts'
import { type FillRule, WaitingBoxes } from './waiting.ts'

/** What a filling came to. */
export interface Filling {
  /** Right edge of the rightmost box. */
  readonly width: number
  /** Bottom edge of the lowest box. */
  readonly height: number
  /** Number of boxes placed. */
  readonly placed: number
}

/** The state of a strip after some boxes, to go on from. */
export interface HalfFilled extends Filling {
  readonly outline: OutlineCopy
  /** Area lost so far, square pixels. */
  readonly lost: number
  /** Entries of the boxes that still wait, in their order. */
  readonly rest: Int32Array
}

/** Bounds of one filling. No field may be left out: objects of several shapes would have the filling compiled several times over. */
export interface FillBounds {
  readonly width: number
  /** No box may end below. */
  readonly height: number
  /** Leave out boxes that would end below, instead of giving up. */
  readonly isPartial: boolean
  /** Where to begin, see {@link emptyStrip}. */
  readonly from: HalfFilled
  /** Number of boxes after which the state is kept in `halfFilled`; -1 for never. */
  readonly keepAt: number
}

const none = new Int32Array(0)

/** A strip with nothing in it. */
export function emptyStrip(width: number): HalfFilled {
  const outline = { xs: Int32Array.of(0), ys: Int32Array.of(0), spans: Int32Array.of(width) }
  return { width: 0, height: 0, placed: 0, outline, lost: 0, rest: none }
}

/**
 * Fills strips of given width from the top downwards: each time the highest gap, with the box that fits it best; for many orders of the same boxes.
 *
 * All numbers are integers: every machine gives the same places. The arrays are made once, since a page is tried hundreds of times.
 *
 * @see Burke, Kendall, Whitwell: A New Placement Heuristic for the Orthogonal Stock-Cutting Problem (2004);
 * Leung, Zhang, Sim: A two-stage intelligent search algorithm for the two-dimensional strip packing problem (2011), for the worth of a fit.
 */
export class StripFiller {
  readonly entries: BoxEntries
  /** Box → where it was placed last. After a filling that began half-filled, the earlier boxes are where any other filling has put them. */
  readonly xs: Int32Array
  readonly ys: Int32Array
  /** Box → the entry it was placed by; -1 for none. */
  readonly placedBy: Int32Array
  /** As `keepAt` asks. */
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
   * @param order Entries, both of a box or none, as `orderBy` gives them; with `from`, those of its rest.
   * @returns Undefined as soon as it is clear that not all boxes end within the bounds.
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
      // How far the neighbours reach below it.
      const toLeft = before < 0 ? WALL : y[before]! - top
      const toRight = after < 0 ? WALL : y[after]! - top
      const near = Math.min(toLeft, toRight)
      const entry = waiting.choose(gap, Math.max(toLeft, toRight), near, isPartial ? most - top : WALL, rule)
      if (entry < 0) {
        // The gap is given up, down to its nearer neighbour.
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
      // Beside the neighbour that it is level with, else the longer one.
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
