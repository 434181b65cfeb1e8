import { type Bitmap, createBitmap } from '../bitmap.ts'
import type { NormalOptions } from '../looks.ts'
import { putOklab } from '../pixel/oklab.ts'

/** Least alpha, 0 to 255, of a pixel that belongs to the figure. */
const SOLID = 128

/** Sweeps over the figure at each level of detail. More change the mean normal by less than half a degree. */
const SWEEPS = 8

/** Vectors of a picture: x to the right, y up, z to the viewer, one after the other. */
type Vectors = Float64Array

/**
 * Draws the normal map of a picture, opaque, with y up as OpenGL and Phaser read it: red is x, green y, blue z, from -1
 * (0) to 1 (255). Pixels outside of the figure face the viewer, except for a rim of two pixels that blends with soft
 * edges.
 *
 * @param scale Page pixels per unscaled pixel, for `depth` and `soften`.
 */
export function drawNormals(bitmap: Bitmap, options: NormalOptions, scale: number): Bitmap {
  const { width, height } = bitmap
  const solid = new Uint8Array(width * height)
  for (let at = 0; at < solid.length; at++) solid[at] = bitmap.data[4 * at + 3]! >= SOLID ? 1 : 0
  const raw =
    options.from === 'shape' ? shapeOf(solid, width, height, scale, options.depth) : reliefOf(bitmap, solid, (options.depth ?? 4) * scale)
  const vectors = spread(soften(raw, solid, width, height, Math.round(options.soften * scale)), solid, width)
  const map = createBitmap(width, height)
  for (let at = 0; at < width * height; at++) {
    const [x, y, z] = [vectors[3 * at]!, vectors[3 * at + 1]!, vectors[3 * at + 2]!]
    const factor = 127.5 / (Math.sqrt(x * x + y * y + z * z) || 1)
    map.data[4 * at] = Math.round(127.5 + factor * x)
    map.data[4 * at + 1] = Math.round(127.5 + factor * y)
    map.data[4 * at + 2] = x === 0 && y === 0 && z === 0 ? 255 : Math.round(127.5 + factor * z)
    map.data[4 * at + 3] = 255
  }
  return map
}

/**
 * The vectors of a figure that is inflated like a cushion: half a ball over a disc. The square of its height, u, solves
 * ∇²u = u / reach² − 4 with u = 0 at the outline, so that heights level off within about `depth` pixels.
 *
 * @param depth Pixels; without it, the figure is round throughout.
 */
function shapeOf(solid: Uint8Array, width: number, height: number, scale: number, depth?: number): Vectors {
  const reach = depth === undefined ? Infinity : (depth * scale) / 2
  const squares = inflate(solid, width, height, 1, reach)
  // The outline, where the square is 0, is halfway between the centres of two pixels.
  const vectors = slopesOf(squares, solid, width, -1)
  for (let at = 0; at < solid.length; at++) vectors[3 * at + 2] = 2 * Math.sqrt(squares[at]!)
  return vectors
}

/**
 * The fall of values to the right and upwards, for each pixel of a figure.
 *
 * @param edge The factor of a pixel's own value in place of a neighbour outside of the figure.
 */
function slopesOf(values: Float64Array, solid: Uint8Array, width: number, edge: number): Vectors {
  const vectors = new Float64Array(3 * solid.length)
  for (let at = 0; at < solid.length; at++) {
    if (!solid[at]) continue
    const x = at % width
    const own = edge * values[at]!
    const left = x > 0 && solid[at - 1] ? values[at - 1]! : own
    const right = x < width - 1 && solid[at + 1] ? values[at + 1]! : own
    const above = at >= width && solid[at - width] ? values[at - width]! : own
    const below = at + width < solid.length && solid[at + width] ? values[at + width]! : own
    vectors[3 * at] = (left - right) / 2
    vectors[3 * at + 1] = (below - above) / 2
  }
  return vectors
}

