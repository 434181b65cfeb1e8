/** Bounds of a page. */
export interface PageBounds {
  /** Longest side of the boxes' area: boxes have their padding on the right and below, and the last may hang over the border. */
  readonly longest: number
  /** What a page is longer than its boxes' area, on each axis; under 0 where the padding is larger than both borders. */
  readonly edge: number
  /** Whether boxes may be turned by 90°. */
  readonly canTurn: boolean
}

/** Boxes on a page. */
export interface Layout {
  /** Of the boxes' area, pixels. */
  readonly width: number
  readonly height: number
  /** Box → its place; undefined for one that is left out. */
  readonly places: readonly (BoxPlace | undefined)[]
}

/** Where a box lies; turned, it covers `height` × `width`. */
export interface BoxPlace {
  readonly x: number
  readonly y: number
  readonly isTurned: boolean
}

/** The smallest whole number whose square is not under `value`; `Math.sqrt` need not be the same everywhere. */
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
