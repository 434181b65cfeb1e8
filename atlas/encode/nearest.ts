import { type Bitmap, createBitmap } from '../bitmap.ts'

/** Scales by nearest neighbour: each pixel is a copy of the one under its centre, so no new colour appears. @throws {AtlasError} `SW_FRAME_SIZE` for sides under 1. */
export function resizeNearest(bitmap: Bitmap, width: number, height: number): Bitmap {
  const scaled = createBitmap(width, height)
  const columns = Int32Array.from({ length: width }, (_, x) => Math.floor(((x + 0.5) * bitmap.width) / width) * 4)
  for (let y = 0; y < height; y++) {
    const row = Math.floor(((y + 0.5) * bitmap.height) / height) * bitmap.width * 4
    for (let x = 0; x < width; x++) {
      const from = row + columns[x]!
      const to = (y * width + x) * 4
      scaled.data[to] = bitmap.data[from]!
      scaled.data[to + 1] = bitmap.data[from + 1]!
      scaled.data[to + 2] = bitmap.data[from + 2]!
      scaled.data[to + 3] = bitmap.data[from + 3]!
    }
  }
  return scaled
}
