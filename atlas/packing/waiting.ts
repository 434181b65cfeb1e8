import type { BoxEntries } from './boxes.ts'

/**
 * Scores of a box that is as wide as the gap but not level with a neighbour. The other scores are constants,
 * see {@link EXACT_FAR}.
 */
export interface FillRule {
  /** Score of a box longer than both neighbours. */
  readonly over: number
  /** Score of a shorter box. */
  readonly under: number
}

/**
 * Scores of a box that is exactly as wide as the gap. The first score is for a box that ends level with the longer
 * neighbour, the second for a box that ends level with the shorter neighbour or with the bottom of the page.
 */
const EXACT_FAR = 60
const EXACT_NEAR = 50
/** Scores of a narrower box: level with the longer neighbour, and level with the shorter neighbour. */
const LEVEL_FAR = 30
const LEVEL_NEAR = 20

/**
 * Waiting boxes in an order, with a fast search for the box that fits a gap best. The arrays are allocated
 * once, since a page is tried hundreds of times.
 */
export class WaitingBoxes {
  readonly entries: BoxEntries
  // Linked lists of ranks (positions in the order): all waiting entries, those of one width, those of one
  // height.
  readonly #next: Int32Array
  readonly #previous: Int32Array
  readonly #isGone: Uint8Array
  readonly #rankOf: Int32Array
  readonly #firstOfWidth: Int32Array
  readonly #nextOfWidth: Int32Array
  readonly #firstOfHeight: Int32Array
  readonly #nextOfHeight: Int32Array
  readonly #countOfWidth: Int32Array
  #order: Int32Array = new Int32Array(0)
  #first = 0
  #narrowest = 0
  #best = -1

  constructor(entries: BoxEntries) {
    const count = entries.widths.length
    const column = (length: number): Int32Array => new Int32Array(length)
    this.entries = entries
    this.#next = column(count)
    this.#previous = column(count)
    this.#isGone = new Uint8Array(count)
    this.#rankOf = column(count)
    this.#firstOfWidth = column(entries.longest + 1)
    this.#nextOfWidth = column(count)
    this.#firstOfHeight = column(entries.longest + 1)
    this.#nextOfHeight = column(count)
    this.#countOfWidth = column(entries.longest + 1)
  }

  /**
   * Starts with all boxes of an order.
   *
   * @param order The entries in their order, with all entries of a box or none.
   */
  begin(order: Int32Array): void {
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

  /** Returns the waiting entries, in order. */
  rest(): Int32Array {
    const rest: number[] = []
    for (let rank = this.#first; rank < this.#order.length; rank = this.#next[rank]!) rest.push(this.#order[rank]!)
    return Int32Array.from(rest)
  }

  /**
   * Returns the entry with the best score for a gap, the first of several. If no entry is level with a
   * neighbour or as wide as the gap, returns the first entry that fits; -1 if none fits.
   *
   * @param far Distance from the gap to the bottom edge of the longer neighbour.
   * @param near Distance from the gap to the bottom edge of the shorter neighbour.
   * @param room Height from the gap to the bottom.
   */
  choose(gap: number, far: number, near: number, room: number, rule: FillRule): number {
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

  /** Returns the best entry of one width. Also unlinks removed entries that it passes. */
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

  /** Removes a box: its entries of both orientations. */
  take(entry: number): void {
    this.#remove(entry)
    const other = this.entries.others[entry]!
    if (other >= 0) this.#remove(other)
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
}
