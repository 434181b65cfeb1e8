import { type Bitmap, createBitmap } from '../bitmap.ts'

/** How far a channel of a backdrop pixel may be from the backdrop's colour, 0 to 255. */
const TOLERANCE = 24
/** The border counts as a backdrop if at least this share of it has one colour. */
const SHARE = 0.8

/**
 * Clears a flat backdrop: all pixels of its colour that are connected to the border. Returns the picture
 * unchanged if its border is clear or has many colours, or if the whole picture has one colour.
 */
export function clearBackdrop(picture: Bitmap): Bitmap {
  const { width, height, data } = picture
  const border = borderOf(width, height)
  const backdrop = commonColour(data, border)
  if (backdrop === undefined) return picture
  const isBackdrop = (at: number): boolean =>
    [0, 1, 2].every((channel) => Math.abs((data[at * 4 + channel] as number) - (backdrop[channel] as number)) <= TOLERANCE)
  if (border.filter(isBackdrop).length < SHARE * border.length) return picture
  const cleared = createBitmap(width, height, data.slice())
  const open = border.filter(isBackdrop)
  const seen = new Uint8Array(width * height)
  for (const at of open) seen[at] = 1
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    cleared.data.fill(0, at * 4, at * 4 + 4)
    const x = at % width
    const neighbours = [x > 0 ? at - 1 : -1, x < width - 1 ? at + 1 : -1, at - width, at + width]
    for (const next of neighbours) {
      if (next < 0 || next >= width * height || seen[next] === 1 || !isBackdrop(next)) continue
      seen[next] = 1
      open.push(next)
    }
  }
  return seen.includes(0) ? cleared : picture
}

/** Indices of the outermost pixels, each once. */
function borderOf(width: number, height: number): number[] {
  const places: number[] = []
  for (let x = 0; x < width; x++) places.push(x, (height - 1) * width + x)
  for (let y = 1; y < height - 1; y++) places.push(y * width, y * width + width - 1)
  return [...new Set(places)]
}

/** Median of each channel along the border. Returns `undefined` if a border pixel is not opaque. */
function commonColour(data: Uint8Array, border: readonly number[]): readonly number[] | undefined {
  if (border.some((at) => (data[at * 4 + 3] as number) < 255)) return undefined
  return [0, 1, 2].map((channel) => {
    const values = border.map((at) => data[at * 4 + channel] as number).sort((a, b) => a - b)
    return values[values.length >> 1] as number
  })
}
