import type { BoxEntries } from './boxes.ts'

/**
 * Ranks sorted by a length. Those of length n are at `starts[n]` up to, but without, `starts[n + 1]`. Ranks
 * of one length keep the order of the boxes, so that frames of an animation stay together.
 */
export interface RanksByLength {
  readonly starts: Int32Array
  readonly ranks: Int32Array
}

/**
 * The ordered boxes from which bands are filled. A pool never changes, since each half-filled band has placed
 * other boxes. A rank is a position in the order.
 */
export class BoxPool {
  /** Number of ranks. */
  readonly count: number
  /** Number of boxes, numbered from 0. */
  readonly boxes: number
  /** The longest side. */
  readonly longest: number
  /** Rank → entry, number of its box, width and height. */
  readonly entries: Int32Array
  readonly boxOf: Int32Array
  readonly widths: Int32Array
  readonly heights: Int32Array
  /** Rank → the next rank with a narrower box. */
  readonly narrower: Int32Array
  readonly byWidth: RanksByLength
  readonly byHeight: RanksByLength

  /**
   * @param order The entries in their order. If it holds one entry of a box, it holds all entries of that box.
   */
  constructor(entries: BoxEntries, order: Int32Array) {
    const numbers = new Map<number, number>()
    this.count = order.length
    this.entries = order
    this.boxOf = order.map((entry) => {
      const box = entries.boxOf[entry]!
      const number = numbers.get(box) ?? numbers.size
      numbers.set(box, number)
      return number
    })
    this.boxes = numbers.size
    this.widths = order.map((entry) => entries.widths[entry]!)
    this.heights = order.map((entry) => entries.heights[entry]!)
    this.longest = Math.max(longestOf(this.widths), longestOf(this.heights))
    this.narrower = nextSmaller(this.widths)
    const asTheyCame = Int32Array.from(order.keys()).sort((a, b) => order[a]! - order[b]!)
    this.byWidth = byLength(this.widths, this.longest, asTheyCame)
    this.byHeight = byLength(this.heights, this.longest, asTheyCame)
  }
}

function longestOf(lengths: Int32Array): number {
  return lengths.reduce((longest, length) => Math.max(longest, length), 0)
}

/** @param all All ranks. */
function byLength(lengths: Int32Array, longest: number, all: Int32Array): RanksByLength {
  const starts = new Int32Array(longest + 2)
  for (const length of lengths) starts[length + 1]!++
  for (let length = 1; length < starts.length; length++) starts[length]! += starts[length - 1]!
  const next = starts.slice()
  const ranks = new Int32Array(lengths.length)
  for (const rank of all) {
    const length = lengths[rank]!
    ranks[next[length]!] = rank
    next[length]!++
  }
  return { starts, ranks }
}

/** For each value the index of the next smaller one; the number of values if there is none. */
function nextSmaller(values: Int32Array): Int32Array {
  const places = new Int32Array(values.length)
  for (let at = values.length - 1; at >= 0; at--) {
    let next = at + 1
    while (next < values.length && values[next]! >= values[at]!) next = places[next]!
    places[at] = next
  }
  return places
}
