import { type Band, BandFiller, type BandRule } from './band.ts'
import { type Box, type BoxEntries, orderBy, toEntries } from './boxes.ts'
import { type BoxPlace, type Layout, type PageBounds, rootAbove } from './layout.ts'

/** A page with fewer boxes is not filled in bands, since its last band would stay too empty. */
const FEWEST = 200
/** A band is `sides` mean box sides wide, and at least `ofWidest` hundredths of its widest box. */
const BAND = { sides: 4, ofWidest: 120 }
/** Number of widths tried for a band. Two of them differ by one twentieth of the mean width. */
const WIDTHS = { most: 3, parts: 20 }
/** Limit of boxes placed per page, without the last band. With many boxes, fewer widths are tried. */
const BOXES_LAID = 60_000
/** Number of widths tried for the last band. */
const LAST_WIDTHS = 24
/** Assumed loss of a whole page, and assumed minimum loss of its last band, in thousandths of the area. */
const LOSS = { page: 3, last: 10 }
/** The last band must take all remaining boxes, so its search is wider. */
const BEAM = { beam: 6, branch: 2 }
const LAST_BEAM = { beam: 24, branch: 2 }

/**
 * Fills a page with bands from left to right; each band is filled as densely as possible.
 *
 * While many boxes wait, one of them fits into nearly every gap, so the first bands waste almost no area. The
 * waste at the end of the page is then that of one narrow band, not of the whole page.
 *
 * @returns `undefined` for few boxes, for long boxes, or if not all boxes fit within the bounds.
 */
export function layOutInBands(boxes: readonly Box[], bounds: PageBounds): Layout | undefined {
  if (boxes.length < FEWEST) return undefined
  // `BandFiller` fills from top to bottom, so x and y are swapped here and swapped back below.
  const mirrored = boxes.map(({ width, height }) => ({ width: height, height: width }))
  const layout = new PageOfBands(mirrored, bounds).fill()
  if (layout === undefined) return undefined
  const places = layout.places.map((place) => place && { ...place, x: place.y, y: place.x })
  return { width: layout.height, height: layout.width, places }
}

/**
 * A page of bands from top to bottom, side by side. All decisions use integers, so every machine gives the
 * same page.
 */
class PageOfBands {
  readonly #boxes: readonly Box[]
  readonly #bounds: PageBounds
  readonly #entries: BoxEntries
  readonly #bottom: number
  readonly #rule: Pick<BandRule, 'expected' | 'rough'>
  readonly #places: (BoxPlace | undefined)[]
  #order: Int32Array
  #x = 0
  #area: number
  #waiting: number

  constructor(boxes: readonly Box[], bounds: PageBounds) {
    this.#boxes = boxes
    this.#bounds = bounds
    this.#entries = toEntries(boxes, bounds.canTurn)
    // Boxes of one height (a width here) come one after the other and form rows. A PNG compresses rows of
    // similar frames better.
    this.#order = orderBy(this.#entries, (width, height) => 8 * width + height)
    this.#area = this.#entries.area
    this.#waiting = boxes.length
    const { longest } = bounds
    this.#bottom = Math.min(longest, 2 * this.#area > longest * longest ? longest : Math.max(rootAbove(this.#area), this.#entries.longest))
    const mean = Math.floor(this.#area / boxes.length)
    this.#rule = { expected: Math.floor((mean * 7) / 10), rough: rootAbove(mean) }
    this.#places = boxes.map(() => undefined)
  }

  fill(): Layout | undefined {
    if (this.#bandsLeft() < 2) return undefined
    for (let bands = this.#bandsLeft(); bands > 1; bands = this.#bandsLeft()) {
      const band = this.#fillOne(bands)
      if (band === undefined) return undefined
      this.#put(band)
    }
    if (this.#waiting > 0) {
      const last = this.#fillLast()
      if (last === undefined) return undefined
      this.#put(last)
    }
    return this.#toLayout()
  }

  /** Estimated number of bands for the waiting boxes. */
  #bandsLeft(): number {
    if (this.#waiting === 0) return 0
    const width = Math.max(
      BAND.sides * rootAbove(Math.floor(this.#area / this.#waiting)),
      Math.floor((BAND.ofWidest * this.#widest()) / 100),
    )
    return Math.round(this.#area / (this.#bottom * width))
  }

  #widest(): number {
    const { widths, heights } = this.#entries
    const { canTurn } = this.#bounds
    return this.#order.reduce((widest, entry) => Math.max(widest, canTurn ? Math.min(widths[entry]!, heights[entry]!) : widths[entry]!), 0)
  }

  /** Tries several widths and returns the fullest band. */
  #fillOne(bands: number): Band | undefined {
    const bottom = this.#bottom
    const mean = Math.ceil((this.#area * (1000 + LOSS.page)) / (1000 * bottom * bands))
    const tries = Math.max(1, Math.min(WIDTHS.most, Math.floor(BOXES_LAID / (this.#boxes.length * BEAM.beam * BEAM.branch))))
    const widths = Array.from({ length: tries }, (_, at) => mean + Math.floor(((at - (tries >> 1)) * mean) / WIDTHS.parts))
    const filler = new BandFiller(this.#entries, this.#order, widths.at(-1)!, { ...this.#rule, ...BEAM })
    let best: Band | undefined
    for (const width of widths) {
      const all = width * bottom
      // At least as full as the best band so far.
      const least = best === undefined ? 1 : Math.ceil((best.area * width) / best.width)
      best = filler.fill(width, bottom, all - least) ?? best
    }
    return best
  }

  /** The narrowest band that holds all waiting boxes. The step between two tried widths grows. */
  #fillLast(): Band | undefined {
    const bottom = this.#bottom
    const widths: number[] = []
    let width = Math.max(this.#widest(), Math.ceil((this.#area * 1000) / ((1000 - LOSS.last) * bottom)))
    for (; widths.length < LAST_WIDTHS && this.#x + width <= this.#bounds.longest; width += 1 + (widths.length >> 3)) widths.push(width)
    if (widths.length === 0) return undefined
    const filler = new BandFiller(this.#entries, this.#longFirst(), widths.at(-1)!, { ...this.#rule, ...LAST_BEAM })
    for (const each of widths) {
      const band = filler.fill(each, bottom, each * bottom - this.#area)
      if (band !== undefined) return band
    }
    return undefined
  }

  /** Waiting entries, long boxes first. The last band has too few boxes to form rows. */
  #longFirst(): Int32Array {
    const { widths, heights } = this.#entries
    const key = (entry: number): number => (widths[entry]! + heights[entry]!) * 65536 + heights[entry]!
    return this.#order.slice().sort((a, b) => key(b) - key(a) || a - b)
  }

  /** Puts a band next to the others. */
  #put({ width, area, placed }: Band): void {
    const { boxOf, widths } = this.#entries
    for (const { entry, x, y } of placed) {
      const box = boxOf[entry]!
      this.#places[box] = { x: this.#x + x, y, isTurned: widths[entry] !== this.#boxes[box]!.width }
    }
    this.#order = this.#order.filter((entry) => this.#places[boxOf[entry]!] === undefined)
    this.#x += width
    this.#area -= area
    this.#waiting -= placed.length
  }

  #toLayout(): Layout {
    let width = 0
    let height = 0
    for (const [at, box] of this.#boxes.entries()) {
      const { x, y, isTurned } = this.#places[at]!
      width = Math.max(width, x + (isTurned ? box.height : box.width))
      height = Math.max(height, y + (isTurned ? box.width : box.height))
    }
    return { width, height, places: this.#places }
  }
}
