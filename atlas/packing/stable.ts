import { boundsOf, byName, type PackedPage, type PackedPlace, type PackGroup, type PackOptions, type PackSize, packFresh } from './pages.ts'
import { FreeSpace } from './space.ts'

/**
 * Places of an earlier layout, by the indices of the present sizes. Places that overlap or leave the page are
 * not kept. `groups` lists the groups that were on a page. The pictures do not show the groups, because a group's
 * picture may be on several pages.
 */
export type EarlierPages = readonly (Pick<PackedPage, 'positions'> & Partial<Pick<PackedPage, 'groups'>>)[]

/** A page of the earlier layout with its kept rectangles. */
interface KeptPage {
  space: FreeSpace
  readonly groups: number[]
  /** Places without the border. */
  readonly places: Map<number, PackedPlace>
  /** Whether a rectangle of the page is new, moved or gone. */
  isTouched: boolean
}

/** A page with some additional rectangles. */
interface Trial {
  readonly space: FreeSpace
  readonly places: ReadonlyMap<number, PackedPlace>
  readonly area: number
}

/** Measures for sorting, largest first. The order with the smallest page is used. */
const ORDERS: readonly ((size: PackSize) => number)[] = [
  ({ width, height }) => width * height,
  ({ width, height }) => height * 65536 + width,
  ({ width, height }) => width * 65536 + height,
]

/**
 * Packs groups with few moves: kept rectangles keep their places, and new rectangles go into free space or next to
 * them. Only groups that fit on no page get new pages.
 *
 * @returns One or two layouts, the layout with fewer moves first. The first keeps all places. The second keeps
 * unchanged pages and packs the others from scratch. Each layout is computed on demand.
 */
export function* packBeside(
  sizes: readonly PackSize[],
  groups: readonly PackGroup[],
  options: PackOptions,
  earlier: EarlierPages,
): Generator<PackedPage[]> {
  const packer = new StablePacker(sizes, groups, options)
  const groupsByPage = packer.groupsByPage(earlier)
  const pages = earlier.map(({ positions }, page) => packer.keep(positions, groupsByPage.get(page) ?? []))
  const untouched = pages.filter((page) => page.groups.length > 0 && !page.isTouched)
  const unchanged = new Set(untouched.flatMap((page) => page.groups))
  const kept = untouched.map((page) => packer.toPage(page))
  const unplaced = packer.addGroups(pages)
  const filled = pages.filter((page) => page.groups.length > 0).map((page) => packer.toPage(page))
  yield [...filled, ...packFresh(sizes, groups, options, unplaced)]
  const changed = [...groups.keys()].filter((group) => !unchanged.has(group))
  if (unchanged.size > 0) yield [...kept, ...packFresh(sizes, groups, options, changed)]
}

class StablePacker {
  readonly #sizes: readonly PackSize[]
  readonly #groups: readonly PackGroup[]
  readonly #options: PackOptions

  constructor(sizes: readonly PackSize[], groups: readonly PackGroup[], options: PackOptions) {
    this.#sizes = sizes
    this.#groups = groups
    this.#options = options
  }

  /**
   * Page → the groups that have most of their rectangles on this page. Of several such pages, a group
   * goes to the page that had it before, or else to the first.
   */
  groupsByPage(earlier: EarlierPages): ReadonlyMap<number, number[]> {
    const groupsByPage = new Map<number, number[]>()
    for (const [group, { members }] of this.#groups.entries()) {
      const counts = earlier.map(({ positions }) => members.filter((member) => positions.has(member)).length)
      const most = counts.reduce((a, b) => Math.max(a, b), 0)
      if (most === 0) continue
      const earlierPage = earlier.findIndex(({ groups = [] }, page) => counts[page] === most && groups.includes(group))
      const page = earlierPage < 0 ? counts.indexOf(most) : earlierPage
      groupsByPage.set(page, [...(groupsByPage.get(page) ?? []), group])
    }
    return groupsByPage
  }

