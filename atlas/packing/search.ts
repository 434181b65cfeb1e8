import { type Box, orderBy } from './boxes.ts'
import { type Layout, type PageBounds, rootAbove } from './layout.ts'
import { emptyStrip, type FillBounds, type Filling, StripFiller } from './strip.ts'
import type { FillRule } from './waiting.ts'

/** A filling that is worth improving. */
interface Candidate extends Filling {
  readonly strip: number
  readonly order: Int32Array
  readonly rule: FillRule
  readonly area: number
}

/**
 * Most boxes placed for a page, in all tries together. With a limit of time, each run could give another page.
 */
const BOXES_LAID = 60_000
/** Limit for each box, so that few boxes are packed quickly: code that is not compiled yet is slow. */
const TIMES_LAID = 400
/** Share of the limit for the first fillings. The other tries change the order of the last boxes. */
const FIRST_SHARE = 0.6
const MOST_FILLINGS = 2000
/** Number of fillings to improve. */
const CANDIDATES = 3
/** Numbers of last boxes whose order is changed. */
const LAST_BOXES = [120, 240]

/**
 * The search ends at this density: thousandths of the page covered by boxes with their padding. Fewer than
 * `few` boxes cannot be packed as densely, so their limit is lower.
 */
const GOOD_ENOUGH = { of: 990, ofFew: 975, few: 200 }

/** Orders to try: long boxes first, by four measures. */
export const KEYS: readonly ((width: number, height: number) => number)[] = [
  (width, height) => 8 * height + width,
  (width, height) => width * height,
  (width, height) => 2 * height + width,
  (width, height) => height * 65536 + width,
]
/** Scores to try. */
export const RULES: readonly FillRule[] = [
  { over: 25, under: 24 },
  { over: 45, under: 40 },
]

/**
 * Whether pages are dense enough to end the search.
 *
 * @param boxes Number of boxes.
 * @param area Area of the boxes with their padding.
 * @param page Area of the pages.
 */
export function isDense(boxes: number, area: number, page: number): boolean {
  return 1000 * area >= (boxes < GOOD_ENOUGH.few ? GOOD_ENOUGH.ofFew : GOOD_ENOUGH.of) * page
}

/** Returns the smallest page found for all boxes, or `undefined` if none fits the bounds. */
export function layOut(boxes: readonly Box[], bounds: PageBounds): Layout | undefined {
  const search = new PageSearch(boxes, bounds)
  const candidates = search.tryWidths()
  for (const candidate of candidates) search.tryLast(candidate)
  return search.best
}

/**
 * Lays out all boxes on a page of the largest size, with few tries. Returns `undefined` if not all of them
 * fit.
 */
export function layOutQuickly(boxes: readonly Box[], bounds: PageBounds): Layout | undefined {
  return new PageSearch(boxes, bounds).first(bounds.longest)
}

/** Returns the densest page found for some of the boxes. */
export function layOutSome(boxes: readonly Box[], bounds: PageBounds): Layout {
  const filler = new StripFiller(boxes, bounds.canTurn)
  const orders = KEYS.map((key) => orderBy(filler.entries, key))
  let best: { readonly density: number; readonly layout: Layout } | undefined
  for (const width of [bounds.longest, bounds.longest - (bounds.longest >> 6)]) {
    for (const order of orders) {
      for (const rule of RULES) {
        const filling = filler.fill(order, rule, toBounds(width, bounds.longest, true))!
        const area = boxes.reduce((sum, box, at) => sum + (filler.placedBy[at]! < 0 ? 0 : box.width * box.height), 0)
        const density = area / ((filling.width + bounds.edge) * (filling.height + bounds.edge))
        if (best === undefined || density > best.density) best = { density, layout: toLayout(filler, boxes, filling) }
      }
    }
  }
  return best!.layout
}

class PageSearch {
  best: Layout | undefined
  readonly #boxes: readonly Box[]
  readonly #bounds: PageBounds
  readonly #filler: StripFiller
  readonly #orders: (Int32Array | undefined)[] = KEYS.map(() => undefined)
  #smallest = Number.POSITIVE_INFINITY
  #candidates: Candidate[] = []
  #random = 0x2545f491
  /** Limit of boxes placed by this search. */
  readonly #effort: number

  constructor(boxes: readonly Box[], bounds: PageBounds) {
    this.#boxes = boxes
    this.#bounds = bounds
    this.#effort = Math.min(BOXES_LAID, TIMES_LAID * boxes.length)
    this.#filler = new StripFiller(boxes, bounds.canTurn)
  }

