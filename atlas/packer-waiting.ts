/** A rectangle with its padding, pixels. */
export interface Box {
  readonly width: number
  readonly height: number
}

/** What a box is worth that is as wide as the gap without being level with a neighbour: 0 to 7, beside the values of {@link WaitingBoxes.choose}. */
export interface FillRule {
  /** It goes beyond both neighbours. */
  readonly over: number
  /** It does not. */
  readonly under: number
}

/**
 * Boxes that wait for their place, in an order, with a quick answer to which fits a gap best.
 *
 * They are known by entries: one each, and where boxes may be turned by 90° a second one for each that is no square. The arrays are made once, since a page is tried hundreds of times.
 */
export class WaitingBoxes {
  /** Entry → box. */
  readonly boxOf: Int32Array
  /** Entry → its width and height as placed. */
  readonly widths: Int32Array
  readonly heights: Int32Array
  readonly #twin: Int32Array
  readonly #longest: number
  #order: Int32Array = new Int32Array(0)
  #first = 0
  #narrowest = 0
  #best = -1
  // By rank, which is the place in the order: all that wait, those of one width, those of one height.
  readonly #next: Int32Array
  readonly #previous: Int32Array
  readonly #isGone: Uint8Array
  readonly #rankOf: Int32Array
  readonly #firstOfWidth: Int32Array
  readonly #nextOfWidth: Int32Array
  readonly #firstOfHeight: Int32Array
  readonly #nextOfHeight: Int32Array
  readonly #countOfWidth: Int32Array

  constructor(boxes: readonly Box[], canTurn: boolean) {
    const entries = boxes.flatMap((box, index) => [
      { index, width: box.width, height: box.height },
      ...(canTurn && box.width !== box.height ? [{ index, width: box.height, height: box.width }] : []),
    ])
    const count = entries.length
    const isTwin = (at: number, index: number): boolean => entries[at]?.index === index
    this.boxOf = Int32Array.from(entries, (entry) => entry.index)
    this.widths = Int32Array.from(entries, (entry) => entry.width)
    this.heights = Int32Array.from(entries, (entry) => entry.height)
    this.#twin = Int32Array.from(entries, ({ index }, at) => (isTwin(at + 1, index) ? at + 1 : isTwin(at - 1, index) ? at - 1 : -1))
    this.#longest = boxes.reduce((longest, box) => Math.max(longest, box.width, box.height), 0)
    this.#next = new Int32Array(count)
    this.#previous = new Int32Array(count)
    this.#isGone = new Uint8Array(count)
    this.#rankOf = new Int32Array(count)
    this.#nextOfWidth = new Int32Array(count)
    this.#nextOfHeight = new Int32Array(count)
    this.#firstOfWidth = new Int32Array(this.#longest + 1)
    this.#firstOfHeight = new Int32Array(this.#longest + 1)
    this.#countOfWidth = new Int32Array(this.#longest + 1)
  }

  /** All entries in an order: highest key first, then as the boxes came. @param key Integer for a width and a height. */
  orderBy(key: (width: number, height: number) => number): Int32Array {
    const keys = Array.from(this.widths, (width, entry) => key(width, this.heights[entry]!))
    return Int32Array.from(keys.keys()).sort((a, b) => keys[b]! - keys[a]! || a - b)
  }

  /** Begins anew. @param order Entries, both of a box or none. */
  begin(order: Int32Array): void {
    this.#order = order
    this.#firstOfWidth.fill(-1)
    this.#firstOfHeight.fill(-1)
    this.#countOfWidth.fill(0)
    this.#isGone.fill(0)
    for (let rank = order.length - 1; rank >= 0; rank--) {
      const entry = order[rank]!
      const width = this.widths[entry]!
      const height = this.heights[entry]!
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

  /** Entries that wait, in their order. */
  rest(): Int32Array {
    const rest: number[] = []
    for (let rank = this.#first; rank < this.#order.length; rank = this.#next[rank]!) rest.push(this.#order[rank]!)
    return Int32Array.from(rest)
  }

  /**
   * The entry for a gap, -1 where none fits. One as wide as the gap and level with a neighbour is worth most (6 the longer, 5 the shorter or the bottom), then one level with the
   * longer neighbour (3), as wide as the gap (by the rule), level with the shorter (2), then what comes first in the order.
   *
   * @param far How far the longer neighbour reaches, `near` the shorter. @param room Height that is left.
   */
  choose(span: number, far: number, near: number, room: number, rule: FillRule): number {
    if (span < this.#narrowest) return -1
    this.#best = -1
    const worth = span <= this.#longest ? this.#bestOfWidth(span, far, near, room, rule) : 0
    if ((worth < 3 && this.#isLevelWith(far, span, room)) || (worth < 2 && this.#isLevelWith(near, span, room)) || worth > 0) {
      return this.#best
    }
    for (let rank = this.#first; rank < this.#order.length; rank = this.#next[rank]!) {
      const entry = this.#order[rank]!
      if (this.widths[entry]! <= span && this.heights[entry]! <= room) return entry
    }
    return -1
  }

  /** Takes the box of an entry out. */
  take(entry: number): void {
    this.#remove(entry)
    const twin = this.#twin[entry]!
    if (twin >= 0) this.#remove(twin)
    this.#findNarrowest()
  }

  #findNarrowest(): void {
    while (this.#narrowest < this.#longest && this.#countOfWidth[this.#narrowest] === 0) this.#narrowest++
  }

  #remove(entry: number): void {
    const rank = this.#rankOf[entry]!
    this.#isGone[rank] = 1
    const before = this.#previous[rank]!
    const after = this.#next[rank]!
    if (before >= 0) this.#next[before] = after
    else this.#first = after
    if (after < this.#order.length) this.#previous[after] = before
    this.#countOfWidth[this.widths[entry]!]!--
  }

  /** Those that are gone leave their list when somebody comes by. */
  #bestOfWidth(span: number, far: number, near: number, room: number, rule: FillRule): number {
    let worth = 0
    let before = -1
    for (let rank = this.#firstOfWidth[span]!; rank >= 0; rank = this.#nextOfWidth[rank]!) {
      if (this.#isGone[rank]) {
        if (before < 0) this.#firstOfWidth[span] = this.#nextOfWidth[rank]!
        else this.#nextOfWidth[before] = this.#nextOfWidth[rank]!
        continue
      }
      before = rank
      const entry = this.#order[rank]!
      const height = this.heights[entry]!
      if (height > room) continue
      const own = height === far ? 6 : height === near || height === room ? 5 : height > far ? rule.over : rule.under
      if (own <= worth) continue
      worth = own
      this.#best = entry
    }
    return worth
  }

  #isLevelWith(height: number, span: number, room: number): boolean {
    if (height > this.#longest || height > room) return false
    let before = -1
    for (let rank = this.#firstOfHeight[height]!; rank >= 0; rank = this.#nextOfHeight[rank]!) {
      if (this.#isGone[rank]) {
        if (before < 0) this.#firstOfHeight[height] = this.#nextOfHeight[rank]!
        else this.#nextOfHeight[before] = this.#nextOfHeight[rank]!
        continue
      }
      before = rank
      const entry = this.#order[rank]!
      if (this.widths[entry]! > span) continue
      this.#best = entry
      return true
    }
    return false
  }
}
