/** A colour in OKLab: lightness 0 (black) to 1 (white), green to red, blue to yellow. Greys have `a` and `b` 0. */
export type Oklab = readonly [lightness: number, a: number, b: number]

/** Linear light, 0 to 1, of each value of an sRGB channel. @see IEC 61966-2-1. */
const linear: Float64Array = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
})

/**
 * Writes the OKLab coordinates of an sRGB colour, in which equal distances look about equal.
 *
 * @param red Each channel is a whole number from 0 to 255.
 * @see Björn Ottosson, "A perceptual color space for image processing", 2020, with the matrices of 2021-01-25.
 */
export function putOklab(red: number, green: number, blue: number, into: Float32Array | Float64Array, at: number): void {
  const [r, g, b] = [linear[red]!, linear[green]!, linear[blue]!]
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const middle = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  into[at] = 0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short
  into[at + 1] = 1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short
  into[at + 2] = 0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short
}

/** Returns what {@link putOklab} writes. */
export function toOklab(red: number, green: number, blue: number): Oklab {
  const colour = new Float64Array(3)
  putOklab(red, green, blue, colour, 0)
  return [colour[0]!, colour[1]!, colour[2]!]
}

/** Turns OKLab into the nearest sRGB colour, 0 to 255 a channel. Channels out of range are clamped. */
export function fromOklab([lightness, a, b]: Oklab): [red: number, green: number, blue: number] {
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    toByte(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
    toByte(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
    toByte(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short),
  ]
}

/** The square of the distance of two colours. Black and white have 1; a difference of 0.02 is just visible. */
export function oklabDistance(a: Oklab, b: Oklab): number {
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
}

function toByte(light: number): number {
  const share = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055
  return Math.round(255 * Math.min(1, Math.max(0, share)))
}