  /** The orders by {@link KEYS}. Each is made on demand, since the first one is often enough. */
  *#allOrders(): Generator<Int32Array> {
    for (const [at, key] of KEYS.entries()) {
      const order = this.#orders[at] ?? orderBy(this.#filler.entries, key)
      this.#orders[at] = order
      yield order
    }
  }

  /**
   * Returns the first filling with all boxes. If almost no area may be lost, one try decides, because all orders give
   * nearly the same density.
   */
  first(strip: number): Layout | undefined {
    const { longest } = this.#bounds
    const isTight = 1000 * this.#filler.entries.area > GOOD_ENOUGH.of * strip * longest
    for (const order of this.#allOrders()) {
      for (const rule of RULES) {
        const filling = this.#filler.fill(order, rule, toBounds(strip, longest))
        if (filling !== undefined) return toLayout(this.#filler, this.#boxes, filling)
        if (isTight) return undefined
      }
    }
    return undefined
  }

  /**
   * Fills strips of many widths.
   *
   * @returns The best fillings, the best first.
   */
  tryWidths(): readonly Candidate[] {
    const fillings = Math.min(MOST_FILLINGS, Math.ceil((this.#effort * FIRST_SHARE) / this.#boxes.length))
    for (const width of this.#widths(Math.max(2, Math.floor(fillings / (KEYS.length * RULES.length))))) {
      this.tryWidth(width)
      // For few boxes the code is not compiled yet, so the search is slow, and an early end helps most.
      if (this.#boxes.length < GOOD_ENOUGH.few && this.#isGoodEnough()) break
    }
    if (this.best === undefined) this.tryWidth(this.#bounds.longest)
    return this.#candidates
  }

  /** Fills one strip by every order and rule. */
  tryWidth(strip: number): void {
    for (const order of this.#allOrders()) {
      for (const rule of RULES) {
        const filling = this.#filler.fill(order, rule, toBounds(strip, this.#worthwhileHeight(strip)))
        if (filling === undefined) continue
        const area = this.#keepIfBest(filling)
        const candidates = [...this.#candidates.filter((other) => other.strip !== strip || other.area < area)]
        candidates.push({ ...filling, strip, order, rule, area })
        this.#candidates = candidates.sort((a, b) => a.area - b.area).slice(0, CANDIDATES)
      }
    }
  }

  /**
   * Improves the order of the last boxes. It swaps two boxes, and keeps the swap if the page does not become longer.
   */
  tryLast({ strip, order, rule, height }: Candidate): void {
    if (this.#isGoodEnough()) return
    const all = this.#boxes.length
    const sizes = new Set(LAST_BOXES[0]! < all ? LAST_BOXES.map((size) => Math.min(size, all)) : [all, all >> 1])
    for (const last of sizes) {
      if (last < 2) continue
      const tries = Math.min(MOST_FILLINGS, last * last, Math.floor((this.#effort * (1 - FIRST_SHARE)) / (CANDIDATES * sizes.size * last)))
      this.#filler.fill(order, rule, { width: strip, height, isPartial: false, from: emptyStrip(strip), keepAt: all - last })
      const from = this.#filler.halfFilled!
      const rest = from.rest
      let lowest = height
      for (let i = 0; i < tries && !this.#isGoodEnough(); i++) {
        const a = this.#nextRandom(rest.length)
        const b = this.#nextRandom(rest.length)
        swap(rest, a, b)
        const filling = this.#filler.fill(rest, rule, { width: strip, height: lowest, isPartial: false, from, keepAt: -1 })
        if (filling === undefined) swap(rest, a, b)
        else {
          lowest = filling.height
          this.#keepIfBest(filling)
        }
      }
    }
  }

  #isGoodEnough(): boolean {
    return isDense(this.#boxes.length, this.#filler.entries.area, this.#smallest)
  }

  #keepIfBest(filling: Filling): number {
    const { edge } = this.#bounds
    const area = (filling.width + edge) * (filling.height + edge)
    if (area < this.#smallest) {
      this.#smallest = area
      this.best = toLayout(this.#filler, this.#boxes, filling)
    }
    return area
  }

  /** A height slightly above the best height, since a worse filling may improve more. */
  #worthwhileHeight(strip: number): number {
    const { longest, edge } = this.#bounds
    return Math.min(longest, Math.floor((this.#smallest * 1.005) / (strip + edge)) - edge)
  }

  /** Evenly spaced widths for pages between 1 : 2 and 2 : 1, within the bounds. */
  #widths(count: number): readonly number[] {
    const { longest, canTurn } = this.#bounds
    const { area } = this.#filler.entries
    const widest = this.#boxes.reduce((most, box) => Math.max(most, canTurn ? Math.min(box.width, box.height) : box.width), 0)
    const low = Math.max(widest, rootAbove(area / 2), Math.ceil(area / longest))
    if (low > longest) return []
    const high = Math.min(longest, Math.max(low, rootAbove(area * 2)))
    const steps = Math.max(1, Math.min(count - 1, high - low))
    return Array.from({ length: steps + 1 }, (_, step) => low + Math.floor(((high - low) * step) / steps))
  }

  /** Returns a random number below `count` (xorshift, fixed seed). */
  #nextRandom(count: number): number {
    this.#random ^= this.#random << 13
    this.#random ^= this.#random >>> 17
    this.#random ^= this.#random << 5
    return (this.#random >>> 0) % count
  }
}

/** Bounds of a filling from the start. */
export function toBounds(width: number, height: number, isPartial = false): FillBounds {
  return { width, height, isPartial, from: emptyStrip(width), keepAt: -1 }
}

function swap(values: Int32Array, a: number, b: number): void {
  const first = values[a]!
  values[a] = values[b]!
  values[b] = first
}

/** Returns the places of the last filling. */
export function toLayout(filler: StripFiller, boxes: readonly Box[], { width, height }: Filling): Layout {
  const places = boxes.map((box, at) => {
    const entry = filler.placedBy[at]!
    if (entry < 0) return undefined
    return { x: filler.xs[at]!, y: filler.ys[at]!, isTurned: filler.entries.widths[entry] !== box.width }
  })
  return { width, height, places }
}
