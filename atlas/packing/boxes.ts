/** A rectangle with its padding, pixels. */
export interface Box {
  readonly width: number
  readonly height: number
}

/**
 * Boxes as columns of numbers, with one entry for each orientation: a box that may be turned by 90° has two
 * entries, unless it is a square.
 */
export interface BoxEntries {
  /** Number of boxes. */
  readonly boxes: number
  /** Area of all boxes, square pixels. */
  readonly area: number
  /** The longest side. */
  readonly longest: number
  /** Entry → its box. */
  readonly boxOf: Int32Array
  /** Entry → its width and height in this orientation. */
  readonly widths: Int32Array
  readonly heights: Int32Array
  /** Entry → the entry of the same box in the other orientation; -1 if there is none. */
  readonly others: Int32Array
}

/** Returns the entries of boxes, in the order of the boxes. */
export function toEntries(boxes: readonly Box[], canTurn: boolean): BoxEntries {
  const boxOf: number[] = []
  const widths: number[] = []
  const heights: number[] = []
  const others: number[] = []
  let area = 0
  let longest = 0
  for (const [index, { width, height }] of boxes.entries()) {
    const entry = boxOf.length
    const hasOther = canTurn && width !== height
    boxOf.push(index)
    widths.push(width)
    heights.push(height)
    others.push(hasOther ? entry + 1 : -1)
    if (hasOther) {
      boxOf.push(index)
      widths.push(height)
      heights.push(width)
      others.push(entry)
    }
    area += width * height
    longest = Math.max(longest, width, height)
  }
  const column = (values: readonly number[]): Int32Array => Int32Array.from(values)
  return {
    boxes: boxes.length,
    area,
    longest,
    boxOf: column(boxOf),
    widths: column(widths),
    heights: column(heights),
    others: column(others),
  }
}

/**
 * Sorts all entries by descending key; entries with equal keys keep their order.
 *
 * @param key Integer key of a width and a height.
 */
export function orderBy({ widths, heights }: BoxEntries, key: (width: number, height: number) => number): Int32Array {
  const keys = Float64Array.from(widths, (width, entry) => key(width, heights[entry]!))
  return Int32Array.from(keys.keys()).sort((a, b) => keys[b]! - keys[a]! || a - b)
}
