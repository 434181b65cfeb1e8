import { AtlasError } from '../errors.ts'
import type { Box } from './boxes.ts'
import type { Layout, PageBounds } from './layout.ts'
import { lightest } from './lightest.ts'
import { layOut, layOutQuickly, layOutSome } from './search.ts'

/** A rectangle to be placed, pixels, without padding. */
export interface PackSize {
  readonly width: number
  readonly height: number
}

/** Rectangles that must be on one page. */
export interface PackGroup {
  /** Used in messages, and for the order of packing. */
  readonly name: string
  /** Indices of sizes. Groups may share a rectangle; it is then placed once per page. */
  readonly members: readonly number[]
}

/** Bounds of the pages. */
export interface PackOptions {
  /** Longest side of a page with its border, pixels. */
  readonly maxSize: number
  /** Clear pixels between rectangles. */
  readonly padding: number
  /** Clear pixels along the edges of a page. */
  readonly border: number
  /**
   * Whether rectangles may be turned by 90°; only for formats that can draw them.
   *
   * @default false
   */
  readonly canTurn?: boolean
  /**
   * Pixels per unit of the sizes and of the other options, for error messages.
   *
   * @default 1
   */
  readonly unit?: number
  /**
   * Estimates the bytes of a page. Of pages with nearly equal areas, the packer chooses the one with the fewest bytes,
   * and it turns rectangles only if this saves bytes or pages.
   *
   * @default only the area counts
   */
  readonly weigh?: ((page: PackedPage) => number) | undefined
}

/** Top left corner of a rectangle on a page. A rectangle turned by 90° covers its height × its width. */
export interface PackedPlace {
  readonly x: number
  readonly y: number
  readonly isTurned: boolean
}

/** A page with the places of its rectangles. */
export interface PackedPage {
  readonly width: number
  readonly height: number
  /** Indices of the groups on it. */
  readonly groups: readonly number[]
  /** Index of a size → its place. */
  readonly positions: ReadonlyMap<number, PackedPlace>
}

/** Most pixels whose bytes are estimated to choose the layout of a page. */
const PIXELS_WEIGHED = 1 << 27

/** If a group does not fit, later groups are tried until this many groups have failed. */
const MISSES_ALLOWED = 4

/**
 * Packs groups on new pages, by name. Each page gets as many groups as fit.
 *
 * @param some Indices of the groups.
 * @default all groups
 * @throws {AtlasError} `SW_PACK` if one group alone does not fit on a page.
 */
export function packFresh(
  sizes: readonly PackSize[],
  groups: readonly PackGroup[],
  options: PackOptions,
  some?: readonly number[],
): PackedPage[] {
  const packer = new PagePacker(sizes, groups, options)
  const pages: PackedPage[] = []
  let waiting = byName(some ?? groups.map((_, index) => index), groups)
  while (waiting.length > 0) {
    const page = packer.nextPage(waiting)
    pages.push(page)
    const taken = new Set(page.groups)
    waiting = waiting.filter((group) => !taken.has(group))
  }
  return pages
}

/** Sorts indices of groups by name, in code units: independent of the machine's locale. */
export function byName(indices: readonly number[], groups: readonly PackGroup[]): number[] {
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  return [...indices].sort((a, b) => compare(groups[a]!.name, groups[b]!.name) || a - b)
}

/**
 * Bounds of the area of boxes. A box has its padding on the right and below; the last padding may overlap the
 * border, since both are clear.
 */
export function boundsOf({ maxSize, padding, border, canTurn = false }: PackOptions): PageBounds {
  return { longest: maxSize - 2 * border + padding, edge: 2 * border - padding, canTurn }
}

class PagePacker {
  readonly #groups: readonly PackGroup[]
  readonly #options: PackOptions
  readonly #boxes: readonly Box[]
  readonly #bounds: PageBounds

  constructor(sizes: readonly PackSize[], groups: readonly PackGroup[], options: PackOptions) {
    const { padding } = options
    this.#groups = groups
    this.#options = options
    this.#boxes = sizes.map((size) => ({ width: size.width + padding, height: size.height + padding }))
    this.#bounds = boundsOf(options)
  }

