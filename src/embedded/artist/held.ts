import type { Bitmap } from '../../../atlas/index.ts'

/** A slim object that a figure holds out in front: a sword, a staff, or a lance with the hand at it. */
export type Held = NonNullable<ReturnType<typeof findHeld>>

/**
 * Finds the largest slim part in front of a figure's middle. Slim parts vanish when the outline is eroded by
 * 8 % of the height and dilated again.
 *
 * @param floor Most of the object must be above this row.
 * @returns `undefined` if no slim part is at least a quarter of the height long.
 */
export function findHeld(bitmap: Bitmap, height: number, centreX: number, floor: number) {
  const { width } = bitmap
  const solid = Uint8Array.from({ length: width * bitmap.height }, (_, at) => (bitmap.data[at * 4 + 3]! >= 40 ? 1 : 0))
  const radius = Math.max(2, height * 0.078)
  const core = distances(solid, width, 0).map((depth) => (depth > radius ? 0 : 1))
  const fromCore = distances(core, width, FAR)
  const slim = solid.map((value, at) =>
    value === 1 && fromCore[at]! > radius * 1.15 && at % width > centreX && at / width < floor ? 1 : 0,
  )
  const mask = largestPart(slim, width)
  const [pivotX, pivotY] = contact(mask, solid, width)
  let reach = 0
  for (let at = 0; at < mask.length; at++)
    if (mask[at] === 1) reach = Math.max(reach, Math.hypot((at % width) - pivotX, Math.floor(at / width) - pivotY))
  if (reach < height / 4) return undefined
  return {
    /** One byte a pixel: 1 for pixels of the object. */
    mask: grow(mask, solid, width),
    /** The point about which it turns: its end at the body. */
    pivotX,
    pivotY,
    /** Distance from the pivot to the far end, px. */
    reach,
  }
}

/** Mean of the pixels where a part touches the rest of the figure: the hand. */
function contact(mask: Uint8Array, solid: Uint8Array, width: number): [number, number] {
  let [sumX, sumY, count] = [0, 0, 0]
  for (let at = 0; at < mask.length; at++) {
    if (mask[at] === 0) continue
    if (![-1, 1, -width, width].some((step) => solid[at + step] === 1 && mask[at + step] === 0)) continue
    sumX += at % width
    sumY += Math.floor(at / width)
    count++
  }
  return count === 0 ? [0, 0] : [sumX / count, sumY / count]
}

/** More than any distance in a picture, px. */
const FAR = 1e6

/**
 * Distance of each marked pixel to the nearest unmarked one (chamfer distance, px). Pixels above and
 * below the picture count as `outside` px away; a row continues in the next one, as in all searches here.
 */
function distances(marks: Uint8Array | Float32Array, width: number, outside: number): Float32Array {
  const far = Float32Array.from(marks, (mark) => (mark === 0 ? 0 : FAR))
  const relax = (at: number, step: 1 | -1): void => {
    if (marks[at] === 0) return
    const before = (places: number): number => far[at - step * places] ?? outside
    far[at] = Math.min(far[at]!, before(1) + 1, before(width) + 1, before(width + 1) + Math.SQRT2, before(width - 1) + Math.SQRT2)
  }
  for (let at = 0; at < marks.length; at++) relax(at, 1)
  for (let at = marks.length - 1; at >= 0; at--) relax(at, -1)
  return far
}

function largestPart(marks: Uint8Array, width: number): Uint8Array {
  const seen = Uint8Array.from(marks)
  let best: number[] = []
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] === 0) continue
    const part = [start]
    seen[start] = 0
    for (let next = 0; next < part.length; next++)
      for (const step of [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]) {
        const at = part[next]! + step
        if (seen[at] !== 1) continue
        seen[at] = 0
        part.push(at)
      }
    if (part.length > best.length) best = part
  }
  const mask = new Uint8Array(marks.length)
  for (const at of best) mask[at] = 1
  return mask
}

/**
 * Adds the faint pixels of the edge, which are not solid, so that no trace of the object stays on the body.
 */
function grow(mask: Uint8Array, solid: Uint8Array, width: number): Uint8Array {
  const grown = Uint8Array.from(mask)
  for (let at = 0; at < mask.length; at++) {
    if (mask[at] === 0) continue
    for (const step of [-2 * width, -width - 1, -width, -width + 1, -2, -1, 1, 2, width - 1, width, width + 1, 2 * width])
      if (solid[at + step] === 0) grown[at + step] = 1
  }
  return grown
}
