/** One value per frame in playing order, and whether the first frame follows the last. */
export interface Series {
  readonly values: readonly number[]
  readonly isClosed: boolean
}

/**
 * Returns how far each value is above or below both its neighbours, with its sign; 0 if it is between them. A
 * steady motion and a hold do not count: only a jump that returns at once does. The ends of an open sequence
 * have one neighbour and always give 0.
 */
export function jumpsOf({ values, isClosed }: Series): number[] {
  const count = values.length
  return values.map((value, at) => {
    if (count < 3 || (!isClosed && (at === 0 || at === count - 1))) return 0
    const before = value - values[(at + count - 1) % count]!
    const after = value - values[(at + 1) % count]!
    return before * after <= 0 ? 0 : Math.sign(before) * Math.min(Math.abs(before), Math.abs(after))
  })
}

/** Combines several rows place by place: the smallest value if all have the same sign, else 0. */
export function commonShift(rows: readonly (readonly number[])[]): number[] {
  return rows[0]!.map((first, at) => {
    const all = rows.map((row) => row[at]!)
    return all.every((value) => value * first > 0) ? Math.sign(first) * Math.min(...all.map(Math.abs)) : 0
  })
}

/**
 * Returns the extra step from the last value of a closed sequence to its first: the step minus the mean of
 * the steps on both sides of the seam. It shows a slow creep, whatever the motion between.
 */
export function seamStep({ values, isClosed }: Series): number {
  const count = values.length
  if (!isClosed || count < 4) return 0
  const usual = (values[1]! - values[0]! + (values[count - 1]! - values[count - 2]!)) / 2
  return values[0]! - values[count - 1]! - usual
}

/**
 * Removes the places that are the beat of a gait. A beat is two or more places of one sign, at even distances
 * over the loop, three or more frames apart and about equally high. A runner leaves the ground twice per
 * cycle; a displaced frame does so once.
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