/** Solves for the squares of heights, first on half the pixels, then on all of them. The count of sweeps is fixed. */
function inflate(solid: Uint8Array, width: number, height: number, side: number, reach: number): Float64Array {
  const squares = new Float64Array(width * height)
  if (Math.min(width, height) > 4) {
    const [wide, high] = [Math.ceil(width / 2), Math.ceil(height / 2)]
    const coarse = new Uint8Array(wide * high)
    const place = (at: number): number => Math.floor(at / width / 2) * wide + ((at % width) >> 1)
    for (let at = 0; at < solid.length; at++) coarse[place(at)]! += solid[at]!
    const half = inflate(
      coarse.map((pixels) => (pixels >= 2 ? 1 : 0)),
      wide,
      high,
      2 * side,
      reach,
    )
    for (let at = 0; at < solid.length; at++) if (solid[at]) squares[at] = half[place(at)]!
  }
  const inside = new Int32Array(width * height)
  let count = 0
  for (let at = 0; at < solid.length; at++) if (solid[at]) inside[count++] = at
  const [source, loss] = [4 * side * side, (side / reach) ** 2]
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let next = 0; next < count; next++) {
      // Back and forth, so that no direction is preferred.
      const at = inside[sweep % 2 === 0 ? next : count - 1 - next]!
      const x = at % width
      let [sum, open] = [source, 0]
      if (x > 0 && solid[at - 1]) sum += squares[at - 1]!
      else open++
      if (x < width - 1 && solid[at + 1]) sum += squares[at + 1]!
      else open++
      if (at >= width && solid[at - width]) sum += squares[at - width]!
      else open++
      if (at + width < solid.length && solid[at + width]) sum += squares[at + width]!
      else open++
      squares[at] = sum / (4 + open + loss)
    }
  return squares
}

/** The vectors of a relief whose height is the lightness, from 0 (black) to `depth` pixels (white). */
function reliefOf({ width, data }: Bitmap, solid: Uint8Array, depth: number): Vectors {
  const colours = new Float64Array(3)
  const heights = new Float64Array(solid.length)
  for (let at = 0; at < solid.length; at++) {
    if (solid[at]) putOklab(data[4 * at]!, data[4 * at + 1]!, data[4 * at + 2]!, colours, 0)
    heights[at] = depth * colours[0]!
  }
  const vectors = slopesOf(heights, solid, width, 1)
  for (let at = 0; at < solid.length; at++) vectors[3 * at + 2] = solid[at]!
  return vectors
}

/** Blurs the vectors of a figure, by the mean over squares of `2 radius + 1` pixels: first in rows, then in columns. */
function soften(vectors: Vectors, solid: Uint8Array, width: number, height: number, radius: number): Vectors {
  const unit = vectors.slice()
  for (let at = 0; at < unit.length; at += 3) {
    const [x, y, z] = [unit[at]!, unit[at + 1]!, unit[at + 2]!]
    const length = Math.sqrt(x * x + y * y + z * z) || 1
    for (let axis = 0; axis < 3; axis++) unit[at + axis]! /= length
  }
  if (radius === 0) return unit
  const blur = (from: Vectors, count: number, lines: number, step: number, line: number): Vectors => {
    const to = new Float64Array(from.length)
    for (let row = 0; row < lines; row++)
      for (let axis = 0; axis < 3; axis++) {
        const start = 3 * row * line + axis
        let sum = 0
        for (let at = -radius; at < count; at++) {
          if (at + radius < count) sum += from[start + 3 * (at + radius) * step]!
          if (at - radius - 1 >= 0) sum -= from[start + 3 * (at - radius - 1) * step]!
          if (at >= 0 && solid[row * line + at * step]) to[start + 3 * at * step] = sum
        }
      }
    return to
  }
  return blur(blur(unit, width, height, 1, width), height, width, width, 1)
}

/** Continues the vectors of a figure by two pixels, because soft edges lie outside. */
function spread(vectors: Vectors, solid: Uint8Array, width: number): Vectors {
  const known = solid.slice()
  for (let ring = 1; ring <= 2; ring++)
    for (let at = 0; at < known.length; at++) {
      if (known[at]! > 0 && known[at]! <= ring) continue
      const x = at % width
      if (x > 0) add(vectors, known, at, at - 1, ring)
      if (x < width - 1) add(vectors, known, at, at + 1, ring)
      if (at >= width) add(vectors, known, at, at - width, ring)
      if (at + width < known.length) add(vectors, known, at, at + width, ring)
    }
  return vectors
}

/** Adds the vector of a neighbour that is known since an earlier ring. */
function add(vectors: Vectors, known: Uint8Array, at: number, other: number, ring: number): void {
  if (known[other] === 0 || known[other]! > ring) return
  known[at] = ring + 1
  for (let axis = 0; axis < 3; axis++) vectors[3 * at + axis]! += vectors[3 * other + axis]!
}
