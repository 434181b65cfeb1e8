import type { Bitmap } from '../bitmap.ts'
import { type Oklab, toOklab } from './oklab.ts'

const OPAQUE = 0xff000000

/** An opaque colour as `0xFFBBGGRR`. */
export function packColour(red: number, green: number, blue: number): number {
  return (OPAQUE | (blue << 16) | (green << 8) | red) >>> 0
}

/** @param digits Six hexadecimal digits, `rrggbb`. */
export function hexColour(digits: string): number {
  const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16)) as [number, number, number]
  return packColour(red, green, blue)
}

/** The OKLab coordinates of a colour `0xAABBGGRR`. Alpha does not count. */
export function lookOf(colour: number): Oklab {
  return toOklab(colour & 255, (colour >>> 8) & 255, (colour >>> 16) & 255)
}

/**
 * Makes a function that changes the colours of pictures. Alpha and clear pixels stay, and the picture is not changed.
 *
 * @param change From one opaque colour to another, `0xFFBBGGRR`. It is called once for each colour.
 */
export function createRepaint(change: (colour: number) => number): (bitmap: Bitmap) => Bitmap {
  const known = new Map<number, number>()
  return ({ width, height, data: from }) => {
    const data = from.slice()
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 0) continue
      const colour = packColour(data[at]!, data[at + 1]!, data[at + 2]!)
      const painted = known.get(colour) ?? change(colour)
      known.set(colour, painted)
      for (let channel = 0; channel < 3; channel++) data[at + channel] = (painted >>> (8 * channel)) & 255
    }
    return { width, height, data }
  }
}
