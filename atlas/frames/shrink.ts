import { type Bitmap, createBitmap } from '../bitmap.ts'

/**
 * Makes a smaller picture for display: each pixel is the mean of the pixels that it covers, weighted by alpha. This
 * is fast and does not load sharp. Frames of an atlas are scaled by Lanczos instead.
 *
 * @param width At most the picture's own width; the same for `height`.
 */
export function shrink(bitmap: Bitmap, width: number, height: number): Bitmap {
  const small = createBitmap(width, height)
  const edge = (at: number, of: number, from: number): number => Math.floor((at * from) / of)
  for (let y = 0; y < height; y++) {
    const [top, bottom] = [edge(y, height, bitmap.height), Math.max(edge(y, height, bitmap.height) + 1, edge(y + 1, height, bitmap.height))]
    for (let x = 0; x < width; x++) {
      const [left, right] = [edge(x, width, bitmap.width), Math.max(edge(x, width, bitmap.width) + 1, edge(x + 1, width, bitmap.width))]
      let [red, green, blue, alpha] = [0, 0, 0, 0]
      for (let row = top; row < bottom; row++)
        for (let at = (row * bitmap.width + left) * 4; at < (row * bitmap.width + right) * 4; at += 4) {
          const own = bitmap.data[at + 3]!
          red += bitmap.data[at]! * own
          green += bitmap.data[at + 1]! * own
          blue += bitmap.data[at + 2]! * own
          alpha += own
        }
      if (alpha === 0) continue
      const count = (bottom - top) * (right - left)
      small.data.set(
        [Math.round(red / alpha), Math.round(green / alpha), Math.round(blue / alpha), Math.round(alpha / count)],
        (y * width + x) * 4,
      )
    }
  }
  return small
}
