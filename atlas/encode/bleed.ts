import { type Bitmap, createBitmap } from '../bitmap.ts'

/**
 * Gives clear pixels near visible ones the colour of the nearest visible pixel; their alpha stays 0. Lossy
 * codecs and compressed textures mix the colours of up to 16 neighbouring pixels, so colours of clear pixels
 * would show at the edges.
 *
 * @param reach Largest distance in pixels. Clear pixels farther away keep their colours.
 * @default 16
 * @returns A copy. Its visible pixels are unchanged.
 */
export function bleedColours(bitmap: Bitmap, reach = 16): Bitmap {
  const { width, height } = bitmap
  const data = bitmap.data.slice()
  const nearest = findNearest(bitmap)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const seed = nearest[at]!
      if (seed < 0 || seed === at) continue
      const [dx, dy] = [(seed % width) - x, Math.floor(seed / width) - y]
      if (dx * dx + dy * dy <= reach * reach) data.set(bitmap.data.subarray(4 * seed, 4 * seed + 3), 4 * at)
    }
  return createBitmap(width, height, data)
}

/**
 * For each pixel, finds the index of the nearest visible pixel, −1 if there is none. Each pixel uses the results of
 * its neighbours, in one pass down the picture and one pass up. The found pixel may be slightly farther away than the
 * nearest, a difference that nobody can see.
 */
function findNearest({ width, height, data }: Bitmap): Int32Array {
  const nearest = new Int32Array(width * height).fill(-1)
  for (let at = 0; at < nearest.length; at++) if (data[4 * at + 3]! > 0) nearest[at] = at
  const distance = (seed: number, x: number, y: number): number => ((seed % width) - x) ** 2 + (Math.floor(seed / width) - y) ** 2
  const takeNearer = (x: number, y: number, dx: number, dy: number): void => {
    const [fromX, fromY] = [x + dx, y + dy]
    if (fromX < 0 || fromY < 0 || fromX >= width || fromY >= height) return
    const seed = nearest[fromY * width + fromX]!
    const own = nearest[y * width + x]!
    if (seed >= 0 && (own < 0 || distance(seed, x, y) < distance(own, x, y))) nearest[y * width + x] = seed
  }
  const sweep = (x: number, y: number, step: 1 | -1): void => {
    if (nearest[y * width + x] === y * width + x) return
    takeNearer(x, y, -step, 0)
    takeNearer(x, y, -1, -step)
    takeNearer(x, y, 0, -step)
    takeNearer(x, y, 1, -step)
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) sweep(x, y, 1)
    for (let x = width - 1; x >= 0; x--) takeNearer(x, y, 1, 0)
  }
  for (let y = height - 1; y >= 0; y--) {
    for (let x = width - 1; x >= 0; x--) sweep(x, y, -1)
    for (let x = 0; x < width; x++) takeNearer(x, y, -1, 0)
  }
  return nearest
}
