import { type PackedPage, type PackGroup, type PackOptions, type PackSize, packAnew } from './packer-pages.ts'
import { type EarlierPages, packBeside } from './packer-stable.ts'

export type { PackedPage, PackedPlace, PackGroup, PackOptions, PackSize } from './packer-pages.ts'
export type { EarlierPages } from './packer-stable.ts'

/** Share of the area of a fresh layout by which a stable one may be larger. */
const STABLE_LOSS = 0.08

/**
 * Packs groups on as few and as small pages as skyline best-fit finds, over many widths and orders for each page. Sides are no powers of two, no page is longer than `maxSize`.
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
  const fresh = packAnew(sizes, groups, options)
  if (!earlier.some(({ positions }) => positions.size > 0)) return fresh
  const most = areaOf(fresh) * (1 + STABLE_LOSS)
  const kept = packBeside(sizes, groups, options, earlier)
  return kept.find((pages) => pages.length <= fresh.length && areaOf(pages) <= most) ?? fresh
}

function areaOf(pages: readonly PackedPage[]): number {
  return pages.reduce((sum, page) => sum + page.width * page.height, 0)
}