  /** Fills a page with the first waiting group and as many other groups as fit. */
  nextPage(waiting: readonly number[]): PackedPage {
    const isAllSingle = waiting.every((group) => new Set(this.#groups[group]!.members).size === 1)
    if (isAllSingle && !this.#fit(waiting)) return this.#pageOfSome(waiting)
    const chosen = this.#choose(waiting)
    const indices = this.#membersOf(chosen)
    const layout = layOut(this.#boxesAt(indices), this.#bounds)
    if (layout === undefined) throw this.#tooLarge(this.#groups[chosen[0]!]!)
    return this.#toPage(this.#lightest(layout, indices), indices, chosen)
  }

  #lightest(smallest: Layout, indices: readonly number[]): Layout {
    const { weigh, unit = 1 } = this.#options
    if (weigh === undefined) return smallest
    const most = Math.floor(PIXELS_WEIGHED / (smallest.width * smallest.height * unit * unit))
    return lightest(this.#boxesAt(indices), this.#bounds, smallest, most, (layout) => weigh(this.#toPage(layout, indices, [])))
  }

  /** Fills a page with groups of one rectangle each, in any order. */
  #pageOfSome(waiting: readonly number[]): PackedPage {
    const indices = this.#membersOf(waiting)
    const tooLarge = waiting.find((group) => !this.#fit([group]))
    if (tooLarge !== undefined) throw this.#tooLarge(this.#groups[tooLarge]!)
    const layout = layOutSome(this.#boxesAt(indices), this.#bounds)
    const placed = new Set(indices.filter((_, at) => layout.places[at] !== undefined))
    return this.#toPage(
      layout,
      indices,
      waiting.filter((group) => placed.has(this.#groups[group]!.members[0]!)),
    )
  }

  /**
   * Chooses the longest fitting run of groups from the front, then later groups that still fit. The first group is
   * always chosen, even if it does not fit.
   */
  #choose(waiting: readonly number[]): readonly number[] {
    let failing = this.#firstTooMany(waiting)
    if (failing > waiting.length && this.#fit(waiting)) return waiting
    failing = Math.min(failing, waiting.length)
    // Most of a page can be filled, so the search starts at the largest run and goes down in growing steps.
    let fitting = Math.max(1, failing - 1)
    for (let step = 1; fitting > 1 && !this.#fit(waiting.slice(0, fitting)); step *= 2) {
      failing = fitting
      fitting = Math.max(1, fitting - step)
    }
    while (failing - fitting > 1) {
      const middle = (fitting + failing) >> 1
      if (this.#fit(waiting.slice(0, middle))) fitting = middle
      else failing = middle
    }
    const chosen = waiting.slice(0, fitting)
    let misses = 0
    for (const group of waiting.slice(fitting + 1)) {
      if (misses === MISSES_ALLOWED) break
      if (this.#fit([...chosen, group])) chosen.push(group)
      else misses++
    }
    return chosen
  }

  /**
   * Number of groups from the front whose area is more than one page. If all groups fit by area, one more than the
   * number of groups.
   */
  #firstTooMany(groups: readonly number[]): number {
    const { longest } = this.#bounds
    const seen = new Set<number>()
    let area = 0
    for (const [at, group] of groups.entries()) {
      for (const member of this.#groups[group]!.members) {
        const { width, height } = this.#boxes[member]!
        if (!seen.has(member)) area += width * height
        seen.add(member)
      }
      if (area > longest * longest) return at + 1
    }
    return groups.length + 1
  }

  #fit(groups: readonly number[]): boolean {
    const boxes = this.#boxesAt(this.#membersOf(groups))
    if (areaOf(boxes) > this.#bounds.longest * this.#bounds.longest) return false
    return layOutQuickly(boxes, this.#bounds) !== undefined
  }

  /** The members of groups, ascending, so that the pages do not depend on the order of members. */
  #membersOf(groups: readonly number[]): readonly number[] {
    return [...new Set(groups.flatMap((group) => this.#groups[group]!.members))].sort((a, b) => a - b)
  }

  #boxesAt(indices: readonly number[]): readonly Box[] {
    return indices.map((index) => this.#boxes[index]!)
  }

  #toPage({ width, height, places }: Layout, indices: readonly number[], groups: readonly number[]): PackedPage {
    const { border } = this.#options
    const positions = new Map<number, PackedPlace>()
    for (const [at, index] of indices.entries()) {
      const place = places[at]
      if (place !== undefined) positions.set(index, { ...place, x: place.x + border, y: place.y + border })
    }
    return { width: width + this.#bounds.edge, height: height + this.#bounds.edge, groups, positions }
  }

  #tooLarge(group: PackGroup): AtlasError {
    const { padding, unit = 1 } = this.#options
    const boxes = this.#boxesAt(this.#membersOf([this.#groups.indexOf(group)]))
    const maxSize = this.#options.maxSize * unit
    const widest = unit * boxes.reduce((most, box) => Math.max(most, box.width - padding), 0)
    const tallest = unit * boxes.reduce((most, box) => Math.max(most, box.height - padding), 0)
    return new AtlasError('SW_PACK', {
      message:
        `Expected "${group.name}" to fit on one page of ${maxSize} × ${maxSize} pixels, found ${boxes.length} different frames of up to ` +
        `${widest} × ${tallest} pixels. Make its frames smaller (size), play fewer of them (use), or allow larger pages.`,
      facts: { animation: group.name, frames: boxes.length, widest, tallest, maxSize },
    })
  }
}

function areaOf(boxes: readonly Box[]): number {
  return boxes.reduce((sum, { width, height }) => sum + width * height, 0)
}
