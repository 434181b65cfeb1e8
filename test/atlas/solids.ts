import { type Bitmap, createBitmap } from '../../atlas/index.ts'

// Solids with known normals, rendered without the product.

export type Vector = readonly [x: number, y: number, z: number]

/** A solid seen from the front: its normal at a point, with y up; `undefined` outside of it. */
export interface Solid {
  readonly name: string
  /** Side of its picture, pixels. */
  readonly side: number
  /** Width of its bevel, pixels; without it, it is a ball. */
  readonly depth?: number
  normalAt(x: number, y: number): Vector | undefined
}

/** A ball of any place and radius. */
export function ball(radius: number, shift = 0): Solid {
  const side = Math.ceil(2 * radius) + 6
  const middle = side / 2 + shift
  return {
    name: `ball of ${radius}`,
    side,
    normalAt: (x, y) => {
      const [right, up] = [(x - middle) / radius, (middle - y) / radius]
      const rest = 1 - right * right - up * up
      return rest < 0 ? undefined : [right, up, Math.sqrt(rest)]
    },
  }
}

/** A plate, round or square, with an edge that is a quarter of a circle (`round`) or straight under 45° (`straight`). */
export function bevel(form: 'disc' | 'square', edge: 'round' | 'straight', half: number, depth: number): Solid {
  const side = 2 * half + 8
  const middle = side / 2
  return {
    name: `${edge} bevel of ${depth} on a ${form} of ${2 * half}`,
    side,
    depth,
    normalAt: (x, y) => {
      const [right, up] = [x - middle, middle - y]
      const far = Math.hypot(right, up)
      const isWide = Math.abs(right) > Math.abs(up)
      const inside = form === 'disc' ? half - far : half - Math.max(Math.abs(right), Math.abs(up))
      if (inside < 0) return undefined
      if (inside >= depth) return [0, 0, 1]
      const tilt = edge === 'round' ? 1 - inside / depth : Math.SQRT1_2
      const [outX, outY] = form === 'disc' ? [right / far, up / far] : isWide ? [Math.sign(right), 0] : [0, Math.sign(up)]
      return [tilt * outX, tilt * outY, Math.sqrt(1 - tilt * tilt)]
    },
  }
}

/** Renders a solid, lit from the upper left, with soft edges of 4 × 4 samples a pixel. */
export function render({ side, normalAt }: Solid): Bitmap {
  const bitmap = createBitmap(side, side)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      let [hits, light] = [0, 0]
      for (let at = 0; at < 16; at++) {
        const normal = normalAt(x + (at % 4) / 4 + 0.125, y + Math.floor(at / 4) / 4 + 0.125)
        if (!normal) continue
        hits++
        light += Math.max(0.1, (-normal[0] + normal[1] + normal[2]) / Math.sqrt(3))
      }
      if (hits > 0)
        bitmap.data.set(
          [0.8, 0.6, 0.5].map((part) => Math.round((255 * part * light) / hits)).concat(Math.round((255 * hits) / 16)),
          (y * side + x) * 4,
        )
    }
  return bitmap
}

/** The mean angle, in degrees, between a normal map and a solid, over the pixels whose centre is on the solid. */
export function meanError(map: Bitmap, { side, normalAt }: Solid): number {
  const angles: number[] = []
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const normal = normalAt(x + 0.5, y + 0.5)
      if (!normal) continue
      const found = [0, 1, 2].map((axis) => map.data[(y * side + x) * 4 + axis]! / 127.5 - 1)
      const cosine = found.reduce((sum, value, axis) => sum + value * normal[axis]!, 0) / Math.hypot(...found)
      angles.push((Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI)
    }
  return angles.reduce((sum, angle) => sum + angle, 0) / angles.length
}

/** All solids: balls of many sizes and places, and bevels of both forms and edges. */
export const solids: readonly Solid[] = [
  ...[4, 6.5, 9, 13, 16, 20.5, 24, 32, 45, 64, 90, 120].flatMap((radius) => [ball(radius), ball(radius, 0.4)]),
  ...(['disc', 'square'] as const).flatMap((form) =>
    (['round', 'straight'] as const).flatMap((edge) =>
      [
        [16, 4],
        [24, 6],
        [32, 8],
        [48, 8],
        [60, 16],
      ].map(([half, depth]) => bevel(form, edge, half!, depth!)),
    ),
  ),
]
