import type { Box } from './boxes.ts'
import type { BoxPlace } from './layout.ts'

interface Rectangle extends Box {
  readonly x: number
  readonly y: number
}

/** The free space of a partly filled page. */
export class FreeSpace {
  /** Size of the used area, pixels. */
  width = 0
  height = 0
  readonly #longest: number
  #taken: Rectangle[] = []
  // The largest free rectangles, which may overlap. They are computed on demand, without rectangles that are too
  // small for all requested boxes.
  #free: Rectangle[] = []
  #narrowest = Number.POSITIVE_INFINITY
  #lowest = Number.POSITIVE_INFINITY

  /** @param longest Longest side of the page. */
  constructor(longest: number) {
    this.#longest = longest
  }

  copy(): FreeSpace {
    const copy = new FreeSpace(this.#longest)
    copy.#taken = [...this.#taken]
    copy.#free = [...this.#free]
    copy.#narrowest = this.#narrowest
    copy.#lowest = this.#lowest
    copy.width = this.width
    copy.height = this.height
    return copy
  }

  /**
   * Takes a place if it is free.
   *
   * @returns Whether the place was free.
   */
  take(box: Box, { x, y, isTurned }: BoxPlace): boolean {
    const width = isTurned ? box.height : box.width
    const height = isTurned ? box.width : box.height
    const taken = { x, y, width, height }
    const isInside = x >= 0 && y >= 0 && x + width <= this.#longest && y + height <= this.#longest
    if (!isInside || this.#taken.some((other) => overlaps(other, taken))) return false
    this.#taken.push(taken)
    this.#carve(taken)
    this.width = Math.max(this.width, x + width)
    this.height = Math.max(this.height, y + height)
    return true
  }

  /** Computes the free rectangles for boxes of at least this size, so that `put` does not compute them. */
  prepare(least: Box, canTurn: boolean): void {
    const shorter = Math.min(least.width, least.height)
    const width = canTurn ? shorter : least.width
    const height = canTurn ? shorter : least.height
    if (width >= this.#narrowest && height >= this.#lowest) return
    this.#narrowest = Math.min(this.#narrowest, width)
    this.#lowest = Math.min(this.#lowest, height)
    this.#free = [{ x: 0, y: 0, width: this.#longest, height: this.#longest }]
    for (const taken of this.#taken) this.#carve(taken)
  }

  /**
   * Takes the place that enlarges the page least: the topmost of several, then the leftmost. Returns
   * `undefined` if no place is free.
   */
  put(box: Box, edge: number, canTurn: boolean): BoxPlace | undefined {
    this.prepare(box, canTurn)
    let best: { readonly area: number; readonly place: BoxPlace } | undefined
    for (const isTurned of canTurn && box.width !== box.height ? [false, true] : [false]) {
      const width = isTurned ? box.height : box.width
      const height = isTurned ? box.width : box.height
      for (const { x, y, ...free } of this.#free) {
        if (free.width < width || free.height < height) continue
        const area = (Math.max(this.width, x + width) + edge) * (Math.max(this.height, y + height) + edge)
        const other = best?.place
        const isFirst = other === undefined || area < best!.area || (area === best!.area && (y < other.y || (y === other.y && x < other.x)))
        if (isFirst) best = { area, place: { x, y, isTurned } }
      }
    }
    if (best !== undefined) this.take(box, best.place)
    return best?.place
  }

  #carve(taken: Rectangle): void {
    const pieces: Rectangle[] = []
    const untouched = this.#free.filter((free) => {
      if (!overlaps(free, taken)) return true
      for (const piece of partsAround(free, taken)) if (piece.width >= this.#narrowest && piece.height >= this.#lowest) pieces.push(piece)
      return false
    })
    const largest = pieces.filter(
      (piece, at) =>
        !untouched.some((other) => contains(other, piece)) &&
        !pieces.some((other, index) => index !== at && contains(other, piece) && (index < at || !contains(piece, other))),
    )
    this.#free = [...untouched, ...largest]
  }
}

function overlaps(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

function contains(outer: Rectangle, inner: Rectangle): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  )
}

/** The parts of a free rectangle on the four sides of a taken rectangle. */
function partsAround(free: Rectangle, taken: Rectangle): Rectangle[] {
  const right = free.x + free.width
  const bottom = free.y + free.height
  return [
    { ...free, width: taken.x - free.x },
    { ...free, x: taken.x + taken.width, width: right - taken.x - taken.width },
    { ...free, height: taken.y - free.y },
    { ...free, y: taken.y + taken.height, height: bottom - taken.y - taken.height },
  ].filter((piece) => piece.width > 0 && piece.height > 0)
}
