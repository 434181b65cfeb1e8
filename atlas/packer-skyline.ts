/** The sides of a strip: walls that no box can be level with, and that no count of pixels comes near. */
export const WALL: number = 1 << 29

/** A skyline to go on from. */
export interface SkylineCopy {
  readonly xs: Int32Array
  readonly ys: Int32Array
  readonly spans: Int32Array
}

/** The lower outline of what lies in a strip: stretches of one height, from left to right; a gap is one that its neighbours go beyond. y grows downwards. */
export class Skyline {
  #xs: Int32Array
  #ys: Int32Array
  #spans: Int32Array
  #count = 1

  /** @param boxes Most boxes that will be laid. */
  constructor(boxes: number) {
    this.#xs = new Int32Array(boxes + 2)
    this.#ys = new Int32Array(boxes + 2)
    this.#spans = new Int32Array(boxes + 2)
  }

  /** Number of stretches. */
  get count(): number {
    return this.#count
  }

  /** Begins anew: an empty strip of a width, or a copy. */
  begin(width: number, copy: SkylineCopy | undefined): void {
    this.#count = copy?.xs.length ?? 1
    this.#xs.set(copy?.xs ?? [0])
    this.#ys.set(copy?.ys ?? [0])
    this.#spans.set(copy?.spans ?? [width])
  }

  copy(): SkylineCopy {
    const upTo = (values: Int32Array): Int32Array => values.slice(0, this.#count)
    return { xs: upTo(this.#xs), ys: upTo(this.#ys), spans: upTo(this.#spans) }
  }

  /** The stretch nearest to the top, the leftmost of several. */
  gap(): number {
    let at = 0
    for (let i = 1; i < this.#count; i++) if (this.#ys[i]! < this.#ys[at]!) at = i
    return at
  }

  y(at: number): number {
    return this.#ys[at]!
  }

  span(at: number): number {
    return this.#spans[at]!
  }

  /** How far the neighbour on the left reaches below a stretch. */
  left(at: number): number {
    return at > 0 ? this.#ys[at - 1]! - this.#ys[at]! : WALL
  }

  right(at: number): number {
    return at < this.#count - 1 ? this.#ys[at + 1]! - this.#ys[at]! : WALL
  }

  /** Gives up a gap: moves it down to its nearer neighbour. @returns The area that is lost. */
  close(at: number): number {
    const drop = Math.min(this.left(at), this.right(at))
    const lost = drop * this.#spans[at]!
    this.#ys[at]! += drop
    this.#join(at)
    return lost
  }

  /** Lays a box in a gap that is wide enough, beside the neighbour that it is level with, else the longer one. @returns Its left edge. */
  lay(at: number, width: number, height: number): number {
    const left = this.left(at)
    const right = this.right(at)
    const start = this.#xs[at]!
    const y = this.#ys[at]!
    const span = this.#spans[at]!
    if (span === width) {
      this.#ys[at] = y + height
      this.#join(at)
      return start
    }
    const goesLeft = height === left || (height !== right && left >= right)
    const x = goesLeft ? start : start + span - width
    this.#open(at)
    const own = goesLeft ? at : at + 1
    this.#set(own, x, y + height, width)
    this.#set(goesLeft ? at + 1 : at, goesLeft ? x + width : start, y, span - width)
    this.#join(own)
    return x
  }

  #set(at: number, x: number, y: number, span: number): void {
    this.#xs[at] = x
    this.#ys[at] = y
    this.#spans[at] = span
  }

  // A loop: for so few numbers it is several times faster than copyWithin.
  #open(at: number): void {
    for (let i = this.#count; i > at; i--) this.#set(i, this.#xs[i - 1]!, this.#ys[i - 1]!, this.#spans[i - 1]!)
    this.#count++
  }

  /** Makes one of a stretch and such neighbours as are level with it. */
  #join(at: number): void {
    if (at + 1 < this.#count && this.#ys[at + 1] === this.#ys[at]) this.#merge(at)
    if (at > 0 && this.#ys[at - 1] === this.#ys[at]) this.#merge(at - 1)
  }

  #merge(at: number): void {
    this.#spans[at]! += this.#spans[at + 1]!
    this.#count--
    for (let i = at + 1; i < this.#count; i++) this.#set(i, this.#xs[i + 1]!, this.#ys[i + 1]!, this.#spans[i + 1]!)
  }
}
