import { WALL } from './outline.ts'
import type { BoxPool } from './pool.ts'

/**
 * Several half-filled bands as columns of numbers: the outline of each, its placed boxes and its lost area.
 * The outlines are short, so copying a band is cheap.
 */
export class HalfBands {
  /**
   * Band → number of segments of its outline. The segments of band n start at n × `most`. After the last one,
   * `x` has the width of the band.
   */
  readonly segments: Int32Array
  readonly most: number
  readonly x: Int32Array
  readonly y: Int32Array
  /** Band → area of its boxes and lost area, square pixels. */
  readonly area: Int32Array
  readonly lost: Int32Array
  /** Band → its last step, an index that the caller keeps. */
  readonly last: Int32Array
  readonly #pool: BoxPool
  readonly #words: number
  // One bit per box: whether it is placed.
  readonly #taken: Int32Array
  // `#first` is where the search for the first waiting rank starts. `#narrowest` is where the search for the
  // narrowest waiting box starts. All boxes before these positions are placed.
  readonly #first: Int32Array
  readonly #narrowest: Int32Array

  /**
   * @param bands Number of bands.
   * @param most Most segments of an outline, plus two.
   */
  constructor(pool: BoxPool, bands: number, most: number) {
    this.#pool = pool
    this.#words = (pool.boxes + 31) >> 5
    this.most = most
    this.segments = new Int32Array(bands)
    this.x = new Int32Array(bands * most)
    this.y = new Int32Array(bands * most)
    this.area = new Int32Array(bands)
    this.lost = new Int32Array(bands)
    this.last = new Int32Array(bands)
    this.#taken = new Int32Array(bands * this.#words)
    this.#first = new Int32Array(bands)
    this.#narrowest = new Int32Array(bands)
  }

  /** Empties the first band. */
  begin(width: number): void {
    this.segments[0] = 1
    this.x[0] = 0
    this.x[1] = width
    this.y[0] = 0
    this.area[0] = 0
    this.lost[0] = 0
    this.last[0] = -1
    this.#taken.fill(0, 0, this.#words)
    this.#first[0] = 0
    this.#narrowest[0] = 0
  }

