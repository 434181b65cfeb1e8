import type { Box } from './boxes.ts'
import { orderBy } from './boxes.ts'
import type { Layout, PageBounds } from './layout.ts'
import { KEYS, RULES, toBounds, toLayout } from './search.ts'
import { type Filling, StripFiller } from './strip.ts'
import type { FillRule } from './waiting.ts'

/** How much larger than the smallest page a page with fewer bytes may be, thousandths of the area. */
const LARGER = 30
/** Limits of the search: boxes placed in all fillings together, and number of fillings. */
const BOXES_LAID = 600_000
const MOST_FILLINGS = 2000

/** A filling that can be made again. */
interface Candidate extends Filling {
  readonly strip: number
  readonly order: Int32Array
  readonly rule: FillRule
}

/**
 * Fills strips of all widths, and estimates the bytes of the layouts that are at most 3 % larger than the smallest
 * page.
 *
 * @param smallest The smallest page found.
 * @param most Most layouts to estimate. If there are more, an even sample by area is estimated.
 * @param weigh Estimates the bytes of a layout.
 * @returns The layout with the fewest bytes. Of several, the smallest.
 */
export function lightest(
  boxes: readonly Box[],
  bounds: PageBounds,
  smallest: Layout,
  most: number,
  weigh: (layout: Layout) => number,
): Layout {
  const filler = new StripFiller(boxes, bounds.canTurn)
  const found = fillAll(filler, boxes, bounds, smallest)
  let best = { layout: smallest, weight: weigh(smallest) }
  const count = Math.min(most, found.length)
  for (let at = 0; at < count; at++) {
    const { strip, order, rule, height } = found[Math.floor((at * found.length) / count)]!
    const layout = toLayout(filler, boxes, filler.fill(order, rule, toBounds(strip, height))!)
    const weight = weigh(layout)
    if (weight < best.weight) best = { layout, weight }
  }
  return best.layout
}

/** Returns the different fillings that are small enough, the smallest first. */
function fillAll(filler: StripFiller, boxes: readonly Box[], { longest, edge }: PageBounds, smallest: Layout): readonly Candidate[] {
  const { entries } = filler
  const areaOf = ({ width, height }: Pick<Filling, 'width' | 'height'>): number => (width + edge) * (height + edge)
  const largest = Math.floor((areaOf(smallest) * (1000 + LARGER)) / 1000)
  const fillings = Math.min(MOST_FILLINGS, Math.ceil(BOXES_LAID / boxes.length))
  const steps = Math.max(1, Math.floor(fillings / (KEYS.length * RULES.length)))
  const low = Math.min(longest, Math.ceil(entries.area / longest))
  const orders = KEYS.map((key) => orderBy(entries, key))
  const found = new Map<string, Candidate>()
  for (let step = 0; step <= steps; step++) {
    const strip = low + Math.floor(((longest - low) * step) / steps)
    const bounds = toBounds(strip, Math.min(longest, Math.floor(largest / (strip + edge)) - edge))
    for (const [at, order] of orders.entries())
      for (const rule of RULES) {
        const filling = filler.fill(order, rule, bounds)
        if (filling !== undefined) found.set(`${at} ${filling.width} ${filling.height}`, { ...filling, strip, order, rule })
      }
  }
  return [...found.values()].sort((a, b) => areaOf(a) - areaOf(b))
}
