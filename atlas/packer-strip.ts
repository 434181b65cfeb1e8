import { type Box, type BoxEntries, toEntries } from './packer-boxes.ts'

/** What a box is worth that is as wide as the gap without being level with a neighbour; others are worth {@link EXACT_FAR} and so on. */
export interface FillRule {
  /** It goes beyond both neighbours. */
  readonly over: number
  /** It does not. */
  readonly under: number
}

/** As wide as the gap, and level with its longer neighbour; with the shorter one or the bottom. */
const EXACT_FAR = 60
const EXACT_NEAR = 50
/** Narrower, and level with the longer neighbour; with the shorter one. */
const LEVEL_FAR = 30
const LEVEL_NEAR = 20

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
  /** Stretches of the lower outline, from left to right. */
  readonly xs: Int32Array
  readonly ys: Int32Array
  readonly spans: Int32Array
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

/** Beyond the edges: a neighbour that no box reaches, and that no count of pixels comes near. */
const WALL = 1 << 29

const none = new Int32Array(0)

/** A strip with nothing in it. */
export function emptyStrip(width: number): HalfFilled {
  return { width: 0, height: 0, placed: 0, xs: Int32Array.of(0), ys: Int32Array.of(0), spans: Int32Array.of(width), lost: 0, rest: none }
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
  // The lower outline of what lies in the strip: stretches of one height in a list from left to right. Number 0 is always the leftmost; those that are free are chained by `right`.
  readonly #x: Int32Array
  readonly #y: Int32Array
  readonly #span: Int32Array
  readonly #right: Int32Array
  readonly #left: Int32Array
  #used = 0
  #free = -1
  // By rank, which is the place in the order: all entries that wait, those of one width, those of one height.
  readonly #next: Int32Array
  readonly #previous: Int32Array
  readonly #isGone: Uint8Array
  readonly #rankOf: Int32Array
  readonly #firstOfWidth: Int32Array
  readonly #nextOfWidth: Int32Array
  readonly #firstOfHeight: Int32Array
  readonly #nextOfHeight: Int32Array
  readonly #countOfWidth: Int32Array
  #order: Int32Array = none
  #first = 0
  #narrowest = 0
  #best = -1

  constructor(boxes: readonly Box[], canTurn: boolean) {
    this.entries = toEntries(boxes, canTurn)
    const column = (length: number): Int32Array => new Int32Array(length)
    const most = boxes.length + 2
    const count = this.entries.widths.length
    const { longest } = this.entries
    this.xs = column(boxes.length)
    this.ys = column(boxes.length)
    this.placedBy = column(boxes.length)
    this.#x = column(most)
    this.#y = column(most)
    this.#span = column(most)
    this.#right = column(most)
    this.#left = column(most)
    this.#next = column(count)
    this.#previous = column(count)
    this.#isGone = new Uint8Array(count)
    this.#rankOf = column(count)
    this.#firstOfWidth = column(longest + 1)
    this.#nextOfWidth = column(count)
    this.#firstOfHeight = column(longest + 1)
    this.#nextOfHeight = column(count)
    this.#countOfWidth = column(longest + 1)
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
    const x = this.#x
    const y = this.#y
    const span = this.#span
    this.#beginOutline(from)
    this.#beginWaiting(order)
    let { width, height, placed, lost } = from
    if (placed === 0) this.placedBy.fill(-1)
    const mayLose = isPartial ? WALL : bounds.width * most - area
    while (placed < boxes) {
      if (placed === keepAt) this.halfFilled = this.#copy({ width, height, placed }, lost)
      const at = this.#gap()
      const top = y[at]!
      const gap = span[at]!
      const before = this.#left[at]!
      const after = this.#right[at]!
      // How far the neighbours reach below it.
      const toLeft = before < 0 ? WALL : y[before]! - top
      const toRight = after < 0 ? WALL : y[after]! - top
      const near = Math.min(toLeft, toRight)
      const entry = this.#choose(gap, Math.max(toLeft, toRight), near, isPartial ? most - top : WALL, rule)
      if (entry < 0) {
        // The gap is given up, down to its nearer neighbour.
        if (near === WALL) break
        lost += near * gap
        if (lost > mayLose) return undefined
        y[at] = top + near
        this.#level(at)
        continue
      }
      const wide = widths[entry]!
      const tall = heights[entry]!
      const bottom = top + tall
      if (bottom > most) return undefined
      // Beside the neighbour that it is level with, else the longer one.
      const goesLeft = tall === toLeft || (tall !== toRight && toLeft >= toRight)
      const start = goesLeft ? x[at]! : x[at]! + gap - wide
      this.#level(gap === wide ? this.#sink(at, bottom) : this.#split(at, goesLeft ? wide : gap - wide, bottom, goesLeft))
      this.#take(entry)
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

  /** The stretch nearest to the top, the leftmost of several. */
  #gap(): number {
    const y = this.#y
    const right = this.#right
    let at = 0
    let top = y[0]!
    for (let other = right[0]!; other >= 0; other = right[other]!) {
      if (y[other]! < top) {
        top = y[other]!
        at = other
      }
    }
    return at
  }

  /** A box as wide as its gap. @returns The stretch that it ends on. */
  #sink(at: number, bottom: number): number {
    this.#y[at] = bottom
    return at
  }

  /** A box that leaves some of its gap beside it. @param wide Width of the part on the left. @returns The stretch that the box ends on. */
  #split(at: number, wide: number, bottom: number, goesLeft: boolean): number {
    let made = this.#free
    if (made < 0) made = this.#used++
    else this.#free = this.#right[made]!
    const after = this.#right[at]!
    this.#right[made] = after
    this.#left[made] = at
    this.#right[at] = made
    if (after >= 0) this.#left[after] = made
    this.#x[made] = this.#x[at]! + wide
    this.#span[made] = this.#span[at]! - wide
    this.#span[at] = wide
    if (goesLeft) {
      this.#y[made] = this.#y[at]!
      this.#y[at] = bottom
      return at
    }
    this.#y[made] = bottom
    return made
  }

  /** Makes one of a stretch and such neighbours as are level with it; the one on the left stays. */
  #level(at: number): void {
    this.#merge(at)
    const before = this.#left[at]!
    if (before >= 0) this.#merge(before)
  }

  #merge(at: number): void {
    const other = this.#right[at]!
    if (other < 0 || this.#y[other] !== this.#y[at]) return
    const beyond = this.#right[other]!
    this.#span[at]! += this.#span[other]!
    this.#right[at] = beyond
    if (beyond >= 0) this.#left[beyond] = at
    this.#right[other] = this.#free
    this.#free = other
  }

  /**
   * The entry that is worth most in a gap, the first of several in the order; -1 where none fits. Where none is level with a neighbour or as wide as the gap, the first that fits.
   *
   * @param far How far the longer neighbour reaches, `near` the shorter. @param room Height that is left.
   */
  #choose(gap: number, far: number, near: number, room: number, rule: FillRule): number {
    const { longest, widths, heights } = this.entries
    if (gap < this.#narrowest) return -1
    this.#best = -1
    const worth = gap <= longest ? this.#bestOfWidth(gap, far, near, room, rule) : 0
    if (worth < LEVEL_FAR && far <= longest && far <= room && this.#findOfHeight(far, gap)) return this.#best
    if (worth < LEVEL_NEAR && near <= longest && near <= room && this.#findOfHeight(near, gap)) return this.#best
    if (worth > 0) return this.#best
    const order = this.#order
    const next = this.#next
    for (let rank = this.#first; rank < order.length; rank = next[rank]!) {
      const entry = order[rank]!
      if (widths[entry]! <= gap && heights[entry]! <= room) return entry
    }
    return -1
  }

  /** Those that are gone leave their list when somebody comes by. */
  #bestOfWidth(gap: number, far: number, near: number, room: number, rule: FillRule): number {
    const { heights } = this.entries
    let worth = 0
    let last = -1
    for (let rank = this.#firstOfWidth[gap]!; rank >= 0; rank = this.#nextOfWidth[rank]!) {
      if (this.#isGone[rank] === 1) {
        if (last < 0) this.#firstOfWidth[gap] = this.#nextOfWidth[rank]!
        else this.#nextOfWidth[last] = this.#nextOfWidth[rank]!
        continue
      }
      last = rank
      const entry = this.#order[rank]!
      const tall = heights[entry]!
      if (tall > room) continue
      const own = tall === far ? EXACT_FAR : tall === near || tall === room ? EXACT_NEAR : tall > far ? rule.over : rule.under
      if (own <= worth) continue
      worth = own
      this.#best = entry
    }
    return worth
  }

  #findOfHeight(height: number, gap: number): boolean {
    const { widths } = this.entries
    let last = -1
    for (let rank = this.#firstOfHeight[height]!; rank >= 0; rank = this.#nextOfHeight[rank]!) {
      if (this.#isGone[rank] === 1) {
        if (last < 0) this.#firstOfHeight[height] = this.#nextOfHeight[rank]!
        else this.#nextOfHeight[last] = this.#nextOfHeight[rank]!
        continue
      }
      last = rank
      const entry = this.#order[rank]!
      if (widths[entry]! > gap) continue
      this.#best = entry
      return true
    }
    return false
  }

  /** Takes a box out, in both ways of placing it. */
  #take(entry: number): void {
    this.#remove(entry)
    const twin = this.entries.twins[entry]!
    if (twin >= 0) this.#remove(twin)
    this.#findNarrowest()
  }

  #remove(entry: number): void {
    const rank = this.#rankOf[entry]!
    this.#isGone[rank] = 1
    const above = this.#previous[rank]!
    const below = this.#next[rank]!
    if (above >= 0) this.#next[above] = below
    else this.#first = below
    if (below < this.#order.length) this.#previous[below] = above
    this.#countOfWidth[this.entries.widths[entry]!]!--
  }

  #findNarrowest(): void {
    while (this.#narrowest < this.entries.longest && this.#countOfWidth[this.#narrowest] === 0) this.#narrowest++
  }

  #beginOutline({ xs, ys, spans }: HalfFilled): void {
    const count = xs.length
    this.#x.set(xs)
    this.#y.set(ys)
    this.#span.set(spans)
    for (let at = 0; at < count; at++) {
      this.#left[at] = at - 1
      this.#right[at] = at + 1
    }
    this.#right[count - 1] = -1
    this.#used = count
    this.#free = -1
  }

  #beginWaiting(order: Int32Array): void {
    const { widths, heights } = this.entries
    this.#order = order
    this.#firstOfWidth.fill(-1)
    this.#firstOfHeight.fill(-1)
    this.#countOfWidth.fill(0)
    this.#isGone.fill(0)
    for (let rank = order.length - 1; rank >= 0; rank--) {
      const entry = order[rank]!
      const width = widths[entry]!
      const height = heights[entry]!
      this.#rankOf[entry] = rank
      this.#nextOfWidth[rank] = this.#firstOfWidth[width]!
      this.#firstOfWidth[width] = rank
      this.#nextOfHeight[rank] = this.#firstOfHeight[height]!
      this.#firstOfHeight[height] = rank
      this.#countOfWidth[width]!++
      this.#next[rank] = rank + 1
      this.#previous[rank] = rank - 1
    }
    this.#first = 0
    this.#narrowest = 0
    this.#findNarrowest()
  }

  #copy({ width, height, placed }: Filling, lost: number): HalfFilled {
    const stretches: number[] = []
    for (let at = 0; at >= 0; at = this.#right[at]!) stretches.push(at)
    const rest: number[] = []
    for (let rank = this.#first; rank < this.#order.length; rank = this.#next[rank]!) rest.push(this.#order[rank]!)
    const pick = (values: Int32Array): Int32Array => Int32Array.from(stretches, (at) => values[at]!)
    return { width, height, placed, xs: pick(this.#x), ys: pick(this.#y), spans: pick(this.#span), lost, rest: Int32Array.from(rest) }
  }
}
