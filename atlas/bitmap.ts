import { AtlasError } from './errors.ts'

/** A picture: straight-alpha RGBA8, row-major, top-left first; `width * height * 4` bytes. */
export interface Bitmap {
  /** Pixels, 1 or more. */
  readonly width: number
  /** Pixels, 1 or more. */
  readonly height: number
  readonly data: Uint8Array
}

/**
 * Returns a clear picture, or a picture with the given pixels.
 *
 * @throws {AtlasError} `SW_FRAME_SIZE` if a side is not a positive integer, or if `data` has another length.
 */
export function createBitmap(width: number, height: number, data?: Uint8Array): Bitmap {
  const length = width * height * 4
  if (!Number.isInteger(width) || !Number.isInteger(height) || width < 1 || height < 1 || (data !== undefined && data.length !== length)) {
    throw new AtlasError('SW_FRAME_SIZE', {
      message: `Expected ${width} × ${height} pixels in ${length} bytes, found ${data === undefined ? 'sides that are not positive integers' : `${data.length} bytes`}.`,
      facts: { width, height, bytes: data?.length },
    })
  }
  return { width, height, data: data ?? new Uint8Array(length) }
}

/** Returns a copy of a rectangle. The rectangle must be inside the picture. */
export function crop(bitmap: Bitmap, x: number, y: number, width: number, height: number): Bitmap {
  const cut = createBitmap(width, height)
  for (let row = 0; row < height; row++) {
    const from = ((y + row) * bitmap.width + x) * 4
    cut.data.set(bitmap.data.subarray(from, from + width * 4), row * width * 4)
  }
  return cut
}

/** Copies `source` into `target` at (x, y), row by row, without blending. `source` must fit inside. */
export function blit(target: Bitmap, source: Bitmap, x: number, y: number): void {
  const span = source.width * 4
  for (let row = 0; row < source.height; row++)
    target.data.set(source.data.subarray(row * span, (row + 1) * span), ((y + row) * target.width + x) * 4)
}

/** Returns a copy turned by 90° clockwise. */
export function turn({ width, height, data }: Bitmap): Bitmap {
  const turned = createBitmap(height, width)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) copyPixel(data, y * width + x, turned.data, x * height + (height - 1 - y))
  return turned
}

/** Returns a copy turned by 90° counter-clockwise. */
export function turnBack({ width, height, data }: Bitmap): Bitmap {
  const upright = createBitmap(height, width)
  for (let y = 0; y < width; y++)
    for (let x = 0; x < height; x++) copyPixel(data, x * width + (width - 1 - y), upright.data, y * height + x)
  return upright
}

function copyPixel(from: Uint8Array, at: number, to: Uint8Array, place: number): void {
  for (let channel = 0; channel < 4; channel++) to[4 * place + channel] = from[4 * at + channel]!
}

/** Returns the pixels of a picture as `0xAABBGGRR`. Clear pixels are 0. */
export function pixelsOf({ data }: Bitmap): Uint32Array {
  const pixels = new Uint32Array(data.length / 4)
  for (let at = 0; at < pixels.length; at++) {
    const alpha = data[4 * at + 3]!
    if (alpha > 0) pixels[at] = (alpha << 24) | (data[4 * at + 2]! << 16) | (data[4 * at + 1]! << 8) | data[4 * at]!
  }
  return pixels
}
