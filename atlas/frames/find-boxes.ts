import type { Bitmap } from '../bitmap.ts'
import type { Canvas, FrameBox } from '../frame.ts'
import type { foundBoxes } from '../limits.ts'
import { pixelsOf } from './trim.ts'

/** The name of a box that can be found from pixels. */
export type FoundBox = (typeof foundBoxes)[number]

/** A frame of an animation, perhaps cut. */
export interface SearchedFrame {
  readonly bitmap: Bitmap
  /** @default the bitmap is the whole frame */
  readonly canvas?: Canvas | undefined
}

/** Least alpha of a pixel that is part of the figure. */
const SOLID = 128
/** Distance of two neighbours, straight and diagonal: the chamfer distance 3-4. */
const [STRAIGHT, DIAGONAL] = [3, 4]
/** Parts of a figure, as shares of half the thickness of its thickest part. A thinner part is no trunk, or no limb. */
const [TRUNK, LIMB] = [0.55, 0.24]
/** Height of the feet, and least reach of a blow beyond the body, as shares of the body. */
const [FOOT, REACH] = [0.125, 0.2]

/** The edges of a box, in pixels of the bitmap. Right and bottom are exclusive. */
interface Edges {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/**
 * Finds boxes of a figure in the frames of an animation.
 *
 * - `body`: trunk and head above the feet. It has one size in all frames, and follows the figure.
 * - `feet`: the lowest part of the legs, on the ground line of the frame.
 * - `hurt`: the figure of the frame, without thin parts such as weapons and hair.
 * - `hit`: the largest thin part beyond the body, such as a swung weapon.
 *
 * A part is thin by the distance of its pixels from clear pixels, relative to the thickest part of the figure.
 *
 * @param frames All frames of the animation.
 * @returns The boxes of each frame, in pixels of the untrimmed frame, inside of it. A frame without a solid pixel has no
 * boxes, and a frame in which nothing sticks out has no `hit`.
 */
export function findBoxes(frames: readonly SearchedFrame[]): readonly Readonly<Partial<Record<FoundBox, readonly FrameBox[]>>>[] {
  const depths = frames.map(({ bitmap }) => depthsOf(bitmap))
  const half = median(depths.map(deepest).filter((most) => most > 0))
  const figures = frames.map(({ bitmap }, at) => {
    const [trunk, limbs] = [TRUNK, LIMB].map((share) => edgesOf(depths[at]!, bitmap.width, share * half))
    return trunk && limbs && { trunk, limbs, middle: middleOf(depths[at]!, bitmap.width, TRUNK * half) }
  })
  const whole = figures.filter((figure) => figure !== undefined)
  const width = median(whole.map(({ trunk }) => trunk.right - trunk.left))
  const height = median(whole.map(({ trunk, limbs }) => limbs.bottom - trunk.top))
  return frames.map(({ bitmap, canvas }, at) => {
    const figure = figures[at]
    if (!figure) return {}
    const { limbs, middle } = figure
    const left = Math.round(middle - width / 2)
    const body = { left, top: limbs.bottom - height, right: left + width, bottom: limbs.bottom }
    const feet = feetOf(depths[at]!, bitmap.width, limbs, FOOT * height, LIMB * half)
    const found = { body, feet, hurt: limbs, hit: blowOf(depths[at]!, bitmap.width, body, limbs) }
    const boxes = Object.entries(found).flatMap(([name, edges]) => (edges ? [[name, [inFrame(edges, bitmap, canvas)]]] : []))
    return Object.fromEntries(boxes) as Partial<Record<FoundBox, readonly FrameBox[]>>
  })
}

/** For each pixel, its distance from the nearest clear pixel or from the edge of the bitmap, in pixels. */
function depthsOf(bitmap: Bitmap): Float32Array {
  const { width, height } = bitmap
  const pixels = pixelsOf(bitmap)
  // A clear ring around the bitmap, so that every pixel has neighbours.
  const row = width + 2
  const ringed = new Int32Array(row * (height + 2))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y + 1) * row + x + 1
      if (pixels[y * width + x]! >>> 24 >= SOLID) ringed[at] = nearest(ringed, at, -1, -row)
    }
  for (let at = ringed.length - row - 2; at > row; at--)
    if (ringed[at]! > 0) ringed[at] = Math.min(ringed[at]!, nearest(ringed, at, 1, row))
  const depths = new Float32Array(pixels.length)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) depths[y * width + x] = ringed[(y + 1) * row + x + 1]! / STRAIGHT
  return depths
}

