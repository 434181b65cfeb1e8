import { type Bitmap, createBitmap } from '../../atlas/bitmap.ts'

/** An opaque picture whose other bytes depend on its number, up to 31. */
export function picture(number: number, width = 4, height = 3): Bitmap {
  return createBitmap(
    width,
    height,
    new Uint8Array(width * height * 4).map((_, at) => (at % 4 === 3 ? 255 : (number * 40 + at) % 256)),
  )
}
