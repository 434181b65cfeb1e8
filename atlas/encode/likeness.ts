import { putOklab } from '../pixel/oklab.ts'

/** Distances of visible pixels in OKLab, 0 for equal colours, 1 from black to white. */
export interface ColourError {
  readonly mean: number
  /** The 99th percentile: a hundredth of the visible pixels has a larger distance. */
  readonly most: number
  readonly worst: number
}

/** Count of numbers that {@link putLook} writes for each colour. */
export const LOOK = 6

/**
 * Writes the appearance of a colour: its OKLab coordinates over black, then over white. Like engines and browsers,
 * the function blends sRGB values.
 *
 * @param pixel `0xAABBGGRR`.
 */
export function putLook(pixel: number, into: Float32Array | Float64Array, at: number): void {
  const alpha = (pixel >>> 24) / 255
  for (const [offset, background] of [
    [at, 0],
    [at + 3, 255],
  ] as const) {
    const over = (shift: number): number => Math.round(((pixel >>> shift) & 255) * alpha + background * (1 - alpha))
    putOklab(over(0), over(8), over(16), into, offset)
  }
}

/**
 * Error of pictures whose colours are replaced.
 *
 * @param counts Number of pixels of each colour. Pixels of clear colours do not count.
 */
export function colourError(colours: Uint32Array, replaced: Uint32Array, counts: ArrayLike<number>): ColourError {
  const looks = new Float64Array(2 * LOOK)
  const distances = new Float64Array(colours.length)
  let [sum, visible] = [0, 0]
  for (let at = 0; at < colours.length; at++) {
    if (colours[at] === 0 && replaced[at] === 0) continue
    putLook(colours[at]!, looks, 0)
    putLook(replaced[at]!, looks, LOOK)
    const over = (from: number): number => [0, 1, 2].reduce((all, axis) => all + (looks[from + axis]! - looks[from + LOOK + axis]!) ** 2, 0)
    distances[at] = Math.sqrt(Math.max(over(0), over(3)))
    sum += distances[at]! * counts[at]!
    visible += counts[at]!
  }
  const farthest = Uint32Array.from(distances.keys()).sort((a, b) => distances[b]! - distances[a]!)
  let [past, next] = [0, 0]
  while (next < farthest.length && past + counts[farthest[next]!]! <= visible / 100) past += counts[farthest[next++]!]!
  return { mean: visible === 0 ? 0 : sum / visible, most: distances[farthest[next]!] ?? 0, worst: distances[farthest[0]!] ?? 0 }
}
