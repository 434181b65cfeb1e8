/** Steps of light, 0 to 255, by which a rim stands out. */
const RIM_LIGHT = 40
/** Alpha under which a soft edge's colour is too rough to be judged. */
const RIM_ALPHA = 48
const SOLID = 128

/** Counts the ends of rows at which a figure's rim is lighter than the figure, or of a key colour. */
export interface Rim {
  /** ShownSprites at both ends of a row, of which the first visible pixel and what is behind the last are given. */
  look(first: number, end: number): void
  /** 0 to 1: part of the ends looked at that have a rim. */
  share(): number
}

/** @param depth How far inside, in pixels, the figure is looked at for comparison. */
export function createRim(pixels: Int32Array, depth: number): Rim {
  let ends = 0
  let light = 0
  let keyed = 0
  let inner = 0
  const judge = (from: number, step: 1 | -1): void => {
    let at = from
    for (let soft = 0; soft < 2 && pixels[at]! >>> 24 < RIM_ALPHA; soft++) at += step
    // A glow fades out over more pixels than a soft edge has.
    if (pixels[at]! >>> 24 < RIM_ALPHA || pixels[at + step]! >>> 24 < SOLID) return
    const edge = pixels[at]!
    // Two places: where an outline runs slantwise, the nearer one is still on it.
    const near = pixels[at + step * depth]!
    const deep = pixels[at + 2 * step * depth]!
    if (near >>> 24 < SOLID || deep >>> 24 < SOLID) return
    ends++
    if (isKey(deep)) inner++
    if (isKey(edge)) keyed++
    else if (lightOf(edge) - Math.min(lightOf(near), lightOf(deep)) >= RIM_LIGHT) light++
  }
  return {
    look: (first, end) => {
      // Soft ends may take two pixels each.
      if (end - 1 - first < 4 * depth + 4) return
      judge(first, 1)
      judge(end - 1, -1)
    },
    // A figure that is green itself has no green rim.
    share: () => (ends === 0 ? 0 : (light + (inner > ends / 4 ? 0 : keyed)) / ends),
  }
}

/** Light of a pixel (`0xAABBGGRR`), 0 to 255. */
export function lightOf(pixel: number): number {
  return (2 * (pixel & 255) + 5 * ((pixel >>> 8) & 255) + ((pixel >>> 16) & 255)) >> 3
}

/** Whether a colour is one of the screens that pictures are cut out of: strong green or magenta. */
function isKey(pixel: number): boolean {
  const red = pixel & 255
  const green = (pixel >>> 8) & 255
  const blue = (pixel >>> 16) & 255
  return (green > 120 && green - Math.max(red, blue) > 80) || (Math.min(red, blue) > 120 && Math.min(red, blue) - green > 80)
}
