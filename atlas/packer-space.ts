import type { Box } from './packer-boxes.ts'
import type { BoxPlace } from './packer-search.ts'

interface Rectangle extends Box {
  readonly x: number
  readonly y: number
}

/** What is free on a page that is partly full, as the largest clear rectangles, which overlap. */
export class FreeSpace {
  /** Of the area in use, pixels. */
  width = 0
  height = 0
  #free: Rectangle[]

  /** @param longest Sides that the page may grow to. */
  constructor(longest: number) {
    this.#free = [{ x: 0, y: 0, width: longest, height: longest }]
  }

  copy(): FreeSpace {
    const copy = new FreeSpace(0)
    copy.#free = [...this.#free]
    copy.width = this.width
    copy.height = this.height
    return copy
  }

  /** Takes a place where it is free. @returns Whether it was. */
  take(box: Box, { x, y, isTurned }: BoxPlace): boolean {
    const width = isTurned ? box.height : box.width
    const height = isTurned ? box.width : box.height
    const taken = { x, y, width, height }
    if (!this.#free.some((free) => holds(free, taken))) return false
    this.#carve(taken)
    this.width = Math.max(this.width, x + width)
    this.height = Math.max(this.height, y + height)
    return true
  }

  /** Takes the place that makes the page grow least, the topmost of several, then the leftmost. Undefined where there is none. */
  put(box: Box, edge: number, canTurn: boolean): BoxPlace | undefined {
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
      if (!meets(free, taken)) return true
      pieces.push(...around(free, taken))
      return false
    })
    const largest = pieces.filter(
      (piece, at) =>
        !untouched.some((other) => holds(other, piece)) &&
        !pieces.some((other, index) => index !== at && holds(other, piece) && (index < at || !holds(piece, other))),
    )
    this.#free = [...untouched, ...largest]
  }
}

function meets(a: Rectangle, b: Rectangle): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

function holds(outer: Rectangle, inner: Rectangle): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  )
}

/** What is left of a rectangle on the four sides of what was taken out of it. */
function around(free: Rectangle, taken: Rectangle): Rectangle[] {
  const right = free.x + free.width
  const bottom = free.y + free.height
  return [
    { ...free, width: taken.x - free.x },
    { ...free, x: taken.x + taken.width, width: right - taken.x - taken.width },
    { ...free, height: taken.y - free.y },
    { ...free, y: taken.y + taken.height, height: bottom - taken.y - taken.height },
  ].filter((piece) => piece.width > 0 && piece.height > 0)
}
