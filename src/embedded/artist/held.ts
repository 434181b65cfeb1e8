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
 * Distance of each marked pixel to the nearest unmarked one (chamfer distance, px). Pixels outside of the
 * picture count as `outside` px away.
 */
function distances(marks: Uint8Array | Float32Array, width: number, outside: number): Float32Array {
  const far = new Float32Array(marks.length)
  const height = marks.length / width
  const relax = (at: number, x: number, y: number, step: 1 | -1): void => {
    const [edgeX, edgeY] = step === 1 ? [0, 0] : [width - 1, height - 1]
    const beside = x === edgeX ? outside : far[at - step]!
    const above = y === edgeY ? outside : far[at - step * width]!
    const corner = x === edgeX || y === edgeY ? outside : far[at - step * (width + 1)]!
    const other = x === (step === 1 ? width - 1 : 0) || y === edgeY ? outside : far[at - step * (width - 1)]!
    far[at] = Math.min(far[at]!, beside + 1, above + 1, corner + Math.SQRT2, other + Math.SQRT2)
  }
  for (let at = 0; at < marks.length; at++) far[at] = marks[at] === 0 ? 0 : FAR
  for (let y = 0, at = 0; y < height; y++) for (let x = 0; x < width; x++, at++) if (marks[at] !== 0) relax(at, x, y, 1)
  for (let y = height - 1, at = marks.length - 1; y >= 0; y--)
    for (let x = width - 1; x >= 0; x--, at--) if (marks[at] !== 0) relax(at, x, y, -1)
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
