import { type Bitmap, createBitmap } from '../bitmap.ts'

/** Largest difference of a channel between a backdrop pixel and the backdrop's colour, 0 to 255. */
const TOLERANCE = 24
/** Share of the border that must have one colour to count as a backdrop. */
const SHARE = 0.8

/**
 * Clears a flat backdrop: all pixels of the backdrop's colour that are connected to the border. Returns the picture
 * unchanged if its border is clear or has many colours, or if the whole picture has one colour.
 */
export function clearBackdrop(picture: Bitmap): Bitmap {
  const { width, height, data } = picture
  const border = borderOf(picture)
  if (border.some((at) => data[at * 4 + 3]! < 255)) return picture
  const backdrop = borderColour(picture)
  const isBackdrop = (at: number): boolean =>
    backdrop.every((value, channel) => Math.abs((data[at * 4 + channel] as number) - value) <= TOLERANCE)
  if (border.filter(isBackdrop).length < SHARE * border.length) return picture
  const seen = floodFromBorder(picture, isBackdrop)
  const cleared = createBitmap(width, height, data.slice())
  for (const [at, isSeen] of seen.entries()) if (isSeen === 1) cleared.data.fill(0, at * 4, at * 4 + 4)
  return seen.includes(0) ? cleared : picture
}

/**
 * Floods a picture from its border. Returns 1 for each reached pixel.
 *
 * @param belongs Whether the flood reaches a pixel `at`. `from` is a reached pixel beside it; at the border, `at`
 *   itself.
 */
export function floodFromBorder(picture: Bitmap, belongs: (at: number, from: number) => boolean): Uint8Array {
  const seen = new Uint8Array(picture.width * picture.height)
  const open = borderOf(picture).filter((at) => belongs(at, at))
  for (const at of open) seen[at] = 1
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of neighboursOf(at, picture)) {
      if (seen[next] === 1 || !belongs(next, at)) continue
      seen[next] = 1
      open.push(next)
    }
  }
  return seen
}

/** Indices of the pixels above, below, left and right of a pixel, inside the picture. */
export function neighboursOf(at: number, { width, height }: Bitmap): number[] {
  const x = at % width
  const places = [x > 0 ? at - 1 : -1, x < width - 1 ? at + 1 : -1, at - width, at + width]
  return places.filter((place) => place >= 0 && place < width * height)
}

/** Indices of the outermost pixels, each once. */
function borderOf({ width, height }: Bitmap): number[] {
  const places: number[] = []
  for (let x = 0; x < width; x++) places.push(x, (height - 1) * width + x)
  for (let y = 1; y < height - 1; y++) places.push(y * width, y * width + width - 1)
  return [...new Set(places)]
}

/** Median of each colour channel along the border. */
export function borderColour(picture: Bitmap): readonly number[] {
  const border = borderOf(picture)
  return [0, 1, 2].map((channel) => {
    const values = border.map((at) => picture.data[at * 4 + channel] as number).sort((a, b) => a - b)
    return values[values.length >> 1] as number
  })
}
