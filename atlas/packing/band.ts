import type { BoxEntries } from './boxes.ts'
import { Choices } from './choices.ts'
import { HalfBands } from './half-bands.ts'
import { BoxPool } from './pool.ts'

/** A filled band. */
export interface Band {
  readonly width: number
  /** Area of its boxes, square pixels. */
  readonly area: number
  readonly placed: readonly PlacedEntry[]
}

/** An entry and the place of its top left corner in the band. */
export interface PlacedEntry {
  readonly entry: number
  readonly x: number
  readonly y: number
}

/**
 * How half-filled bands are rated. A band is better if it loses a smaller share of its used area. The loss
 * counts the expected loss too.
 */
export interface BandRule {
  /** Half-filled bands kept after each step. */
  readonly beam: number
  /** Boxes tried in a gap. */
  readonly branch: number
  /** Expected loss of each band, square pixels. */
  readonly expected: number
  /** Expected loss of each band for twenty pixels of height difference in its outline, square pixels. */
  readonly rough: number
}

/**
 * Fills bands of a page with boxes of a pool, by beam search.
 *
 * The search keeps several half-filled bands. In each of them it tries several boxes in the highest gap, then
 * it keeps the best of all results. A band is narrow: its outline is short, and lost area shows at once.
 *
 * @see Libralesso, Fontan: An anytime tree search algorithm for the 2018 ROADEF/EURO challenge glass cutting
 * problem (2021), for the rating of half-filled bands.
 */
export class BandFiller {
  readonly pool: BoxPool
  readonly #rule: BandRule
  readonly #choices: Choices
  #now: HalfBands
  #next: HalfBands
  // Candidates of this step: their scores (a lower one is better) and their hashes.
  readonly #scores: Float64Array
  readonly #hashes: Int32Array
  readonly #chosen: Int32Array
  // One step per placed box of a kept band: the previous step, the rank of the box and its place.
  readonly #before: Int32Array
  readonly #ranks: Int32Array
  readonly #xs: Int32Array
  readonly #ys: Int32Array
  #steps = 0
  // For each candidate the rank and the place of its last box.
  readonly #lastRank: Int32Array
  readonly #lastX: Int32Array
  readonly #lastY: Int32Array
  #made = 0
  #bottom = 0
  #best = -1
  #bestArea = 0

  /** @param widest Width of the widest band. */
  constructor(entries: BoxEntries, order: Int32Array, widest: number, rule: BandRule) {
    const pool = new BoxPool(entries, order)
    const { beam, branch } = rule
    const narrowest = pool.widths[pool.byWidth.ranks[0]!]!
    // At most one segment for each box, and one for the rest of its gap.
    const most = 2 * Math.floor(widest / narrowest) + 4
    this.pool = pool
    this.#rule = rule
    this.#choices = new Choices(pool, branch)
    this.#now = new HalfBands(pool, beam * branch, most)
    this.#next = new HalfBands(pool, beam * branch, most)
    const column = (length: number): Int32Array => new Int32Array(length)
    this.#scores = new Float64Array(beam * branch)
    this.#hashes = column(beam * branch)
    this.#chosen = column(beam)
    this.#lastRank = column(beam * branch)
    this.#lastX = column(beam * branch)
    this.#lastY = column(beam * branch)
    const steps = beam * pool.boxes
    this.#before = column(steps)
    this.#ranks = column(steps)
    this.#xs = column(steps)
    this.#ys = column(steps)
  }

  /**
   * Fills a band from its top to its bottom.
   *
   * @param mayLose Square pixels that may stay empty.
   * @returns The fullest band found. Returns `undefined` if every band loses more.
   */
  fill(width: number, bottom: number, mayLose: number): Band | undefined {
    const all = width * bottom
    this.#bottom = bottom
    this.#steps = 0
    this.#best = -1
    this.#bestArea = all - mayLose - 1
    this.#now.begin(width)
    this.#chosen[0] = 0
    let count = 1
    while (count > 0) {
      this.#made = 0
      for (let at = 0; at < count; at++) this.#extend(this.#chosen[at]!)
      count = this.#keepBest(all)
    }
    return this.#best < 0 ? undefined : { width, area: this.#bestArea, placed: this.#placed() }
  }

