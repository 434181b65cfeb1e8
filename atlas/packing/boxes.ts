/** A rectangle with its padding, pixels. */
export interface Box {
  readonly width: number
  readonly height: number
}

/**
 * Boxes in the ways in which they may be placed, as columns of numbers: an entry each, and where boxes may be turned by 90° a second one for each that is no square.
 */
export interface BoxEntries {
  /** Number of boxes. */
  readonly boxes: number
  /** Of all boxes, square pixels. */
  readonly area: number
  /** The longest side. */
  readonly longest: number
  /** Entry → box. */
  readonly boxOf: Int32Array
  /** Entry → its width and height as placed. */
  readonly widths: Int32Array
  readonly heights: Int32Array
  /** Entry → the other one of its box; -1 for none. */
  readonly twins: Int32Array
}

/** The entries of boxes, in their order. */
export function toEntries(boxes: readonly Box[], canTurn: boolean): BoxEntries {
  const boxOf: number[] = []
  const widths: number[] = []
  const heights: number[] = []
  const twins: number[] = []
  let area = 0
  let longest = 0
  for (const [index, { width, height }] of boxes.entries()) {
    const entry = boxOf.length
    const hasTwin = canTurn && width !== height
    boxOf.push(index)
    widths.push(width)
    heights.push(height)
    twins.push(hasTwin ? entry + 1 : -1)
    if (hasTwin) {
      boxOf.push(index)
      widths.push(height)
      heights.push(width)
      twins.push(entry)
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
    twins: column(twins),
  }
}

/** All entries in an order: highest key first, then as the boxes came. @param key Integer for a width and a height. */
export function orderBy({ widths, heights }: BoxEntries, key: (width: number, height: number) => number): Int32Array {
  const keys = Float64Array.from(widths, (width, entry) => key(width, heights[entry]!))
  return Int32Array.from(keys.keys()).sort((a, b) => keys[b]! - keys[a]! || a - b)
}