  hasTaken(band: number, rank: number): boolean {
    const box = this.#pool.boxOf[rank]!
    return ((this.#taken[band * this.#words + (box >> 5)]! >>> (box & 31)) & 1) === 1
  }

  /** Returns the first rank of a waiting box, or the number of ranks if no box waits. */
  firstWaiting(band: number): number {
    let rank = this.#first[band]!
    while (rank < this.#pool.count && this.hasTaken(band, rank)) rank++
    this.#first[band] = rank
    return rank
  }

  /** Returns the width of the narrowest waiting box, 0 if no box waits. */
  #narrowestWaiting(band: number): number {
    const { byWidth, count, widths } = this.#pool
    let at = this.#narrowest[band]!
    while (at < count && this.hasTaken(band, byWidth.ranks[at]!)) at++
    this.#narrowest[band] = at
    return at < count ? widths[byWidth.ranks[at]!]! : 0
  }

  /** Returns the highest segment, the leftmost of several; -1 if all segments are at the bottom. */
  gap(band: number, bottom: number): number {
    const start = band * this.most
    const end = start + this.segments[band]!
    let found = -1
    let top = bottom
    for (let i = start; i < end; i++) {
      if (this.y[i]! >= top) continue
      top = this.y[i]!
      found = i - start
    }
    return found
  }

  /**
   * Returns how far a neighbour reaches below a segment.
   *
   * @param side -1 for the left neighbour, 1 for the right one.
   */
  reach(band: number, at: number, side: -1 | 1): number {
    const other = at + side
    if (other < 0 || other >= this.segments[band]!) return WALL
    const start = band * this.most
    return this.y[start + other]! - this.y[start + at]!
  }

  /** Counts a gap as lost, down to its shorter neighbour or to the bottom. */
  giveUp(band: number, at: number, bottom: number): void {
    const i = band * this.most + at
    const depth = Math.min(this.reach(band, at, -1), this.reach(band, at, 1), bottom - this.y[i]!)
    this.lost[band]! += depth * (this.x[i + 1]! - this.x[i]!)
    this.y[i]! += depth
    const segments = this.segments[band]!
    if (at + 1 < segments && this.y[i + 1] === this.y[i]) this.#drop(band, at + 1)
    if (at > 0 && this.y[i - 1] === this.y[i]) this.#drop(band, at)
  }

  /** Merges a segment with its left neighbour, which has the same height. */
  #drop(band: number, at: number): void {
    const start = band * this.most
    const segments = this.segments[band]! - 1
    for (let i = start + at; i <= start + segments; i++) {
      this.x[i] = this.x[i + 1]!
      this.y[i] = this.y[i + 1]!
    }
    this.segments[band] = segments
  }

  /** Counts all gaps as lost that are narrower than every waiting box. */
  settle(band: number, bottom: number): void {
    const narrowest = this.#narrowestWaiting(band)
    if (narrowest === 0) return
    for (let at = this.gap(band, bottom); at >= 0; at = this.gap(band, bottom)) {
      const i = band * this.most + at
      if (this.x[i + 1]! - this.x[i]! >= narrowest) return
      this.giveUp(band, at, bottom)
    }
  }

  /**
   * Makes a band a copy of another band with one box more.
   *
   * @param at The gap: a segment of the other band.
   * @param goesLeft Whether the box goes to the left side of the gap, else to the right side.
   */
  place(band: number, from: HalfBands, other: number, at: number, rank: number, goesLeft: boolean): void {
    const wide = this.#pool.widths[rank]!
    const tall = this.#pool.heights[rank]!
    const source = other * this.most
    const start = band * this.most
    const left = from.x[source + at]!
    const right = from.x[source + at + 1]!
    const top = from.y[source + at]!
    const bottom = top + tall
    this.#copyRest(band, from, other)
    const box = this.#pool.boxOf[rank]!
    this.#taken[band * this.#words + (box >> 5)]! |= 1 << (box & 31)
    this.area[band] = from.area[other]! + wide * tall
    // The segments left of the gap, those in it, those right of it. Neighbours of equal height are merged.
    for (let i = 0; i < at; i++) {
      this.x[start + i] = from.x[source + i]!
      this.y[start + i] = from.y[source + i]!
    }
    let made = at
    const isWhole = wide === right - left
    made = this.#append(start, made, left, isWhole || goesLeft ? bottom : top)
    if (!isWhole) made = this.#append(start, made, goesLeft ? left + wide : right - wide, goesLeft ? top : bottom)
    const end = from.segments[other]!
    for (let i = at + 1; i < end; i++) made = this.#append(start, made, from.x[source + i]!, from.y[source + i]!)
    this.x[start + made] = from.x[source + end]!
    this.segments[band] = made
  }

  #append(start: number, made: number, x: number, y: number): number {
    if (made > 0 && this.y[start + made - 1] === y) return made
    this.x[start + made] = x
    this.y[start + made] = y
    return made + 1
  }

  #copyRest(band: number, from: HalfBands, other: number): void {
    const words = this.#words
    for (let i = 0; i < words; i++) this.#taken[band * words + i] = from.#taken[other * words + i]!
    this.lost[band] = from.lost[other]!
    this.last[band] = from.last[other]!
    this.#first[band] = from.#first[other]!
    this.#narrowest[band] = from.#narrowest[other]!
  }

  /** Sum of all height differences along the outline, pixels. */
  roughness(band: number): number {
    const start = band * this.most
    const end = start + this.segments[band]!
    let rough = 0
    for (let i = start + 1; i < end; i++) rough += Math.abs(this.y[i]! - this.y[i - 1]!)
    return rough
  }

  /** A hash of the outline and the areas. Two bands with the same hash count as equal. */
  hash(band: number): number {
    const start = band * this.most
    const end = start + this.segments[band]!
    let hash = this.area[band]! ^ (this.lost[band]! << 7)
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + this.y[i]! * 7 + this.x[i]!) | 0
    return hash
  }
}
