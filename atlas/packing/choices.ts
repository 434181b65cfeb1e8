import type { HalfBands } from './half-bands.ts'
import type { BoxPool } from './pool.ts'

/** A gap in the outline of a half-filled band. */
export interface Gap {
  readonly span: number
  /** How far the longer neighbour reaches below it, and the shorter one. */
  readonly far: number
  readonly near: number
  /** Height that is left. */
  readonly room: number
}

/** The boxes that are tried in a gap. */
export class Choices {
  /** Ranks, no two of one width and height; those from `count` on are of earlier. */
  readonly ranks: Int32Array
  count = 0
  readonly #pool: BoxPool
  // What has the width of a gap: goes beyond both neighbours; does not; is level with the longer one, with the shorter one or the bottom.
  #over = -1
  #under = -1
  #levelFar = -1
  #levelNear = -1

  /** @param most Boxes for a gap. */
  constructor(pool: BoxPool, most: number) {
    this.#pool = pool
    this.ranks = new Int32Array(most)
  }

  /** Finds the boxes that fit a gap best, the best first: such as fill it from side to side and end level with a neighbour, or do one of both; else the first that fit in the order. */
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

  /** The first that is narrower than the gap. */
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