  /** Tries boxes in the highest gap. A band without a gap is complete. */
  #extend(band: number): void {
    const now = this.#now
    for (let at = now.gap(band, this.#bottom); at >= 0; at = now.gap(band, this.#bottom)) {
      const i = band * now.most + at
      const left = now.x[i]!
      const top = now.y[i]!
      const span = now.x[i + 1]! - left
      const toLeft = now.reach(band, at, -1)
      const toRight = now.reach(band, at, 1)
      const gap = { span, far: Math.max(toLeft, toRight), near: Math.min(toLeft, toRight), room: this.#bottom - top }
      this.#choices.find(now, band, gap)
      const { count, ranks } = this.#choices
      if (count === 0) {
        now.giveUp(band, at, this.#bottom)
        continue
      }
      for (let choice = 0; choice < count; choice++) {
        const rank = ranks[choice]!
        const tall = this.pool.heights[rank]!
        // Next to the neighbour with the same bottom edge, else next to the longer neighbour.
        const goesLeft = tall === toLeft || (tall !== toRight && toLeft >= toRight)
        this.#add(band, at, rank, goesLeft)
        this.#lastX[this.#made - 1] = goesLeft ? left : left + span - this.pool.widths[rank]!
        this.#lastY[this.#made - 1] = top
      }
      return
    }
    if (now.area[band]! <= this.#bestArea) return
    this.#bestArea = now.area[band]!
    this.#best = now.last[band]!
  }

  #add(band: number, at: number, rank: number, goesLeft: boolean): void {
    const next = this.#next
    const made = this.#made++
    next.place(made, this.#now, band, at, rank, goesLeft)
    next.settle(made, this.#bottom)
    const { expected, rough } = this.#rule
    const used = next.area[made]! + next.lost[made]!
    // All numbers are below 2 ** 53, so the results are exact and the same on every machine.
    const loss = next.lost[made]! + expected + Math.floor((rough * next.roughness(made)) / 20)
    this.#scores[made] = Math.floor((loss * 2 ** 20) / used)
    this.#hashes[made] = next.hash(made)
    this.#lastRank[made] = rank
  }

  /**
   * Keeps the best candidates. It drops equal ones, and those that lost too much.
   *
   * @returns The number of kept bands.
   */
  #keepBest(all: number): number {
    const next = this.#next
    const mayLose = all - this.#bestArea - 1
    let count = 0
    for (let made = 0; made < this.#made; made++) if (next.lost[made]! <= mayLose) count = this.#rank(made, count)
    for (let at = 0; at < count; at++) {
      const made = this.#chosen[at]!
      const step = this.#steps++
      this.#before[step] = next.last[made]!
      this.#ranks[step] = this.#lastRank[made]!
      this.#xs[step] = this.#lastX[made]!
      this.#ys[step] = this.#lastY[made]!
      next.last[made] = step
    }
    this.#next = this.#now
    this.#now = next
    return count
  }

  /**
   * Inserts a candidate into the `count` best so far. Of two equal scores the earlier one comes first.
   *
   * @returns The new number of kept candidates.
   */
  #rank(made: number, count: number): number {
    const { beam } = this.#rule
    const chosen = this.#chosen
    const score = this.#scores[made]!
    if (count === beam && this.#scores[chosen[count - 1]!]! <= score) return count
    for (let at = 0; at < count; at++) if (this.#hashes[chosen[at]!] === this.#hashes[made]) return count
    let at = count === beam ? count - 1 : count
    while (at > 0 && this.#scores[chosen[at - 1]!]! > score) {
      chosen[at] = chosen[at - 1]!
      at--
    }
    chosen[at] = made
    return count === beam ? count : count + 1
  }

  #placed(): PlacedEntry[] {
    const placed: PlacedEntry[] = []
    for (let step = this.#best; step >= 0; step = this.#before[step]!) {
      placed.push({ entry: this.pool.entries[this.#ranks[step]!]!, x: this.#xs[step]!, y: this.#ys[step]! })
    }
    return placed
  }
}
