import { WALL } from './outline.ts'
import type { BoxPool } from './pool.ts'

/**
 * Half-filled bands beside one another, as columns of numbers: the outline of each, which boxes of the pool it has taken, and what it has lost. Their outlines are short, so that
 * a band is copied in no time.
 */
export class HalfBands {
  /** Band → number of stretches of its outline. Those of band n begin at n × `most`; one more than there are has the width of the band as its `x`. */
  readonly stretches: Int32Array
  readonly most: number
  readonly x: Int32Array
  readonly y: Int32Array
  /** Band → area of its boxes and area given up, square pixels. */
  readonly area: Int32Array
  readonly lost: Int32Array
  /** Band → its last box, as the caller counts them. */
  readonly last: Int32Array
  readonly #pool: BoxPool
  readonly #words: number
  // Bits of the boxes that are taken.
  readonly #taken: Int32Array
  // Where to look for the first rank that waits, and for the narrowest: no earlier one does.
  readonly #first: Int32Array
  readonly #narrowest: Int32Array

  /** @param bands Number of bands. @param most Stretches of an outline, and two more. */
  constructor(pool: BoxPool, bands: number, most: number) {
    this.#pool = pool
    this.#words = (pool.boxes + 31) >> 5
    this.most = most
    this.stretches = new Int32Array(bands)
    this.x = new Int32Array(bands * most)
    this.y = new Int32Array(bands * most)
    this.area = new Int32Array(bands)
    this.lost = new Int32Array(bands)
    this.last = new Int32Array(bands)
    this.#taken = new Int32Array(bands * this.#words)
    this.#first = new Int32Array(bands)
    this.#narrowest = new Int32Array(bands)
  }

  /** Makes the first band an empty one. */
  begin(width: number): void {
    this.stretches[0] = 1
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

  /** The first rank whose box waits; the number of ranks where none does. */
  firstWaiting(band: number): number {
    let rank = this.#first[band]!
    while (rank < this.#pool.count && this.hasTaken(band, rank)) rank++
    this.#first[band] = rank
    return rank
  }

  /** Width of the narrowest box that waits. */
  #narrowestWaiting(band: number): number {
    const { byWidth, count, widths } = this.#pool
    let at = this.#narrowest[band]!
    while (at < count && this.hasTaken(band, byWidth.ranks[at]!)) at++
    this.#narrowest[band] = at
    return at < count ? widths[byWidth.ranks[at]!]! : 0
  }

  /** The stretch nearest to the top, the leftmost of several; -1 where all are at the bottom. */
  gap(band: number, bottom: number): number {
    const start = band * this.most
    const end = start + this.stretches[band]!
    let found = -1
    let top = bottom
    for (let i = start; i < end; i++) {
      if (this.y[i]! >= top) continue
      top = this.y[i]!
      found = i - start
    }
    return found
  }

  /** How far a neighbour of a stretch reaches below it. @param side -1 for the left one, 1 for the right. */
  reach(band: number, at: number, side: -1 | 1): number {
    const other = at + side
    if (other < 0 || other >= this.stretches[band]!) return WALL
    const start = band * this.most
    return this.y[start + other]! - this.y[start + at]!
  }

  /** Gives a gap up, down to its nearer neighbour or the bottom. */
  giveUp(band: number, at: number, bottom: number): void {
    const i = band * this.most + at
    const depth = Math.min(this.reach(band, at, -1), this.reach(band, at, 1), bottom - this.y[i]!)
    this.lost[band]! += depth * (this.x[i + 1]! - this.x[i]!)
    this.y[i]! += depth
    const stretches = this.stretches[band]!
    if (at + 1 < stretches && this.y[i + 1] === this.y[i]) this.#drop(band, at + 1)
    if (at > 0 && this.y[i - 1] === this.y[i]) this.#drop(band, at)
  }

  /** Makes one of a stretch and the one on its left, which is level with it. */
  #drop(band: number, at: number): void {
    const start = band * this.most
    const stretches = this.stretches[band]! - 1
    for (let i = start + at; i <= start + stretches; i++) {
      this.x[i] = this.x[i + 1]!
      this.y[i] = this.y[i + 1]!
    }
    this.stretches[band] = stretches
  }

  /** Gives up what no box that waits is narrow enough for. */
  settle(band: number, bottom: number): void {
    const narrowest = this.#narrowestWaiting(band)
    if (narrowest === 0) return
    for (let at = this.gap(band, bottom); at >= 0; at = this.gap(band, bottom)) {
      const i = band * this.most + at
      if (this.x[i + 1]! - this.x[i]! >= narrowest) return
      this.giveUp(band, at, bottom)
    }
  }

  /** Makes a band what another one is with a box more. @param goesLeft Where in the gap `at` the box of a rank lies. */
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
    // The stretches before the gap, those in it, those behind it; what is level with the one on its left is one with it.
    for (let i = 0; i < at; i++) {
      this.x[start + i] = from.x[source + i]!
      this.y[start + i] = from.y[source + i]!
    }
    let made = at
    const isWhole = wide === right - left
    made = this.#append(start, made, left, isWhole || goesLeft ? bottom : top)
    if (!isWhole) made = this.#append(start, made, goesLeft ? left + wide : right - wide, goesLeft ? top : bottom)
    const end = from.stretches[other]!
    for (let i = at + 1; i < end; i++) made = this.#append(start, made, from.x[source + i]!, from.y[source + i]!)
    this.x[start + made] = from.x[source + end]!
    this.stretches[band] = made
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

  /** How much the outline goes up and down, in all, pixels. */
  roughness(band: number): number {
    const start = band * this.most
    const end = start + this.stretches[band]!
    let rough = 0
    for (let i = start + 1; i < end; i++) rough += Math.abs(this.y[i]! - this.y[i - 1]!)
    return rough
  }

  /** A number that is the same for bands that are alike. */
  likeness(band: number): number {
    const start = band * this.most
    const end = start + this.stretches[band]!
    let number = this.area[band]! ^ (this.lost[band]! << 7)
    for (let i = start; i < end; i++) number = (Math.imul(number, 31) + this.y[i]! * 7 + this.x[i]!) | 0
    return number
  }
}
