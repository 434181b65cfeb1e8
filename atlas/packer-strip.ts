import { Skyline, type SkylineCopy, WALL } from './packer-skyline.ts'
import { type Box, type FillRule, WaitingBoxes } from './packer-waiting.ts'

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
export interface HalfFilled {
  readonly skyline: SkylineCopy
  readonly filling: Filling
  /** Area lost so far, square pixels. */
  readonly lost: number
  /** Entries of the boxes that still wait, in their order. */
  readonly rest: Int32Array
}

/** Bounds of one filling. */
export interface FillBounds {
  readonly width: number
  /** No box may end below. */
  readonly height: number
  /** Leave out boxes that would end below, instead of giving up. @default false */
  readonly isPartial?: boolean
  /** Where to begin. @default an empty strip */
  readonly from?: HalfFilled
  /** Number of boxes after which the state is kept in `halfFilled`. @default never */
  readonly keepAt?: number
}

/**
 * Fills strips of given width from the top downwards: each time the highest gap, with the box that fits it best; for many orders of the same boxes.
 *
 * All numbers are integers: every machine gives the same places.
 *
 * @see Burke, Kendall, Whitwell: A New Placement Heuristic for the Orthogonal Stock-Cutting Problem (2004);
 * Leung, Zhang, Sim: A two-stage intelligent search algorithm for the two-dimensional strip packing problem (2011), for the worth of a fit.
 */
export class StripFiller {
  readonly waiting: WaitingBoxes
  /** Box → where it was placed last. After a filling that began half-filled, the earlier boxes are where any other filling has put them. */
  readonly xs: Int32Array
  readonly ys: Int32Array
  /** Box → the entry it was placed by; -1 for none. */
  readonly entries: Int32Array
  /** As `keepAt` asks. */
  halfFilled: HalfFilled | undefined
  readonly #boxes: readonly Box[]
  readonly #area: number
  readonly #skyline: Skyline

  constructor(boxes: readonly Box[], canTurn: boolean) {
    this.#boxes = boxes
    this.#area = boxes.reduce((area, box) => area + box.width * box.height, 0)
    this.waiting = new WaitingBoxes(boxes, canTurn)
    this.#skyline = new Skyline(boxes.length)
    this.xs = new Int32Array(boxes.length)
    this.ys = new Int32Array(boxes.length)
    this.entries = new Int32Array(boxes.length)
  }

  /**
   * Fills one strip.
   *
   * @param order Entries, as {@link WaitingBoxes.orderBy} gives them; with `from`, those of its rest.
   * @returns Undefined as soon as it is clear that not all boxes end within the bounds.
   */
  fill(order: Int32Array, rule: FillRule, bounds: FillBounds): Filling | undefined {
    const { waiting } = this
    const skyline = this.#skyline
    const isPartial = bounds.isPartial ?? false
    skyline.begin(bounds.width, bounds.from?.skyline)
    waiting.begin(order)
    if (bounds.from === undefined) this.entries.fill(-1)
    let { width, height, placed } = bounds.from?.filling ?? { width: 0, height: 0, placed: 0 }
    let lost = bounds.from?.lost ?? 0
    const mayLose = isPartial ? Number.POSITIVE_INFINITY : bounds.width * bounds.height - this.#area
    while (placed < this.#boxes.length) {
      if (placed === bounds.keepAt)
        this.halfFilled = { skyline: skyline.copy(), filling: { width, height, placed }, lost, rest: waiting.rest() }
      const at = skyline.gap()
      const left = skyline.left(at)
      const right = skyline.right(at)
      const y = skyline.y(at)
      const room = isPartial ? bounds.height - y : WALL
      const entry = waiting.choose(skyline.span(at), Math.max(left, right), Math.min(left, right), room, rule)
      if (entry < 0) {
        if (skyline.count === 1) break
        lost += skyline.close(at)
        if (lost > mayLose) return undefined
        continue
      }
      const bottom = y + waiting.heights[entry]!
      if (bottom > bounds.height) return undefined
      waiting.take(entry)
      const x = skyline.lay(at, waiting.widths[entry]!, waiting.heights[entry]!)
      this.#note(entry, x, y)
      placed++
      if (bottom > height) height = bottom
      if (x + waiting.widths[entry]! > width) width = x + waiting.widths[entry]!
    }
    return placed === this.#boxes.length || isPartial ? { width, height, placed } : undefined
  }

  #note(entry: number, x: number, y: number): void {
    const box = this.waiting.boxOf[entry]!
    this.xs[box] = x
    this.ys[box] = y
    this.entries[box] = entry
  }
}
