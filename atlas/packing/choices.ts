import type { HalfBands } from './half-bands.ts'
import type { BoxPool } from './pool.ts'

/** A gap in the outline of a half-filled band. */
export interface Gap {
  readonly span: number
  /** How far the longer neighbour reaches below the gap, and how far the shorter one does. */
  readonly far: number
  readonly near: number
  /** Height from the gap to the bottom of the band. */
  readonly room: number
}

/** Selects the boxes that are tried in a gap. */
export class Choices {
  /** Ranks of boxes, no two of the same size. Entries from `count` on are out of date. */
  readonly ranks: Int32Array
  count = 0
  readonly #pool: BoxPool
  // Boxes as wide as the gap: longer than both neighbours; shorter than the longer one; level with the longer
  // one; level with the shorter one or the bottom.
  #over = -1
  #under = -1
  #levelFar = -1
  #levelNear = -1

  /** @param most Number of boxes tried in a gap. */
  constructor(pool: BoxPool, most: number) {
    this.#pool = pool
    this.ranks = new Int32Array(most)
  }

  /**
   * Finds the boxes that fit a gap best, the best first.
   *
   * A box fits well if it is as wide as the gap, ends level with a neighbour, or both. If too few do, the
   * first boxes of the order that fit at all are added.
   */
  find(bands: HalfBands, at: number, { span, far, near, room }: Gap): void {
    const { longest } = this.#pool
    const most = this.ranks.length
    this.count = 0
    this.#over = this.#under = this.#levelFar = this.#levelNear = -1
    if (span <= longest) this.#findOfWidth(bands, at, { span, far, near, room })
    this.#add(this.#levelFar)
    this.#add(this.#levelNear)
    if (this.count < most && far <= room) this.#addOfHeight(bands, at, far, span)
    this.#add(this.#over)
    this.#add(this.#under)
    if (this.count < most && near <= room) this.#addOfHeight(bands, at, near, span)
    if (this.count < most) this.#addFirst(bands, at, span, room)
  }

  #findOfWidth(bands: HalfBands, at: number, { span, far, near, room }: Gap): void {
    const { byWidth, heights } = this.#pool
    const end = byWidth.starts[span + 1]!
    for (let i = byWidth.starts[span]!; i < end; i++) {
      const rank = byWidth.ranks[i]!
      const tall = heights[rank]!
      if (tall > room || bands.hasTaken(at, rank)) continue
      if (tall === far) {
        if (this.#levelFar < 0) this.#levelFar = rank
      } else if (tall === near || tall === room) {
        if (this.#levelNear < 0) this.#levelNear = rank
      } else if (tall > far) {
        if (this.#over < 0) this.#over = rank
      } else if (this.#under < 0) this.#under = rank
    }
  }

  /** Adds the first box of this height that is narrower than the gap. */
  #addOfHeight(bands: HalfBands, at: number, height: number, span: number): void {
    const { longest, byHeight, widths } = this.#pool
    if (height > longest) return
    const end = byHeight.starts[height + 1]!
    for (let i = byHeight.starts[height]!; i < end; i++) {
      const rank = byHeight.ranks[i]!
      if (widths[rank]! >= span || bands.hasTaken(at, rank)) continue
      this.#add(rank)
      return
    }
  }

  #addFirst(bands: HalfBands, at: number, span: number, room: number): void {
    const { count, widths, heights, narrower } = this.#pool
    let rank = bands.firstWaiting(at)
    while (rank < count && this.count < this.ranks.length) {
      if (widths[rank]! > span) rank = narrower[rank]!
      else {
        if (heights[rank]! <= room && !bands.hasTaken(at, rank)) this.#add(rank)
        rank++
      }
    }
  }

  #add(rank: number): void {
    if (rank < 0 || this.count === this.ranks.length) return
    const { widths, heights } = this.#pool
    for (let i = 0; i < this.count; i++) {
      const other = this.ranks[i]!
      if (widths[other] === widths[rank] && heights[other] === heights[rank]) return
    }
    this.ranks[this.count] = rank
    this.count++
  }
}
