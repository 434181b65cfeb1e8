import { type Bitmap, createBitmap } from '../bitmap.ts'

/**
 * Gives clear pixels near visible ones the colour of the nearest, their alpha staying 0. Codecs that lose detail mix the colours of neighbours in blocks of up to 16
 * pixels, and textures that are compressed on the graphics card do so, too: what lies under clear pixels would show at the edges.
 *
 * @param reach How far, in pixels; beyond, colours stay as they are. @default 16
 * @returns A copy; visible pixels are those of the picture.
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
 * For each pixel the index of the visible one nearest to it, −1 where there is none. Each looks at what its neighbours found, down the picture and up again; the
 * answer may be a hair farther than the nearest, which no eye can tell.
 */
function findNearest({ width, height, data }: Bitmap): Int32Array {
  const nearest = new Int32Array(width * height).fill(-1)
  for (let at = 0; at < nearest.length; at++) if (data[4 * at + 3]! > 0) nearest[at] = at
  const far = (seed: number, x: number, y: number): number => ((seed % width) - x) ** 2 + (Math.floor(seed / width) - y) ** 2
  const look = (x: number, y: number, dx: number, dy: number): void => {
    const [fromX, fromY] = [x + dx, y + dy]
    if (fromX < 0 || fromY < 0 || fromX >= width || fromY >= height) return
    const seed = nearest[fromY * width + fromX]!
    const own = nearest[y * width + x]!
    if (seed >= 0 && (own < 0 || far(seed, x, y) < far(own, x, y))) nearest[y * width + x] = seed
  }
  const sweep = (x: number, y: number, step: 1 | -1): void => {
    if (nearest[y * width + x] === y * width + x) return
    look(x, y, -step, 0)
    look(x, y, -1, -step)
    look(x, y, 0, -step)
    look(x, y, 1, -step)
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) sweep(x, y, 1)
    for (let x = width - 1; x >= 0; x--) look(x, y, 1, 0)
  }
  for (let y = height - 1; y >= 0; y--) {
    for (let x = width - 1; x >= 0; x--) sweep(x, y, -1)
    for (let x = 0; x < width; x++) look(x, y, -1, 0)
  }
  return nearest
}