  /** Keeps the places of a page. If the new rectangles of a group do not fit, the whole group is removed. */
  keep(positions: ReadonlyMap<number, PackedPlace>, own: readonly number[]): KeptPage {
    const { border } = this.#options
    const page: KeptPage = { space: new FreeSpace(boundsOf(this.#options).longest), groups: [], places: new Map(), isTouched: false }
    const members = this.#membersOf(own)
    for (const index of members) {
      const place = positions.get(index)
      if (place === undefined) continue
      const inner = { ...place, x: place.x - border, y: place.y - border }
      if (page.space.take(this.#boxOf(index), inner)) page.places.set(index, inner)
    }
    page.isTouched = page.places.size < members.length || page.places.size < positions.size
    const leftOut = byName(own, this.#groups).filter((group) => !this.#add(page, group))
    // Removed groups must not keep their space, so the page is built again without them.
    return leftOut.length === 0
      ? page
      : {
          ...this.keep(
            positions,
            own.filter((group) => !leftOut.includes(group)),
          ),
          isTouched: true,
        }
  }

  /**
   * Adds each group without a page to the page that grows least.
   *
   * @returns The groups that fit on no page.
   */
  addGroups(pages: readonly KeptPage[]): readonly number[] {
    const placed = new Set(pages.flatMap((page) => page.groups))
    const { edge } = boundsOf(this.#options)
    const areaOf = ({ space }: KeptPage): number => (space.width + edge) * (space.height + edge)
    const unplaced: number[] = []
    for (const group of byName([...this.#groups.keys()], this.#groups)) {
      if (placed.has(group)) continue
      let best: { readonly growth: number; readonly page: KeptPage } | undefined
      for (const page of pages.filter(({ groups }) => groups.length > 0)) {
        const trial: KeptPage = { ...page, space: page.space.copy(), groups: [...page.groups], places: new Map(page.places) }
        if (!this.#add(trial, group)) continue
        const growth = areaOf(trial) - areaOf(page)
        if (best === undefined || growth < best.growth) best = { growth, page }
      }
      if (best === undefined) unplaced.push(group)
      else this.#add(best.page, group)
    }
    return unplaced
  }

  /**
   * Adds a group to a page.
   *
   * @returns Whether all rectangles of the group are on the page. If not, the page is unchanged.
   */
  #add(page: KeptPage, group: number): boolean {
    const missing = this.#membersOf([group]).filter((index) => !page.places.has(index))
    if (missing.length === 0) {
      page.groups.push(group)
      return true
    }
    this.#prepare(page.space, missing)
    const trials = ORDERS.flatMap((key) => this.#tryToPut(page.space, missing, key) ?? [])
    const best = trials.reduce<Trial | undefined>(
      (least, trial) => (least === undefined || trial.area < least.area ? trial : least),
      undefined,
    )
    if (best === undefined) return false
    for (const [index, place] of best.places) page.places.set(index, place)
    page.space = best.space
    page.isTouched = true
    page.groups.push(group)
    return true
  }

  /** Computes the free space once for all orders. */
  #prepare(space: FreeSpace, indices: readonly number[]): void {
    const boxes = indices.map((index) => this.#boxOf(index))
    const least = boxes.reduce((a, b) => ({ width: Math.min(a.width, b.width), height: Math.min(a.height, b.height) }))
    space.prepare(least, boundsOf(this.#options).canTurn)
  }

  /** Places rectangles by one measure, largest first. */
  #tryToPut(free: FreeSpace, indices: readonly number[], key: (size: PackSize) => number): Trial | undefined {
    const { edge, canTurn } = boundsOf(this.#options)
    const space = free.copy()
    const places = new Map<number, PackedPlace>()
    for (const index of [...indices].sort((a, b) => key(this.#sizes[b]!) - key(this.#sizes[a]!) || a - b)) {
      const place = space.put(this.#boxOf(index), edge, canTurn)
      if (place === undefined) return undefined
      places.set(index, place)
    }
    return { space, places, area: (space.width + edge) * (space.height + edge) }
  }

  toPage({ space, groups, places }: KeptPage): PackedPage {
    const { border } = this.#options
    const { edge } = boundsOf(this.#options)
    const positions = new Map([...places].map(([index, place]) => [index, { ...place, x: place.x + border, y: place.y + border }]))
    return { width: space.width + edge, height: space.height + edge, groups: [...groups], positions }
  }

  #membersOf(groups: readonly number[]): number[] {
    return [...new Set(groups.flatMap((group) => this.#groups[group]!.members))].sort((a, b) => a - b)
  }

  #boxOf(index: number): PackSize {
    const { width, height } = this.#sizes[index]!
    return { width: width + this.#options.padding, height: height + this.#options.padding }
  }
}
