import { type Box, orderBy } from './boxes.ts'
import { type Layout, type PageBounds, rootAbove } from './layout.ts'
import { emptyStrip, type FillBounds, type Filling, StripFiller } from './strip.ts'
import type { FillRule } from './waiting.ts'

/** A filling that may be worth more work. */
interface Candidate extends Filling {
  readonly strip: number
  readonly order: Int32Array
  readonly rule: FillRule
  readonly area: number
}

/** Boxes laid in the search of one page, in all its tries together: the bound of the work, so that every run gives the same page. */
const BOXES_LAID = 60_000
/** For each box at most, so that what is small is ready at once: a process spends more time on getting up to speed than on the search. */
const TIMES_LAID = 400
/** Of these, the share of the first fillings; the rest goes into other orders of what comes last. */
const FIRST_SHARE = 0.6
const MOST_FILLINGS = 2000
/** Fillings that are worked on. */
const CANDIDATES = 3
/** Number of last boxes whose order is changed. */
const LAST_BOXES = [120, 240]

/** Thousandths of a page covered by boxes and their padding from which on no better one is looked for; few boxes never come closer to one another. */
const GOOD_ENOUGH = { of: 990, ofFew: 975, few: 200 }

/** Long boxes first, by four measures. */
const KEYS: readonly ((width: number, height: number) => number)[] = [
  (width, height) => 8 * height + width,
  (width, height) => width * height,
  (width, height) => 2 * height + width,
  (width, height) => height * 65536 + width,
]
const RULES: readonly FillRule[] = [
  { over: 25, under: 24 },
  { over: 45, under: 40 },
]

/**
 * Whether pages are so full that the search ends.
 *
 * @param boxes Number of boxes, and `area` what they cover with their padding. @param page Area of the pages.
 */
export function isDense(boxes: number, area: number, page: number): boolean {
  return 1000 * area >= (boxes < GOOD_ENOUGH.few ? GOOD_ENOUGH.ofFew : GOOD_ENOUGH.of) * page
}

/** The smallest page that is found for boxes; undefined where none is within the bounds. */
export function layOut(boxes: readonly Box[], bounds: PageBounds): Layout | undefined {
  const search = new PageSearch(boxes, bounds)
  const candidates = search.tryWidths()
  for (const candidate of candidates) search.tryLast(candidate)
  return search.best
}

/** A page of the longest sides for boxes, by few tries; undefined where they do not all fit. */
export function layOutQuickly(boxes: readonly Box[], bounds: PageBounds): Layout | undefined {
  return new PageSearch(boxes, bounds).first(bounds.longest)
}

/** The densest page that is found with some of the boxes. */
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
  /** Boxes to be laid in all. */
  readonly #effort: number

  constructor(boxes: readonly Box[], bounds: PageBounds) {
    this.#boxes = boxes
    this.#bounds = bounds
    this.#effort = Math.min(BOXES_LAID, TIMES_LAID * boxes.length)
    this.#filler = new StripFiller(boxes, bounds.canTurn)
  }

  /** The orders by the keys; each is made when it is asked for, since the first may do. */
  *#allOrders(): Generator<Int32Array> {
    for (const [at, key] of KEYS.entries()) {
      const order = this.#orders[at] ?? orderBy(this.#filler.entries, key)
      this.#orders[at] = order
      yield order
    }
  }

  /** The first filling of a strip that holds all; where next to nothing may be lost, one is tried: what is alike lies so close by any order. */
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

  /** Fills strips of many widths. @returns The best few, the best first. */
  tryWidths(): readonly Candidate[] {
    const fillings = Math.min(MOST_FILLINGS, Math.ceil((this.#effort * FIRST_SHARE) / this.#boxes.length))
    for (const width of this.#widths(Math.max(2, Math.floor(fillings / (KEYS.length * RULES.length))))) {
      this.tryWidth(width)
      // Few boxes take longer the first time in a process than ever again: to end here is what counts.
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

  /** Tries other orders of the boxes that a filling placed last: two are exchanged, and stay so where the page gets no longer. */
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
        const a = this.#draw(rest.length)
        const b = this.#draw(rest.length)
        exchange(rest, a, b)
        const filling = this.#filler.fill(rest, rule, { width: strip, height: lowest, isPartial: false, from, keepAt: -1 })
        if (filling === undefined) exchange(rest, a, b)
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

  /** A little over what would be the best: others may have more to gain. */
  #worthwhileHeight(strip: number): number {
    const { longest, edge } = this.#bounds
    return Math.min(longest, Math.floor((this.#smallest * 1.005) / (strip + edge)) - edge)
  }

  /** Widths for pages of at most 1 : 2 both ways, evenly spread, as far as the boxes and the bounds allow. */
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

  /** A number under `count` (xorshift). */
  #draw(count: number): number {
    this.#random ^= this.#random << 13
    this.#random ^= this.#random >>> 17
    this.#random ^= this.#random << 5
    return (this.#random >>> 0) % count
  }
}

function toBounds(width: number, height: number, isPartial = false): FillBounds {
  return { width, height, isPartial, from: emptyStrip(width), keepAt: -1 }
}

function exchange(values: Int32Array, a: number, b: number): void {
  const kept = values[a]!
  values[a] = values[b]!
  values[b] = kept
}

function toLayout(filler: StripFiller, boxes: readonly Box[], { width, height }: Filling): Layout {
  const places = boxes.map((box, at) => {
    const entry = filler.placedBy[at]!
    if (entry < 0) return undefined
    return { x: filler.xs[at]!, y: filler.ys[at]!, isTurned: filler.entries.widths[entry] !== box.width }
  })
  return { width, height, places }
}
