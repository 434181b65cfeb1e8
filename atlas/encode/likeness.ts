import type { Bitmap } from '../bitmap.ts'

const BLOCK = 8
const C1 = (0.01 * 255) ** 2
const C2 = (0.03 * 255) ** 2

/**
 * Structural similarity (SSIM) of two pictures of one size, up to 1 for equal ones.
 *
 * Each picture is drawn over black and over white, so that alpha counts. Of each block of 8 × 8 pixels the
 * channel with the lowest similarity counts. The result is the mean over all blocks with a visible pixel in
 * either picture, or 1 if there are none.
 *
 * @see Wang, Bovik, Sheikh, Simoncelli: Image Quality Assessment, 2004.
 */
export function likeness(a: Bitmap, b: Bitmap): number {
  let [sum, blocks] = [0, 0]
  for (let y = 0; y < a.height; y += BLOCK)
    for (let x = 0; x < a.width; x += BLOCK) {
      if (!shows(a, x, y) && !shows(b, x, y)) continue
      const channels = [0, 1, 2].flatMap((channel) => [similarity(a, b, x, y, channel, 0), similarity(a, b, x, y, channel, 255)])
      sum += Math.min(...channels)
      blocks++
    }
  return blocks === 0 ? 1 : sum / blocks
}

function eachPixel(bitmap: Bitmap, x: number, y: number, visit: (at: number) => void): void {
  for (let row = y; row < Math.min(bitmap.height, y + BLOCK); row++)
    for (let column = x; column < Math.min(bitmap.width, x + BLOCK); column++) visit((row * bitmap.width + column) * 4)
}

function shows(bitmap: Bitmap, x: number, y: number): boolean {
  let isVisible = false
  eachPixel(bitmap, x, y, (at) => {
    isVisible ||= bitmap.data[at + 3]! > 0
  })
  return isVisible
}

function valueAt({ data }: Bitmap, at: number, channel: number, background: number): number {
  const alpha = data[at + 3]! / 255
  return data[at + channel]! * alpha + background * (1 - alpha)
}

function similarity(a: Bitmap, b: Bitmap, x: number, y: number, channel: number, background: number): number {
  let [count, sumA, sumB, squareA, squareB, product] = [0, 0, 0, 0, 0, 0]
  eachPixel(a, x, y, (at) => {
    const [ofA, ofB] = [valueAt(a, at, channel, background), valueAt(b, at, channel, background)]
    count++
    sumA += ofA
    sumB += ofB
    squareA += ofA * ofA
    squareB += ofB * ofB
    product += ofA * ofB
  })
  const [meanA, meanB] = [sumA / count, sumB / count]
  const [varianceA, varianceB, covariance] = [squareA / count - meanA ** 2, squareB / count - meanB ** 2, product / count - meanA * meanB]
  return ((2 * meanA * meanB + C1) * (2 * covariance + C2)) / ((meanA ** 2 + meanB ** 2 + C1) * (varianceA + varianceB + C2))
}
