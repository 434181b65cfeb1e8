/** Least difference in light between a rim and the figure, 0 to 255. */
const RIM_LIGHT = 40
/** Least channel of a rim from a white or grey background, and the largest difference between its channels. */
const PALE = 160
const GREY = 50
/** Least alpha at which the colour of a soft edge is accurate enough for the check. */
const RIM_ALPHA = 48
const SOLID = 128
/** Most pixels of a soft edge outside of the visible pixels. */
const GLOW = 3

/** Counts the row ends at which the rim of a figure is lighter than the figure or has a key colour. */
export interface Rim {
  /**
   * Checks both ends of a row of `width` pixels from `from`. `first` is its first visible pixel, `end` the pixel after
   * the last visible one.
   */
  addRow(first: number, end: number, from: number, width: number): void
  /** Share of the checked ends, 0 to 1, that have a rim. */
  share(): number
}

/** @param depth Distance in pixels from the rim to the compared pixels of the figure. */
export function createRim(pixels: Int32Array, depth: number): Rim {
  let ends = 0
  let rims = 0
  const judge = (from: number, step: 1 | -1, room: number): void => {
    // Faint pixels outside of the visible ones are the end of a glow, which may be bright and is no rim.
    if (room >= GLOW && pixels[from - GLOW * step]! >>> 24 > 0) {
      ends++
      return
    }
    let at = from
    for (let soft = 0; soft < 2 && pixels[at]! >>> 24 < RIM_ALPHA; soft++) at += step
    // A glow fades over more pixels than a soft edge.
    if (pixels[at]! >>> 24 < RIM_ALPHA || pixels[at + step]! >>> 24 < SOLID) return
    const edge = pixels[at]!
    // Two pixels, because on a slanted outline the nearer pixel is still part of the outline.
    const near = pixels[at + step * depth]!
    const deep = pixels[at + 2 * step * depth]!
    if (near >>> 24 < SOLID || deep >>> 24 < SOLID) return
    ends++
    if (isKey(edge, deep) || (isPale(edge) && lightOf(edge) - Math.min(lightOf(near), lightOf(deep)) >= RIM_LIGHT)) rims++
  }
  return {
    addRow: (first, end, from, width) => {
      if (end - first < 4 * depth + 2) return
      judge(first, 1, first - from)
      judge(end - 1, -1, from + width - end)
    },
    share: () => (ends === 0 ? 0 : rims / ends),
  }
}

/** Light of a pixel (`0xAABBGGRR`), 0 to 255. */
export function lightOf(pixel: number): number {
  return (2 * (pixel & 255) + 5 * ((pixel >>> 8) & 255) + ((pixel >>> 16) & 255)) >> 3
}

/** Whether a rim has the green or magenta of a screen, and the figure inside has another colour. */
function isKey(rim: number, inside: number): boolean {
  const green = greenOf(rim)
  return Math.abs(green) > 80 && greenOf(inside) * Math.sign(green) < 40
}

/** The excess of green over the other channels; negative for magenta. */
function greenOf(pixel: number): number {
  const red = pixel & 255
  const green = (pixel >>> 8) & 255
  const blue = (pixel >>> 16) & 255
  return green > 120 && green > Math.max(red, blue) ? green - Math.max(red, blue) : Math.min(0, green - Math.min(red, blue))
}

function isPale(pixel: number): boolean {
  const channels = [pixel & 255, (pixel >>> 8) & 255, (pixel >>> 16) & 255]
  return Math.min(...channels) >= PALE && Math.max(...channels) - Math.min(...channels) <= GREY
}
