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
  const entries = boxes.flatMap((box, index) => [
    { index, width: box.width, height: box.height },
    ...(canTurn && box.width !== box.height ? [{ index, width: box.height, height: box.width }] : []),
  ])
  const isTwin = (at: number, index: number): boolean => entries[at]?.index === index
  return {
    boxes: boxes.length,
    area: boxes.reduce((area, box) => area + box.width * box.height, 0),
    longest: boxes.reduce((longest, box) => Math.max(longest, box.width, box.height), 0),
    boxOf: Int32Array.from(entries, (entry) => entry.index),
    widths: Int32Array.from(entries, (entry) => entry.width),
    heights: Int32Array.from(entries, (entry) => entry.height),
    twins: Int32Array.from(entries, ({ index }, at) => (isTwin(at + 1, index) ? at + 1 : isTwin(at - 1, index) ? at - 1 : -1)),
  }
}

/** All entries in an order: highest key first, then as the boxes came. @param key Integer for a width and a height. */
export function orderBy({ widths, heights }: BoxEntries, key: (width: number, height: number) => number): Int32Array {
  const keys = Array.from(widths, (width, entry) => key(width, heights[entry]!))
  return Int32Array.from(keys.keys()).sort((a, b) => keys[b]! - keys[a]! || a - b)
}
