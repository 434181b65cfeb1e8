import { visibleBox } from '../../../atlas/frames/trim.ts'
import type { Bitmap } from '../../../atlas/index.ts'
import { findHeld, type Held } from './held.ts'
import { findLegs, isSolid, type Leg } from './legs.ts'
import { isPixelArt } from './pixel-art.ts'
import type { Point } from './pose.ts'

/** Measurements of a cut-out picture, px. They need no knowledge of what it shows. */
export type Figure = NonNullable<ReturnType<typeof measureFigure>>

/** Measures a cut-out picture. Returns `undefined` if it has no visible pixel. */
export function measureFigure(bitmap: Bitmap) {
  const box = visibleBox(bitmap, 0)
  if (box === undefined) return undefined
  const { left, top, right, bottom } = box
  const core = findCore(bitmap, left, right)
  const height = bottom - top
  const legs = findLegs(bitmap, box)
  const [wingLeft, wingRight] = [core.left - left, right - core.right]
  const hasWings = legs.length === 0 && Math.min(wingLeft, wingRight) > Math.max(0.6 * Math.max(wingLeft, wingRight), 0.29 * (right - left))
  return {
    ...box,
    bitmap,
    /** The unit of all poses. */
    height,
    /** Horizontal centre of mass. */
    centreX: core.centre,
    /** Columns of the trunk. Wings, arms and held objects are outside of them. */
    coreLeft: core.left,
    coreRight: core.right,
    /** The object that a two-legged figure holds out in front. */
    held: hasWings || legs.length === 0 || legs.length > 2 ? undefined : findHeld(bitmap, height, core.centre, legs[0]!.hip),
    hasWings,
    legs,
    /** Whether the picture is small and has few colours and hard edges. If so, it moves without new colours. */
    isPixelArt: Math.max(bitmap.width, bitmap.height) <= 128 && isPixelArt(bitmap),
    /** Pixels of the outline. They must stay inside a frame. */
    outline: findOutline(bitmap),
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

/** The outermost visible pixels of each row and each column. */
function findOutline({ width, height, data }: Bitmap): Point[] {
  const rows = Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => ({ x, y })))
  const columns = Array.from({ length: width }, (_, x) => rows.map((row) => row[x]!))
  return [...rows, ...columns].flatMap((line) => {
    const seen = line.filter(({ x, y }) => data[(y * width + x) * 4 + 3]! > 0)
    return seen.length === 0 ? [] : [seen[0]!, seen.at(-1)!]
  })
}

function findCore(bitmap: Bitmap, left: number, right: number): { left: number; right: number; centre: number } {
  const rows = Array.from({ length: bitmap.height }, (_, y) => y)
  const columns = Array.from({ length: bitmap.width }, (_, x) => rows.filter((y) => isSolid(bitmap, x, y)).length)
  let mass = 0
  let moment = 0
  for (let x = left; x < right; x++) {
    mass += columns[x]!
    moment += columns[x]! * (x + 0.5)
  }
  const centre = mass > 0 ? moment / mass : (left + right) / 2
  const middle = Math.min(right - 1, Math.max(left, Math.round(centre)))
  const peak = Math.max(...columns, 1)
  let from = middle
  let to = middle
  while (from > left && columns[from - 1]! > 0.6 * peak) from--
  while (to < right && columns[to]! > 0.6 * peak) to++
  return { left: from, right: to, centre }
}
