/**
 * Blend modes with exactly Aseprite's results, including its rounding. A colour is one number: red in the lowest
 * byte, then green, blue and alpha.
 *
 * @see Aseprite, `src/doc/blend_funcs.cpp` (MIT), its "new" blend method; pixman, `pixman-combine32.h`.
 * @module
 */

/** Draws a colour over another. Opacity and the result's channels are 0 to 255. */
export type Blend = (backdrop: number, source: number, opacity: number) => number

/** A mode, with its time as a multiple of the normal mode's. */
export interface BlendMode {
  readonly blend: Blend
  readonly steps: number
}

/** Red, green and blue, 0 to 1. */
type Rgb = readonly [number, number, number]

/** `MUL_UN8`: a × b ÷ 255, rounded. `a` may be negative. */
export function multiply8(a: number, b: number): number {
  const t = a * b + 0x80
  return ((t >> 8) + t) >> 8
}

/** `DIV_UN8`: a ÷ b × 255, rounded. */
function divide8(a: number, b: number): number {
  return Math.floor((a * 255 + (b >> 1)) / b)
}

function pack(red: number, green: number, blue: number, alpha: number): number {
  return (red | (green << 8) | (blue << 16) | (alpha << 24)) >>> 0
}

/** Combines red, green and blue of two colours, with this alpha. */
function eachChannel(a: number, b: number, alpha: number, mix: (a: number, b: number) => number): number {
  return pack(mix(a & 255, b & 255), mix((a >> 8) & 255, (b >> 8) & 255), mix((a >> 16) & 255, (b >> 16) & 255), alpha)
}

/** `rgba_blender_normal` */
function normal(backdrop: number, source: number, opacity: number): number {
  const backAlpha = backdrop >>> 24
  const alpha = multiply8(source >>> 24, opacity)
  if (backAlpha === 0) return ((source & 0xffffff) | (alpha << 24)) >>> 0
  if (source >>> 24 === 0) return backdrop
  const sum = alpha + backAlpha - multiply8(backAlpha, alpha)
  const red = towards(backdrop & 255, source & 255, alpha, sum)
  const green = towards((backdrop >> 8) & 255, (source >> 8) & 255, alpha, sum)
  return pack(red, green, towards((backdrop >> 16) & 255, (source >> 16) & 255, alpha, sum), sum)
}

/** The value between `a` and `b` at part ÷ whole, truncated as in C. */
function towards(a: number, b: number, part: number, whole: number): number {
  return a + Math.trunc(((b - a) * part) / whole)
}

/** `rgba_blender_merge`, for two colours with the same alpha, which is not 0. */
function merge(a: number, b: number, opacity: number): number {
  const [red, green, blue] = [a & 255, (a >> 8) & 255, (a >> 16) & 255]
  const [moreRed, moreGreen, moreBlue] = [(b & 255) - red, ((b >> 8) & 255) - green, ((b >> 16) & 255) - blue]
  return pack(red + multiply8(moreRed, opacity), green + multiply8(moreGreen, opacity), blue + multiply8(moreBlue, opacity), a >>> 24)
}

/**
 * `RGBA_BLENDER_N`: over a half clear backdrop, the mode counts by half.
 *
 * @param mixed The source colour, mixed with the backdrop, with the alpha of the source.
 */
function byBackdrop(mixed: (backdrop: number, source: number) => number): Blend {
  return (backdrop, source, opacity) => {
    const backAlpha = backdrop >>> 24
    const plain = normal(backdrop, source, opacity)
    if (backAlpha === 0) return plain
    const blended = normal(backdrop, mixed(backdrop, source), opacity)
    const both = multiply8(backAlpha, multiply8(source >>> 24, opacity))
    return merge(merge(plain, blended, backAlpha), blended, both)
  }
}

/** A mode that treats red, green and blue alike. */
function channels(mix: (b: number, s: number) => number): BlendMode {
  return { blend: byBackdrop((backdrop, source) => eachChannel(backdrop, source, source >>> 24, mix)), steps: 8 }
}

/** A mode that combines whole colours. */
function colours(mix: (b: Rgb, s: Rgb) => Rgb): BlendMode {
  const mixed = (backdrop: number, source: number): number => {
    const [red, green, blue] = mix(toRgb(backdrop), toRgb(source))
    return pack(Math.trunc(255 * red), Math.trunc(255 * green), Math.trunc(255 * blue), source >>> 24)
  }
  return { blend: byBackdrop(mixed), steps: 32 }
}

const toRgb = (colour: number): Rgb => [(colour & 255) / 255, ((colour >> 8) & 255) / 255, ((colour >> 16) & 255) / 255]
const screen = (b: number, s: number): number => b + s - multiply8(b, s)
const hardLight = (b: number, s: number): number => (s < 128 ? multiply8(b, s << 1) : screen(b, (s << 1) - 255))

function colourDodge(b: number, s: number): number {
  if (b === 0) return 0
  return b >= 255 - s ? 255 : divide8(b, 255 - s)
}

function colourBurn(b: number, s: number): number {
  if (b === 255) return 255
  return 255 - b >= s ? 0 : 255 - divide8(255 - b, s)
}

function divide(b: number, s: number): number {
  if (b === 0) return 0
  return b >= s ? 255 : divide8(b, s)
}

function softLight(backdrop: number, source: number): number {
  const b = backdrop / 255
  const s = source / 255
  const d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : Math.sqrt(b)
  const r = s <= 0.5 ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (d - b)
  return Math.floor(r * 255 + 0.5)
}

const lightness = ([r, g, b]: Rgb): number => 0.3 * r + 0.59 * g + 0.11 * b
const saturation = (rgb: Rgb): number => Math.max(...rgb) - Math.min(...rgb)

/** `set_lum` and `clip_color` */
function withLightness(rgb: Rgb, wanted: number): Rgb {
  const shift = wanted - lightness(rgb)
  const moved = rgb.map((value) => value + shift) as unknown as Rgb
  const l = lightness(moved)
  const [least, most] = [Math.min(...moved), Math.max(...moved)]
  const raised = least < 0 ? moved.map((value) => l + ((value - l) * l) / (l - least)) : moved
  return (most > 1 ? raised.map((value) => l + ((value - l) * (1 - l)) / (most - l)) : raised) as unknown as Rgb
}

/** `set_sat`, in the form since August 2025. Earlier versions mixed up the channels if two were equal. */
function withSaturation(rgb: Rgb, wanted: number): Rgb {
  const least = Math.min(...rgb)
  const range = saturation(rgb)
  return range > 0 ? (rgb.map((value) => ((value - least) * wanted) / range) as unknown as Rgb) : [0, 0, 0]
}

/** The modes by their numbers in the file. */
export const blendModes: readonly BlendMode[] = [
  { blend: normal, steps: 1 },
  channels(multiply8),
  channels(screen),
  channels((b, s) => hardLight(s, b)),
  channels((b, s) => Math.min(b, s)),
  channels((b, s) => Math.max(b, s)),
  channels(colourDodge),
  channels(colourBurn),
  channels(hardLight),
  channels(softLight),
  channels((b, s) => Math.abs(b - s)),
  channels((b, s) => b + s - 2 * multiply8(b, s)),
  colours((b, s) => withLightness(withSaturation(s, saturation(b)), lightness(b))),
  colours((b, s) => withLightness(withSaturation(b, saturation(s)), lightness(b))),
  colours((b, s) => withLightness(s, lightness(b))),
  colours((b, s) => withLightness(b, lightness(s))),
  channels((b, s) => Math.min(b + s, 255)),
  channels((b, s) => Math.max(b - s, 0)),
  channels(divide),
]
