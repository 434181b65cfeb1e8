import { AtlasError } from '../errors.ts'
import { boundsOf, type PackedPage, type PackGroup, type PackOptions, type PackSize, packAnew } from './pages.ts'
import { isDense } from './search.ts'
import { type EarlierPages, packBeside } from './stable.ts'

export type { PackedPage, PackedPlace, PackGroup, PackOptions, PackSize } from './pages.ts'
export type { EarlierPages } from './stable.ts'

/** Share of the area of a fresh layout by which a stable one may be larger. */
const STABLE_LOSS = 0.08

/**
 * Packs groups on as few and as small pages as skyline best-fit finds, in bands by beam search or over many widths and orders for each page. Sides are no powers of two, no page is longer than `maxSize`.
 *
 * @param earlier Places to keep. What was placed stays where it was as long as all pages together are at most 8 % larger than freshly packed ones, and no more of them; then
 * pages stay on which nothing changed; else all is packed anew. @default none
 * @returns At least one page for at least one group. The same input gives the same pages on every machine: the search is bounded by tries and not by time. Groups go by name, so
 * that animations of one sprite stay together; where every group is one rectangle, each goes where it fills best.
 * @throws {AtlasError} `SW_PACK` when one group does not fit on a page of its own.
 */
export function packPages(
  sizes: readonly PackSize[],
  groups: readonly PackGroup[],
  options: PackOptions,
  earlier: EarlierPages = [],
): PackedPage[] {
  if (!earlier.some(({ positions }) => positions.size > 0)) return packBest(sizes, groups, options)
  let least = leastPages(sizes, groups, options)
  let fresh: PackedPage[] | undefined
  for (const pages of packBeside(sizes, groups, options, earlier)) {
    if (isNear(pages, least)) return pages
    // No fresh layout is smaller than its rectangles: only now it matters how large one is.
    fresh ??= packBest(sizes, groups, options)
    least = { area: areaOf(fresh), count: fresh.length }
    if (isNear(pages, least)) return pages
  }
  return fresh ?? packBest(sizes, groups, options)
}

/** What pages or rectangles come to. */
interface PageSum {
  readonly area: number
  readonly count: number
}

function isNear(pages: readonly PackedPage[], { area, count }: PageSum): boolean {
  return pages.length <= count && areaOf(pages) <= area * (1 + STABLE_LOSS)
}

/** What no layout falls below: each rectangle once, with the gap that it keeps to its neighbours. */
function leastPages(sizes: readonly PackSize[], groups: readonly PackGroup[], options: PackOptions): PageSum {
  const { padding, border, maxSize } = options
  // The last gap may hang over a narrow border, and the page be smaller than what it holds.
  if (2 * border < padding) return { area: 0, count: 0 }
  const { area } = boxesOf(sizes, groups, options)
  return { area, count: Math.ceil(area / (maxSize * maxSize)) }
}

/** The rectangles of groups, each once, with the gap that they keep to their neighbours. */
function boxesOf(sizes: readonly PackSize[], groups: readonly PackGroup[], { padding }: PackOptions): PageSum {
  const used = new Set(groups.flatMap(({ members }) => members))
  const area = [...used].reduce((sum, index) => sum + (sizes[index]!.width + padding) * (sizes[index]!.height + padding), 0)
  return { area, count: used.size }
}

/** Rectangles up to which both ways are tried where they may be turned; among more of them turning gains something in any case, and the search takes its time. */
const BOTH_WAYS = 4000

/** Where turning gains nothing, or what stands upright is dense enough, nothing is turned; each way may find a place that the other does not. */
function packBest(sizes: readonly PackSize[], groups: readonly PackGroup[], options: PackOptions): PackedPage[] {
  if (!options.canTurn || sizes.length > BOTH_WAYS) return packAnew(sizes, groups, options)
  const upright = tryPacking(sizes, groups, { ...options, canTurn: false })
  if (!(upright instanceof AtlasError) && isFull(upright, boxesOf(sizes, groups, options), options)) return upright
  const turned = tryPacking(sizes, groups, options)
  if (turned instanceof AtlasError || upright instanceof AtlasError) {
    const found = turned instanceof AtlasError ? upright : turned
    if (found instanceof AtlasError) throw found
    return found
  }
  const gain = upright.length - turned.length || areaOf(upright) - areaOf(turned)
  return gain > 0 ? turned : upright
}

function tryPacking(sizes: readonly PackSize[], groups: readonly PackGroup[], options: PackOptions): PackedPage[] | AtlasError {
  try {
    return packAnew(sizes, groups, options)
  } catch (error) {
    if (error instanceof AtlasError) return error
    throw error
  }
}

/** Full pages that are no more than what lies on them asks for: small full ones may be many. */
function isFull(pages: readonly PackedPage[], { area, count }: PageSum, options: PackOptions): boolean {
  const { longest } = boundsOf(options)
  return pages.length <= Math.ceil(area / (longest * longest)) && isDense(count, area, areaOf(pages))
}

function areaOf(pages: readonly PackedPage[]): number {
  return pages.reduce((sum, page) => sum + page.width * page.height, 0)
}
