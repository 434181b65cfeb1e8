/** Beyond the edges: a neighbour that no box reaches, and that no count of pixels comes near. */
export const WALL: number = 1 << 29

/** An outline to go on from, from left to right. */
export interface OutlineCopy {
  readonly xs: Int32Array
  readonly ys: Int32Array
  readonly spans: Int32Array
}

/**
 * The lower outline of what lies in a strip: stretches of one height, in a list. A gap is one that its neighbours go beyond. y grows downwards.
 *
 * Columns of numbers by stretch: number 0 is always the leftmost, -1 is none, and those that are free are chained by `right`.
 */
export class Outline {
  readonly x: Int32Array
  readonly y: Int32Array
  readonly span: Int32Array
  readonly right: Int32Array
  readonly left: Int32Array
  #used = 0
  #free = -1

  /** @param boxes Most boxes that will be laid. */
  constructor(boxes: number) {
    this.x = new Int32Array(boxes + 2)
    this.y = new Int32Array(boxes + 2)
    this.span = new Int32Array(boxes + 2)
    this.right = new Int32Array(boxes + 2)
    this.left = new Int32Array(boxes + 2)
  }

  /** Begins anew. */
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
    const stretches: number[] = []
    for (let at = 0; at >= 0; at = this.right[at]!) stretches.push(at)
    const pick = (values: Int32Array): Int32Array => Int32Array.from(stretches, (at) => values[at]!)
    return { xs: pick(this.x), ys: pick(this.y), spans: pick(this.span) }
  }

  /** A box as wide as its gap, or a gap that is given up. @param bottom Where it ends. */
  sink(at: number, bottom: number): void {
    this.y[at] = bottom
    this.#level(at)
  }

  /** The stretch nearest to the top, the leftmost of several. */
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

  /** A box that leaves some of its gap beside it. @param wide Width of the part on the left, which is the box or what is left beside it. */
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

  /** Makes one of a stretch and such neighbours as are level with it; the one on the left stays. */
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