function deepest(depths: Float32Array): number {
  let most = 0
  for (let at = 0; at < depths.length; at++) if (depths[at]! > most) most = depths[at]!
  return most
}

/** The distance by the neighbours on two sides. */
function nearest(depths: Int32Array, at: number, side: number, row: number): number {
  return Math.min(
    Math.min(depths[at + side]!, depths[at + row]!) + STRAIGHT,
    Math.min(depths[at + row + side]!, depths[at + row - side]!) + DIAGONAL,
  )
}

/** The edges of all parts in an area with at least this half thickness. Returns `undefined` if there are none. */
function edgesOf(
  depths: Float32Array,
  width: number,
  half: number,
  area: Edges = { left: 0, top: 0, right: width, bottom: depths.length / width },
): Edges | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  const least = Math.max(1, half)
  // A part reaches beyond its middle line by its half thickness.
  const reach = Math.ceil(least) - 1
  const isIn = (x: number, y: number): boolean => depths[y * width + x]! >= least
  for (let y = Math.max(0, Math.round(area.top)); y < area.bottom; y++) {
    let [first, end] = [Math.max(0, Math.round(area.left)), Math.floor(area.right)]
    while (first < end && !isIn(first, y)) first++
    while (end > first && !isIn(end - 1, y)) end--
    if (first === end) continue
    left = Math.min(left, first - reach)
    right = Math.max(right, end + reach)
    top = Math.min(top, y - reach)
    bottom = y + 1 + reach
  }
  return left > right ? undefined : { left, top, right, bottom }
}

/** The mean column of all parts with at least this half thickness. */
function middleOf(depths: Float32Array, width: number, half: number): number {
  let [sum, count] = [0, 0]
  for (let index = 0; index < depths.length; index++) {
    if (depths[index]! < half) continue
    sum += (index % width) + 0.5
    count++
  }
  return sum / count
}

/** The lowest part of the limbs. A weapon that reaches down beside them is no part of it. */
function feetOf(depths: Float32Array, width: number, limbs: Edges, high: number, half: number): Edges {
  const area = { ...limbs, top: limbs.bottom - high }
  const thick = edgesOf(depths, width, half, { ...area, top: area.top - half })
  const { left, right } = edgesOf(depths, width, 1, { ...area, left: thick?.left ?? area.left, right: thick?.right ?? area.right }) ?? area
  return { ...area, left, right }
}

/** The thin part that reaches farthest beyond the body and the limbs, on one side. */
function blowOf(depths: Float32Array, width: number, body: Edges, limbs: Edges): Edges | undefined {
  const all = edgesOf(depths, width, 1)!
  const top = Math.min(body.top, limbs.top)
  const [left, right] = [Math.min(body.left, limbs.left), Math.max(body.right, limbs.right)]
  const sides = [
    { reach: left - all.left, area: { ...all, right: left } },
    { reach: all.right - right, area: { ...all, left: right } },
    { reach: top - all.top, area: { ...all, bottom: top } },
  ]
  const farthest = sides.reduce((most, side) => (side.reach > most.reach ? side : most))
  return farthest.reach < REACH * (body.right - body.left) ? undefined : edgesOf(depths, width, 1, farthest.area)
}

/** Moves a box from the bitmap to the untrimmed frame, and cuts it there. */
function inFrame({ left, top, right, bottom }: Edges, { width, height }: Bitmap, canvas: Canvas = { x: 0, y: 0, width, height }): FrameBox {
  const inside = (edge: number, offset: number, length: number): number => Math.min(length, Math.max(0, Math.floor(edge) + offset))
  const [x, y] = [inside(left, canvas.x, canvas.width), inside(top, canvas.y, canvas.height)]
  return [x, y, inside(right, canvas.x, canvas.width) - x, inside(bottom, canvas.y, canvas.height) - y]
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
}
