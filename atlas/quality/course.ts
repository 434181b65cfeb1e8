import { median } from './colour.ts'

/** One value per frame in playing order, and whether the first frame follows the last. */
export interface Series {
  readonly values: readonly number[]
  readonly isClosed: boolean
}

/**
 * Returns the distance of each value above or below both its neighbours, with its sign; 0 if the value is between
 * them. A steady motion and a hold do not count, only a jump that returns at once. The ends of an open sequence have
 * one neighbour and always give 0.
 *
 * @param reach 1 also accepts the values to which the neighbours' own steps would lead, as in a leap or a bounce.
 */
export function jumpsOf({ values, isClosed }: Series, reach: 0 | 1 = 0): number[] {
  const count = values.length
  const valueAt = (at: number): number | undefined => values[isClosed ? (at + count) % count : at]
  return values.map((value, at) => {
    if (count < 3 || (!isClosed && (at === 0 || at === count - 1))) return 0
    const course = [-1, 1].flatMap((way) => {
      const near = valueAt(at + way)!
      return [near, near + reach * (near - (valueAt(at + 2 * way) ?? near))]
    })
    return Math.max(0, value - Math.max(...course)) + Math.min(0, value - Math.min(...course))
  })
}

/**
 * Combines the jumps of several rows place by place: the smallest jump if all have the same sign, else 0. The result
 * is also 0 if three places in a row go to and fro as in a shake, or if the first row continues a leap.
 *
 * @param off Share of a jump that must not be explained by the motion.
 * @param slack See {@link commonShift}.
 */
export function commonJumps(rows: readonly Series[], off: number, slack: number): number[] {
  const [first] = rows as readonly [Series]
  const all = rows.map((row) => jumpsOf(row))
  const out = jumpsOf(first, 1)
  const jumps = commonShift(all, slack).map((by, at) => (Math.abs(out[at]!) > off * Math.abs(all[0]![at]!) ? by : 0))
  const count = jumps.length
  const around = (at: number): number[] => [-1, 0, 1].map((step) => (first.isClosed ? (at + step + count) % count : at + step))
  const isShaken = (at: number): boolean => {
    const [before = 0, here = 0, after = 0] = around(at).map((place) => jumps[place])
    const sizes = [before, here, after].map(Math.abs)
    return before * here < 0 && here * after < 0 && Math.max(...sizes) <= 2.5 * Math.min(...sizes)
  }
  const shaken = new Set(jumps.flatMap((_, at) => (isShaken(at) ? around(at) : [])))
  return jumps.map((by, at) => (shaken.has(at) ? 0 : by))
}

/**
 * Combines several rows place by place: the smallest value if all have the same sign, else 0.
 *
 * @param slack Above 1, the median counts, limited to this multiple of the smallest value.
 */
export function commonShift(rows: readonly (readonly number[])[], slack = 1): number[] {
  return rows[0]!.map((first, at) => {
    const sizes = rows.map((row) => row[at]! * Math.sign(first))
    const least = Math.min(...sizes)
    return least > 0 ? Math.sign(first) * Math.min(median(sizes), slack * least) : 0
  })
}

/**
 * Returns the extra step from the last value of a closed sequence to its first: the step minus the mean of
 * the steps on both sides of the seam. This shows a slow creep, independent of the motion between. If another step is
 * at least as large, the result is 0.
 */
export function seamStep({ values, isClosed }: Series): number {
  const count = values.length
  if (!isClosed || count < 4) return 0
  const steps = values.slice(1).map((value, at) => value - values[at]!)
  const step = values[0]! - values[count - 1]!
  if (steps.some((other) => Math.abs(other) >= Math.abs(step))) return 0
  return step - (steps[0]! + steps.at(-1)!) / 2
}

/** Whether all steps have one direction, with a sum of at least `far`: a figure that walks across the canvas. */
export function isTravel(values: readonly number[], far: number): boolean {
  const way = values.at(-1)! - values[0]!
  return Math.abs(way) >= far && values.every((value, at) => at === 0 || (value - values[at - 1]!) * way >= 0)
}

/**
 * Removes the places that are the beat of a gait. A beat is two or more places of one sign, at even distances
 * over the loop, three or more frames apart and about equally high. A runner leaves the ground twice per cycle; a
 * displaced frame is one place.
 */
export function withoutBeat(places: readonly number[], heights: readonly number[], isClosed: boolean): number[] {
  if (!isClosed) return [...places]
  const isBeat = (sign: number): boolean => {
    const own = places.filter((at) => Math.sign(heights[at]!) === sign)
    const period = heights.length / own.length
    if (own.length < 2 || period < 3) return false
    const gaps = own.map((at, i) => (own[(i + 1) % own.length]! - at + heights.length) % heights.length)
    const sizes = own.map((at) => Math.abs(heights[at]!))
    return gaps.every((gap) => Math.abs(gap - period) <= 1) && Math.max(...sizes) <= 2 * Math.min(...sizes)
  }
  const beats = [1, -1].filter(isBeat)
  return places.filter((at) => !beats.includes(Math.sign(heights[at]!)))
}

/**
 * Returns the value below which a share of all values lies, 0 for no values.
 *
 * @param share 0 to 1.
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}
