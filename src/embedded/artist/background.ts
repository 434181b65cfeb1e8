import { borderColour, floodFromBorder, neighboursOf } from '../../../atlas/frames/backdrop.ts'
import { type Bitmap, createBitmap } from '../../../atlas/index.ts'

type Colour = readonly number[]

/**
 * Largest sum of channel differences of a background pixel: to its neighbour, and to the main colour of the
 * border.
 */
const STEP = 30
const DRIFT = 110

/**
 * Separates a figure from a flat or nearly flat background that reaches the border. A picture with clear
 * pixels has no background and stays as it is. If the background is not flat, `isSeparate` is false and the
 * figure is the whole picture.
 *
 * @returns The figure on a clear background, and the background alone, opaque everywhere.
 */
export function cutOut(reference: Bitmap) {
  if (hasClearPixels(reference)) return { figure: reference, backdrop: undefined, isSeparate: true }
  const usual = borderColour(reference)
  const ground = floodGround(reference, usual)
  const share = ground.reduce((sum, value) => sum + value, 0) / ground.length
  if (share < 0.08 || share > 0.99) return { figure: reference, backdrop: reference, isSeparate: false }
  const backdrop = fillRows(reference, ground, usual)
  return { figure: liftFigure(reference, backdrop, ground), backdrop, isSeparate: true }
}

function hasClearPixels(bitmap: Bitmap): boolean {
  let clear = 0
  for (let at = 3; at < bitmap.data.length; at += 4) if (bitmap.data[at]! < 128) clear++
  return clear > 0.02 * bitmap.width * bitmap.height
}

function colourAt({ data }: Bitmap, at: number): Colour {
  return [data[at * 4]!, data[at * 4 + 1]!, data[at * 4 + 2]!]
}

function distance(a: Colour, b: Colour): number {
  return a.reduce((sum, value, channel) => sum + Math.abs(value - b[channel]!), 0)
}

function meanOf(colours: readonly Colour[]): Colour {
  return [0, 1, 2].map((channel) => Math.round(colours.reduce((sum, colour) => sum + colour[channel]!, 0) / colours.length))
}

/** 1 for each background pixel, found by flooding from the border pixels that have nearly its usual colour. */
function floodGround(bitmap: Bitmap, usual: Colour): Uint8Array {
  return floodFromBorder(bitmap, (at, from) => {
    const colour = colourAt(bitmap, at)
    return distance(colour, usual) <= DRIFT && distance(colour, colourAt(bitmap, from)) <= STEP
  })
}

/** The background. In each row, the place of the figure gets the row's mean colour, or that of the row above. */
function fillRows(bitmap: Bitmap, ground: Uint8Array, usual: Colour): Bitmap {
  const { width, height } = bitmap
  const filled = createBitmap(width, height)
  let mean = usual
  for (let y = 0; y < height; y++) {
    const row = Array.from({ length: width }, (_, x) => y * width + x)
    const seen = row.filter((at) => ground[at] === 1)
    if (seen.length > 0) mean = meanOf(seen.map((at) => colourAt(bitmap, at)))
    for (const at of row) filled.data.set([...(ground[at] === 1 ? colourAt(bitmap, at) : mean), 255], at * 4)
  }
  return filled
}

/**
 * The figure alone. An edge pixel is a mix with the background. It takes the colour of the figure beside it,
 * and its difference from the background gives its alpha.
 */
function liftFigure(bitmap: Bitmap, backdrop: Bitmap, ground: Uint8Array): Bitmap {
  const figure = createBitmap(bitmap.width, bitmap.height)
  const isInside = (at: number): boolean => ground[at] === 0 && neighboursOf(at, bitmap).every((other) => ground[other] === 0)
  for (let at = 0; at < ground.length; at++) {
    if (ground[at] === 1) continue
    const mixed = colourAt(bitmap, at)
    figure.data.set([...mixed, 255], at * 4)
    const near = isInside(at) ? [] : around(at, bitmap).filter(isInside)
    if (near.length === 0) continue
    const own = meanOf(near.map((other) => colourAt(bitmap, other)))
    const alpha = shareOf(mixed, own, colourAt(backdrop, at))
    if (alpha < 0.92) figure.data.set([...own, Math.round(alpha * 255)], at * 4)
  }
  return figure
}

/** Places of the pixels at most two steps away. */
function around(at: number, bitmap: Bitmap): number[] {
  return neighboursOf(at, bitmap).flatMap((place) => [place, ...neighboursOf(place, bitmap)])
}

/** Share of a colour in its mix with the colour behind it, 0 to 1. */
function shareOf(mixed: Colour, own: Colour, behind: Colour): number {
  const total = own.reduce((sum, value, channel) => sum + (value - behind[channel]!) ** 2, 0)
  const part = own.reduce((sum, value, channel) => sum + (mixed[channel]! - behind[channel]!) * (value - behind[channel]!), 0)
  return total === 0 ? 1 : Math.min(1, Math.max(0, part / total))
}
