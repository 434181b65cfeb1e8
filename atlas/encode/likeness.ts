/** Distances of visible pixels in OKLab, 0 for equal colours, 1 from black to white. */
export interface ColourError {
  readonly mean: number
  /** The 99th percentile: a hundredth of the visible pixels has a larger distance. */
  readonly most: number
  readonly worst: number
}

/** Linear light of an sRGB value. */
const linear = Float64Array.from({ length: 256 }, (_, value) =>
  value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
)

/** Count of numbers that {@link putLook} writes for each colour. */
export const LOOK = 6

/**
 * Writes the appearance of a colour: its OKLab coordinates over black, then over white. Like engines and browsers,
 * the function blends sRGB values.
 *
 * @param pixel `0xAABBGGRR`.
 * @see Björn Ottosson: A perceptual color space for image processing, 2020.
 */
export function putLook(pixel: number, into: Float32Array | Float64Array, at: number): void {
  const alpha = (pixel >>> 24) / 255
  for (const [offset, background] of [
    [at, 0],
    [at + 3, 255],
  ] as const) {
    const over = (shift: number): number => linear[Math.round(((pixel >>> shift) & 255) * alpha + background * (1 - alpha))]!
    const [r, g, b] = [over(0), over(8), over(16)]
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    into[offset] = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s
    into[offset + 1] = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
    into[offset + 2] = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
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
