/** Height of a neighbour beyond the edges of the strip; larger than any count of pixels. */
export const WALL: number = 1 << 29

/** A saved outline, from left to right. */
export interface OutlineCopy {
  readonly xs: Int32Array
  readonly ys: Int32Array
  readonly spans: Int32Array
}

/**
 * The lower outline of the boxes in a strip: a list of segments of one height each. A segment is a gap if
 * both neighbours end lower. y grows downwards.
 *
 * Segments are columns of numbers. Number 0 is always the leftmost segment, -1 means none, and free numbers
 * are chained by `right`.
 */
export class Outline {
  readonly x: Int32Array
  readonly y: Int32Array
  readonly span: Int32Array
  readonly right: Int32Array
  readonly left: Int32Array
  #used = 0
  #free = -1

  /** @param boxes Most boxes that will be placed. */
  constructor(boxes: number) {
    this.x = new Int32Array(boxes + 2)
    this.y = new Int32Array(boxes + 2)
    this.span = new Int32Array(boxes + 2)
    this.right = new Int32Array(boxes + 2)
    this.left = new Int32Array(boxes + 2)
  }

  /** Restores a saved outline. */
  begin({ xs, ys, spans }: OutlineCopy): void {
    const count = xs.length
    this.x.set(xs)
    this.y.set(ys)
    this.span.set(spans)
    for (let at = 0; at < count; at++) {
      this.left[at] = at - 1
      this.right[at] = at + 1
    }
    this.right[count - 1] = -1
    this.#used = count
    this.#free = -1
  }

  copy(): OutlineCopy {
    const segments: number[] = []
    for (let at = 0; at >= 0; at = this.right[at]!) segments.push(at)
    const pick = (values: Int32Array): Int32Array => Int32Array.from(segments, (at) => values[at]!)
    return { xs: pick(this.x), ys: pick(this.y), spans: pick(this.span) }
  }

  /**
   * Lowers a whole segment, because a box fills its width or because no box fits the gap.
   *
   * @param bottom The new height of the segment.
   */
  sink(at: number, bottom: number): void {
    this.y[at] = bottom
    this.#level(at)
  }

  /** Returns the highest segment, the leftmost of several. */
  gap(): number {
    const y = this.y
    const right = this.right
    let at = 0
    let top = y[0]!
    for (let other = right[0]!; other >= 0; other = right[other]!) {
      if (y[other]! < top) {
        top = y[other]!
        at = other
      }
    }
    return at
  }

  /**
   * Splits a segment for a box that is narrower than the gap.
   *
   * @param wide Width of the left part.
   * @param goesLeft Whether the box is the left part, else the right one.
   */
  split(at: number, wide: number, bottom: number, goesLeft: boolean): void {
    let made = this.#free
    if (made < 0) made = this.#used++
    else this.#free = this.right[made]!
    const after = this.right[at]!
    this.right[made] = after
    this.left[made] = at
    this.right[at] = made
    if (after >= 0) this.left[after] = made
    this.x[made] = this.x[at]! + wide
    this.span[made] = this.span[at]! - wide
    this.span[at] = wide
    if (goesLeft) {
      this.y[made] = this.y[at]!
      this.y[at] = bottom
      this.#level(at)
      return
    }
    this.y[made] = bottom
    this.#level(made)
  }

  /** Merges a segment with neighbours of the same height. The left segment remains. */
  #level(at: number): void {
    this.#merge(at)
    const before = this.left[at]!
    if (before >= 0) this.#merge(before)
  }

  #merge(at: number): void {
    const other = this.right[at]!
    if (other < 0 || this.y[other] !== this.y[at]) return
    const beyond = this.right[other]!
    this.span[at]! += this.span[other]!
    this.right[at] = beyond
    if (beyond >= 0) this.left[beyond] = at
    this.right[other] = this.#free
    this.#free = other
  }
}
