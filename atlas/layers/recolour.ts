import type { Bitmap } from '../bitmap.ts'
import type { Ramp } from '../looks.ts'
import { fromOklab, type Oklab, oklabDistance } from '../pixel/oklab.ts'
import { createRepaint, hexColour, lookOf, packColour } from '../pixel/repaint.ts'

/** The rounding of OKLab coordinates. */
const ROUNDING = 1e-6

/**
 * Makes a function that recolours pictures by ramps.
 *
 * A ramp is a path through OKLab, from colour to colour. A pixel that is nearest to a ramp moves by the distance between
 * that point of `from` and the same point of `to`, so shades between the colours of a ramp stay between them. Beyond the
 * tolerance the move gets smaller, down to none at twice the tolerance: soft edges stay soft. Other pixels and alpha stay.
 *
 * @returns A function that leaves its argument unchanged.
 */
export function createRecolour(ramps: readonly Ramp[]): (bitmap: Bitmap) => Bitmap {
  const toPath = (colours: readonly string[]): readonly Oklab[] => colours.map((colour) => lookOf(hexColour(colour.slice(1))))
  const paths = ramps.map(({ from, to, tolerance }) => ({ from: toPath(from), to: toPath(to), tolerance }))
  return createRepaint((colour) => move(paths, colour))
}

interface Path {
  readonly from: readonly Oklab[]
  readonly to: readonly Oklab[]
  readonly tolerance: number
}

function move(paths: readonly Path[], original: number): number {
  const colour = lookOf(original)
  let [best, least, place]: [Path | undefined, number, number] = [undefined, Infinity, 0]
  for (const path of paths) {
    const near = nearest(path.from, colour)
    if (near.distance < least) [best, least, place] = [path, near.distance, near.place]
  }
  if (!best) return original
  const { from, to, tolerance } = best
  const share = least <= tolerance + ROUNDING ? 1 : Math.max(0, 2 - least / tolerance)
  if (!(share > 0)) return original
  const [start, end] = [pointOn(from, place), pointOn(to, place)]
  return packColour(...fromOklab([0, 1, 2].map((axis) => colour[axis]! + share * (end[axis]! - start[axis]!)) as unknown as Oklab))
}

/** The nearest point of a path, as a place from 0, the first colour, to 1, the last one. */
function nearest(path: readonly Oklab[], colour: Oklab): { readonly distance: number; readonly place: number } {
  let [least, place] = [oklabDistance(path[0]!, colour), 0]
  for (let at = 1; at < path.length; at++) {
    const [start, end] = [path[at - 1]!, path[at]!]
    const along = [0, 1, 2].reduce((sum, axis) => sum + (colour[axis]! - start[axis]!) * (end[axis]! - start[axis]!), 0)
    const share = Math.min(1, Math.max(0, along / (oklabDistance(start, end) || 1)))
    const distance = oklabDistance(mix(start, end, share), colour)
    if (distance < least) [least, place] = [distance, (at - 1 + share) / (path.length - 1)]
  }
  return { distance: Math.sqrt(least), place }
}

function pointOn(path: readonly Oklab[], place: number): Oklab {
  const at = place * (path.length - 1)
  const before = Math.min(Math.floor(at), path.length - 1)
  return mix(path[before]!, path[before + 1] ?? path[before]!, at - before)
}

function mix(a: Oklab, b: Oklab, share: number): Oklab {
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])]
}
