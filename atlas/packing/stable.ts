import { boundsOf, byName, type PackedPage, type PackedPlace, type PackGroup, type PackOptions, type PackSize, packAnew } from './pages.ts'
import { FreeSpace } from './space.ts'

/**
 * Places of an earlier layout, by the indices of the sizes of today. What does not fit together any more is placed anew. `groups` says which ones lay there: what they show may
 * lie on several pages.
 */
export type EarlierPages = readonly (Pick<PackedPage, 'positions'> & Partial<Pick<PackedPage, 'groups'>>)[]

/** A page of the earlier layout with what still belongs on it. */
interface KeptPage {
  space: FreeSpace
  readonly groups: number[]
  /** Without the border. */
  readonly places: Map<number, PackedPlace>
  /** Whether anything had to be placed anew. */
  isTouched: boolean
}

/** What a page would be with some rectangles more. */
interface Trial {
  readonly space: FreeSpace
  readonly places: ReadonlyMap<number, PackedPlace>
  readonly area: number
}

/** Measures by which the largest is placed first; the one with the smallest page wins. */
const ORDERS: readonly ((size: PackSize) => number)[] = [
  ({ width, height }) => width * height,
  ({ width, height }) => height * 65536 + width,
  ({ width, height }) => width * 65536 + height,
]

/**
 * Packs groups with as few moves as they allow: what was placed stays, new rectangles go into free space or beside it, and only groups that have no room on any page get pages of their own.
 *
 * @returns One layout or two, the one with fewer moves first: all that was placed stays; only pages stay on which nothing changed, the rest is packed anew. Each is made when it is asked for.
 */
export function* packBeside(
  sizes: readonly PackSize[],
  groups: readonly PackGroup[],
  options: PackOptions,
  earlier: EarlierPages,
): Generator<PackedPage[]> {
  const job = new StableJob(sizes, groups, options)
  const homes = job.homes(earlier)
  const pages = earlier.map(({ positions }, page) => job.keep(positions, homes.get(page) ?? []))
  const untouched = pages.filter((page) => page.groups.length > 0 && !page.isTouched)
  const staying = new Set(untouched.flatMap((page) => page.groups))
  const kept = untouched.map((page) => job.toPage(page))
  const homeless = job.addGroups(pages)
  const filled = pages.filter((page) => page.groups.length > 0).map((page) => job.toPage(page))
  yield [...filled, ...packAnew(sizes, groups, options, homeless)]
  const changed = [...groups.keys()].filter((group) => !staying.has(group))
  if (staying.size > 0) yield [...kept, ...packAnew(sizes, groups, options, changed)]
}

class StableJob {
  readonly #sizes: readonly PackSize[]
  readonly #groups: readonly PackGroup[]
  readonly #options: PackOptions

  constructor(sizes: readonly PackSize[], groups: readonly PackGroup[], options: PackOptions) {
    this.#sizes = sizes
    this.#groups = groups
    this.#options = options
  }

  /** Page → the groups of which it holds most rectangles; of several the one where a group lay, else the first. */
  homes(earlier: EarlierPages): ReadonlyMap<number, number[]> {
    const homes = new Map<number, number[]>()
    for (const [group, { members }] of this.#groups.entries()) {
      const counts = earlier.map(({ positions }) => members.filter((member) => positions.has(member)).length)
      const most = counts.reduce((a, b) => Math.max(a, b), 0)
      if (most === 0) continue
      const lay = earlier.findIndex(({ groups = [] }, page) => counts[page] === most && groups.includes(group))
      const page = lay < 0 ? counts.indexOf(most) : lay
      homes.set(page, [...(homes.get(page) ?? []), group])
    }
    return homes
  }

  /** What stays of a page; groups of which something was added and finds no room are left out. */
  keep(positions: ReadonlyMap<number, PackedPlace>, home: readonly number[]): KeptPage {
    const { border } = this.#options
    const page: KeptPage = { space: new FreeSpace(boundsOf(this.#options).longest), groups: [], places: new Map(), isTouched: false }
    const members = this.#membersOf(home)
    for (const index of members) {
      const place = positions.get(index)
      if (place === undefined) continue
      const inner = { ...place, x: place.x - border, y: place.y - border }
      if (page.space.take(this.#boxOf(index), inner)) page.places.set(index, inner)
    }
    page.isTouched = page.places.size < members.length || page.places.size < positions.size
    const leaving = byName(home, this.#groups).filter((group) => !this.#add(page, group))
    // What leaves must not hold its place: once more without it.
    return leaving.length === 0
      ? page
      : {
          ...this.keep(
            positions,
            home.filter((group) => !leaving.includes(group)),
          ),
          isTouched: true,
        }
  }

  /** Puts each group that has no page yet on the one that grows least by it. @returns Those that have no room anywhere. */
  addGroups(pages: readonly KeptPage[]): readonly number[] {
    const placed = new Set(pages.flatMap((page) => page.groups))
    const { edge } = boundsOf(this.#options)
    const areaOf = ({ space }: KeptPage): number => (space.width + edge) * (space.height + edge)
    const homeless: number[] = []
    for (const group of byName([...this.#groups.keys()], this.#groups)) {
      if (placed.has(group)) continue
      let best: { readonly growth: number; readonly page: KeptPage } | undefined
      for (const page of pages.filter(({ groups }) => groups.length > 0)) {
        const trial: KeptPage = { ...page, space: page.space.copy(), groups: [...page.groups], places: new Map(page.places) }
        if (!this.#add(trial, group)) continue
        const growth = areaOf(trial) - areaOf(page)
        if (best === undefined || growth < best.growth) best = { growth, page }
      }
      if (best === undefined) homeless.push(group)
      else this.#add(best.page, group)
    }
    return homeless
  }

  /** @returns Whether all of the group's rectangles are on the page now; if not, nothing has changed. */
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

  /** Once for all orders. */
  #prepare(space: FreeSpace, indices: readonly number[]): void {
    const boxes = indices.map((index) => this.#boxOf(index))
    const least = boxes.reduce((a, b) => ({ width: Math.min(a.width, b.width), height: Math.min(a.height, b.height) }))
    space.prepare(least, boundsOf(this.#options).canTurn)
  }

  /** Largest first, by one measure. */
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
