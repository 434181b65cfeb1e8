import type { Bitmap } from '../../../atlas/index.ts'
import { findHeld, type Held } from './held.ts'
import { findLegs, isSolid, type Leg } from './legs.ts'
import { isPixelArt } from './pixel-art.ts'

/**
 * Measurements of a cut-out picture. They need no knowledge of what it shows. In pixels; `right` and `bottom`
 * are exclusive.
 */
export interface Figure {
  readonly bitmap: Bitmap
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  /** `bottom - top`: the unit of all poses. */
  readonly height: number
  /** Horizontal centre of mass. */
  readonly centreX: number
  /** Columns of the trunk. Wings, arms and held objects are outside of them. */
  readonly coreLeft: number
  readonly coreRight: number
  /** The object that a two-legged figure holds out in front. */
  readonly held: Held | undefined
  readonly hasWings: boolean
  readonly legs: readonly Leg[]
  /** Whether the picture is small and has few colours and hard edges. If so, it moves without new colours. */
  readonly isPixelArt: boolean
  /** Pixels of the outline, x and y in turn. They must stay inside a frame. */
  readonly outline: Int32Array
}

/** Measures a cut-out picture. Returns `undefined` if it has no visible pixel. */
export function measureFigure(bitmap: Bitmap): Figure | undefined {
  const outline = findOutline(bitmap)
  if (outline.length === 0) return undefined
  let [left, top, right, bottom] = [bitmap.width, bitmap.height, 0, 0]
  for (let i = 0; i < outline.length; i += 2) {
    left = Math.min(left, outline[i]!)
    right = Math.max(right, outline[i]! + 1)
    top = Math.min(top, outline[i + 1]!)
    bottom = Math.max(bottom, outline[i + 1]! + 1)
  }
  const columns = countColumns(bitmap)
  const core = findCore(columns, left, right)
  const height = bottom - top
  const legs = findLegs(bitmap, { left, right, top, bottom })
  const [wingLeft, wingRight] = [core.left - left, right - core.right]
  const hasWings = legs.length === 0 && Math.min(wingLeft, wingRight) > Math.max(0.6 * Math.max(wingLeft, wingRight), 0.29 * (right - left))
  return {
    bitmap,
    left,
    top,
    right,
    bottom,
    height,
    centreX: core.centre,
    coreLeft: core.left,
    coreRight: core.right,
    held:
      hasWings || legs.length === 0 || legs.length > 2
        ? undefined
        : findHeld(bitmap, { height, centreX: core.centre, floor: legs[0]!.hip }),
    hasWings,
    legs,
    isPixelArt: Math.max(bitmap.width, bitmap.height) <= 128 && isPixelArt(bitmap),
    outline,
  }
}

/** A part that moves by itself. */
export type Limb = Leg | Held

/** The limb that owns a pixel of the figure; `undefined` for the body. */
export function limbAt(figure: Figure, x: number, y: number): Limb | undefined {
  if (figure.held?.mask[y * figure.bitmap.width + x] === 1) return figure.held
  for (const leg of figure.legs) if (y >= leg.hip && x >= leg.left[y]! && x < leg.right[y]!) return leg
  return undefined
}

function findOutline(bitmap: Bitmap): Int32Array {
  const points: number[] = []
  const { width, height, data } = bitmap
  for (let y = 0; y < height; y++) {
    let first = -1
    let last = -1
    for (let x = 0; x < width; x++)
      if (data[(y * width + x) * 4 + 3]! > 0) {
        if (first < 0) first = x
        last = x
      }
    if (first >= 0) points.push(first, y, last, y)
  }
  for (let x = 0; x < width; x++) {
    let first = -1
    let last = -1
    for (let y = 0; y < height; y++)
      if (data[(y * width + x) * 4 + 3]! > 0) {
        if (first < 0) first = y
        last = y
      }
    if (first >= 0) points.push(x, first, x, last)
  }
  return Int32Array.from(points)
}

function countColumns(bitmap: Bitmap): Uint32Array {
  const counts = new Uint32Array(bitmap.width)
  for (let y = 0; y < bitmap.height; y++) for (let x = 0; x < bitmap.width; x++) if (isSolid(bitmap, x, y)) counts[x]!++
  return counts
}

function findCore(columns: Uint32Array, left: number, right: number): { left: number; right: number; centre: number } {
  let mass = 0
  let moment = 0
  for (let x = left; x < right; x++) {
    mass += columns[x]!
    moment += columns[x]! * (x + 0.5)
  }
  const centre = mass > 0 ? moment / mass : (left + right) / 2
  const middle = Math.min(right - 1, Math.max(left, Math.round(centre)))
  const peak = Math.max(...columns.subarray(left, right), 1)
  let from = middle
  let to = middle
  while (from > left && columns[from - 1]! > 0.6 * peak) from--
  while (to < right && columns[to]! > 0.6 * peak) to++
  return { left: from, right: to, centre }
}
