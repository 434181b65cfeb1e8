/**
 * Packs rectangles on pages. Rectangles of one group (the frames of an animation) go on the same page.
 *
 * - packer.ts, this file: `packPages`. Without earlier places it packs from scratch. With earlier places it chooses
 *   a stable layout if this is not much larger than a fresh one. If rectangles may be turned, it also packs them
 *   upright and chooses the better result.
 * - stable.ts: keeps earlier places and puts new rectangles into the free space (space.ts).
 * - pages.ts: packs from scratch, page by page. Trial layouts find the longest run of groups that fits. Then this
 *   page is laid out with more effort.
 * - search.ts: lays out one page. It fills strips of many widths, by several orders and scores, then swaps
 *   some of the last boxes of the best results.
 * - lightest.ts: of layouts that are nearly as small, chooses the layout with the fewest bytes, by an estimate that
 *   the caller passes.
 * - strip.ts: fills one strip (skyline best fit): the highest gap of the outline (outline.ts) gets the
 *   waiting box with the best score (waiting.ts).
 * - boxes.ts, layout.ts: the shared types. A box is a rectangle with its padding; an entry is a box in one
 *   orientation.
 *
 * Places and scores are computed with exact numbers, and tries limit the work, not time. The same input
 * therefore gives the same pages on every machine.
 *
 * @module
 */

import { AtlasError } from '../errors.ts'
import { boundsOf, type PackedPage, type PackGroup, type PackOptions, type PackSize, packFresh } from './pages.ts'
import { isDense } from './search.ts'
import { type EarlierPages, packBeside } from './stable.ts'

export type { PackedPage, PackedPlace, PackGroup, PackOptions, PackSize } from './pages.ts'
export type { EarlierPages } from './stable.ts'

/** How much larger than a fresh layout a stable layout may be, as a share of the fresh area. */
const STABLE_LOSS = 0.08

/**
 * Packs groups on as few and as small pages as it finds. No side is longer than `maxSize`; sides need not be
 * powers of two.
 *
 * @param earlier Places to keep. All rectangles keep their places if this needs no more pages than a fresh
 * layout, and at most 8 % more area. If not, only unchanged pages are kept, under the same condition. If that
 * fails too, all pages are packed from scratch.
 * @default none
 * @returns At least one page for at least one group. The same input gives the same pages on every machine,
 * since the search is limited by tries, not by time. Groups are packed by name, so that animations of one sprite stay
 * together. If every group is one rectangle, each goes to its best place.
 * @throws {AtlasError} `SW_PACK` if one group alone does not fit on a page.
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
    // Packing from scratch is slow, so it runs only if the lower bound does not decide.
    fresh ??= packBest(sizes, groups, options)
    least = { area: areaOf(fresh), count: fresh.length }
    if (isNear(pages, least)) return pages
  }
  return fresh ?? packBest(sizes, groups, options)
}

/** Area and number of pages or rectangles. */
interface PageSum {
  readonly area: number
  readonly count: number
}

function isNear(pages: readonly PackedPage[], { area, count }: PageSum): boolean {
  return pages.length <= count && areaOf(pages) <= area * (1 + STABLE_LOSS)
}

/** A lower bound for every layout: the area of the rectangles, each once, with its padding. */
function leastPages(sizes: readonly PackSize[], groups: readonly PackGroup[], options: PackOptions): PageSum {
  const { padding, border, maxSize } = options
  // The last padding may overlap a narrow border, so a page may be smaller than its boxes.
  if (2 * border < padding) return { area: 0, count: 0 }
  const { area } = boxesOf(sizes, groups, options)
  return { area, count: Math.ceil(area / (maxSize * maxSize)) }
}

/** Area and number of the rectangles of groups, each once, with its padding. */
function boxesOf(sizes: readonly PackSize[], groups: readonly PackGroup[], { padding }: PackOptions): PageSum {
  const used = new Set(groups.flatMap(({ members }) => members))
  const area = [...used].reduce((sum, index) => sum + (sizes[index]!.width + padding) * (sizes[index]!.height + padding), 0)
  return { area, count: used.size }
}

/**
 * Most rectangles for which both upright and turned layouts are tried. With more rectangles, turning always saves
 * area, and the search is slow.
 */
const BOTH_WAYS = 4000

/**
 * Packs upright if the upright pages are dense enough, or if turned rectangles save neither a page nor area (with
 * `weigh`: bytes). Each of the two ways may fit groups that do not fit in the other way.
 */
function packBest(sizes: readonly PackSize[], groups: readonly PackGroup[], options: PackOptions): PackedPage[] {
  if (!options.canTurn || sizes.length > BOTH_WAYS) return packFresh(sizes, groups, options)
  const upright = tryPacking(sizes, groups, { ...options, canTurn: false })
  if (!(upright instanceof AtlasError) && isFull(upright, boxesOf(sizes, groups, options), options)) return upright
  const turned = tryPacking(sizes, groups, options)
  if (turned instanceof AtlasError || upright instanceof AtlasError) {
    const found = turned instanceof AtlasError ? upright : turned
    if (found instanceof AtlasError) throw found
    return found
  }
  const { weigh } = options
  const costOf = weigh === undefined ? areaOf : (pages: readonly PackedPage[]) => pages.reduce((sum, page) => sum + weigh(page), 0)
  const gain = upright.length - turned.length || costOf(upright) - costOf(turned)
  return gain > 0 ? turned : upright
}

function tryPacking(sizes: readonly PackSize[], groups: readonly PackGroup[], options: PackOptions): PackedPage[] | AtlasError {
  try {
    return packFresh(sizes, groups, options)
  } catch (error) {
    if (error instanceof AtlasError) return error
    throw error
  }
}

/** Whether the pages are dense, and as few as their area allows. */
function isFull(pages: readonly PackedPage[], { area, count }: PageSum, options: PackOptions): boolean {
  const { longest } = boundsOf(options)
  return pages.length <= Math.ceil(area / (longest * longest)) && isDense(count, area, areaOf(pages))
}

function areaOf(pages: readonly PackedPage[]): number {
  return pages.reduce((sum, page) => sum + page.width * page.height, 0)
}
