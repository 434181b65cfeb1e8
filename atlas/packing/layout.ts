/** Bounds of a page. */
export interface PageBounds {
  /**
   * Longest side of the area of boxes. A box has its padding on the right and below. The last padding may overlap
   * the border.
   */
  readonly longest: number
  /** Page side minus side of the area of boxes. Negative if the padding is larger than both borders. */
  readonly edge: number
  /** Whether boxes may be turned by 90°. */
  readonly canTurn: boolean
}

/** Boxes placed on a page. */
export interface Layout {
  /** Size of the area of boxes, pixels. */
  readonly width: number
  readonly height: number
  /** Box → its place; `undefined` if the box is not placed. */
  readonly places: readonly (BoxPlace | undefined)[]
}

/** Top left corner of a box. A turned box covers `height` × `width`. */
export interface BoxPlace {
  readonly x: number
  readonly y: number
  readonly isTurned: boolean
}

/** The smallest integer whose square is at least `value`. `Math.sqrt` may differ between machines. */
export function rootAbove(value: number): number {
  let low = 0
  let high = 1 << 26
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (middle * middle >= value) high = middle
    else low = middle + 1
  }
  return low
}
