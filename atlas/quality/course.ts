/** A row of values, one a frame in playing order, and whether the last is followed by the first. */
export interface Course {
  readonly values: readonly number[]
  readonly isClosed: boolean
}

/**
 * By how much each value stands out from both its neighbours on the same side; 0 where it lies between them. A way there, a way back and a hold at the end
 * do not stand out: only what jumps and comes back at once does. The ends of an open course have one neighbour and never stand out.
 */
export function standOut({ values, isClosed }: Course): number[] {
  const count = values.length
  return values.map((value, at) => {
    if (count < 3 || (!isClosed && (at === 0 || at === count - 1))) return 0
    const before = value - values[(at + count - 1) % count]!
    const after = value - values[(at + 1) % count]!
    return before * after <= 0 ? 0 : Math.sign(before) * Math.min(Math.abs(before), Math.abs(after))
  })
}

/** What several rows of numbers have in common, place by place: the smallest where all have one sign, else 0. */
export function agree(rows: readonly (readonly number[])[]): number[] {
  return rows[0]!.map((first, at) => {
    const all = rows.map((row) => row[at]!)
    return all.every((value) => value * first > 0) ? Math.sign(first) * Math.min(...all.map(Math.abs)) : 0
  })
}

/**
 * The step that is too much from the last value of a closed course to its first: what is left when the steps on both sides of the seam are taken off.
 * A slow creep shows here, whatever the motion does in between.
 */
export function seamStep({ values, isClosed }: Course): number {
  const count = values.length
  if (!isClosed || count < 4) return 0
  const usual = (values[1]! - values[0]! + (values[count - 1]! - values[count - 2]!)) / 2
  return values[0]! - values[count - 1]! - usual
}

/**
 * Takes those places out of a list that are the beat of a gait: several of one sign, as far from each other as the loop's length allows evenly, three frames or
 * more apart and about equally high. A runner leaves the ground twice a cycle; a frame that slipped does it once.
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

/** The value under which a part of all lies, 0 to 1; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}
