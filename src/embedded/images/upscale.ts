import { type Bitmap, createBitmap } from '../../../atlas/index.ts'

/**
 * A picture of twice the width and height. Pixel art keeps its hard edges, slanted lines with steps of one pixel (Scale2x: four copies, and a
 * corner takes its neighbours' colour where both of them have it); every other picture is interpolated smoothly, without a rim around what is clear.
 *
 * @see https://www.scale2x.it/algorithm for the rules of Scale2x.
 */
export function upscale(picture: Bitmap): Bitmap {
  return isPixelArt(picture) ? doubleCrisp(picture) : doubleSmooth(picture)
}

/** Most colours that pixel art has. */
const PIXEL_ART_COLOURS = 96

/** Whether a picture is drawn in pixels: few colours, and next to no pixel that is half clear or lies between its neighbours. */
export function isPixelArt(picture: Bitmap): boolean {
  const pixels = pixelsOf(picture)
  const colours = new Set<number>()
  let halfClear = 0
  for (let at = 0; at < pixels.length; at++) {
    const alpha = picture.data[at * 4 + 3]!
    if (alpha > 0 && alpha < 255) halfClear++
    if (alpha > 0 && colours.size <= PIXEL_ART_COLOURS) colours.add(pixels[at]!)
  }
  return colours.size <= PIXEL_ART_COLOURS && halfClear <= pixels.length * 0.01
}

function pixelsOf({ data }: Bitmap): Uint32Array {
  // A copy, since the bytes of a picture need not start at a whole word.
  const pixels = new Uint32Array(Uint8Array.from(data).buffer)
  // Clear pixels are alike, whatever colour stands in them.
  for (let at = 0; at < pixels.length; at++) if (data[at * 4 + 3] === 0) pixels[at] = 0
  return pixels
}

function doubleCrisp(picture: Bitmap): Bitmap {
  const { width, height } = picture
  const pixels = pixelsOf(picture)
  const doubled = new Uint32Array(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      const own = pixels[at]!
      const up = y > 0 ? pixels[at - width]! : own
      const down = y < height - 1 ? pixels[at + width]! : own
      const left = x > 0 ? pixels[at - 1]! : own
      const right = x < width - 1 ? pixels[at + 1]! : own
      const isCorner = up !== down && left !== right
      const to = y * 2 * width * 2 + x * 2
      doubled[to] = isCorner && left === up ? left : own
      doubled[to + 1] = isCorner && up === right ? right : own
      doubled[to + width * 2] = isCorner && left === down ? left : own
      doubled[to + width * 2 + 1] = isCorner && down === right ? right : own
    }
  return createBitmap(width * 2, height * 2, new Uint8Array(doubled.buffer))
}

/** Weights of the four nearest pixels for a place a quarter of a pixel past the second (Catmull-Rom); the other place mirrors them. */
const quarter = [-0.0703125, 0.8671875, 0.2265625, -0.0234375] as const

/** Doubled in one direction after the other, colours weighted by their alpha. */
function doubleSmooth({ width, height, data }: Bitmap): Bitmap {
  const source = new Float32Array(data.length)
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3]! / 255
    for (let channel = 0; channel < 3; channel++) source[at + channel] = data[at + channel]! * alpha
    source[at + 3] = data[at + 3]!
  }
  const wide = doubleLines(source, { count: height, length: width, lineStep: width * 4, step: 4, toLineStep: width * 8, toStep: 4 })
  const full = doubleLines(wide, { count: width * 2, length: height, lineStep: 4, step: width * 8, toLineStep: 4, toStep: width * 8 })
  const doubled = createBitmap(width * 2, height * 2)
  for (let at = 0; at < full.length; at += 4) {
    const alpha = Math.min(255, Math.max(0, full[at + 3]!))
    const byte = Math.round(alpha)
    if (byte === 0) continue
    for (let channel = 0; channel < 3; channel++)
      doubled.data[at + channel] = Math.min(255, Math.max(0, Math.round((full[at + channel]! * 255) / alpha)))
    doubled.data[at + 3] = byte
  }
  return doubled
}

interface Lines {
  readonly count: number
  readonly length: number
  readonly lineStep: number
  readonly step: number
  readonly toLineStep: number
  readonly toStep: number
}

function doubleLines(source: Float32Array, { count, length, lineStep, step, toLineStep, toStep }: Lines): Float32Array {
  const doubled = new Float32Array(source.length * 2)
  for (let line = 0; line < count; line++)
    for (let i = 0; i < length; i++)
      for (let half = 0; half < 2; half++) {
        const to = line * toLineStep + (i * 2 + half) * toStep
        for (let tap = -1; tap <= 2; tap++) {
          // The first half lies before the pixel's middle, where the weights run the other way.
          const from = Math.min(length - 1, Math.max(0, half === 1 ? i + tap : i - tap))
          const weight = quarter[(tap + 1) as 0 | 1 | 2 | 3]
          for (let channel = 0; channel < 4; channel++) doubled[to + channel]! += source[line * lineStep + from * step + channel]! * weight
        }
      }
  return doubled
}
