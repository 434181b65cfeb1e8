import { type Bitmap, createBitmap, crop } from '../bitmap.ts'

/** A frame without its clear border. */
export interface TrimmedFrame {
  readonly bitmap: Bitmap
  /** Left edge of the bitmap in the untrimmed frame, pixels. */
  readonly offsetX: number
  readonly offsetY: number
}

/** Options of {@link trim}. */
export interface TrimOptions {
  /**
   * Largest alpha of a clear pixel, 0 to 255.
   *
   * @default 0
   */
  readonly threshold?: number
  /**
   * Most clear pixels to keep on each side, so that soft edges fade out inside the frame.
   *
   * @default 1
   */
  readonly margin?: number
  /**
   * Offset and size are multiples of this number of pixels. The sides of the frame must be multiples too.
   *
   * @default 1
   */
  readonly align?: number
}

/**
 * Cuts the clear border off a frame.
 *
 * @returns The cut bitmap with its offset in source pixels. A wholly clear frame gives `align` × `align`
 * pixels (1 × 1 by default) at (0, 0), so that every frame has a pixel. The input does not change.
 * @see TexturePacker JSON, `spriteSourceSize` and `sourceSize`, as Phaser and PixiJS read them.
 */
export function trim(frame: Bitmap, options: TrimOptions = {}): TrimmedFrame {
  const align = options.align ?? 1
  const box = visibleBox(frame, options.threshold ?? 0)
  if (box === undefined) return { bitmap: createBitmap(align, align), offsetX: 0, offsetY: 0 }
  const margin = options.margin ?? 1
  const down = (value: number): number => Math.floor(Math.max(0, value) / align) * align
  const up = (value: number, limit: number): number => Math.min(limit, Math.ceil(value / align) * align)
  const left = down(box.left - margin)
  const top = down(box.top - margin)
  const right = up(box.right + margin, frame.width)
  const bottom = up(box.bottom + margin, frame.height)
  return { bitmap: crop(frame, left, top, right - left, bottom - top), offsetX: left, offsetY: top }
}

/** A box of pixels. */
export type Box = NonNullable<ReturnType<typeof visibleBox>>

/**
 * The smallest box around all pixels with an alpha above `threshold`; right and bottom are exclusive. Returns
 * `undefined` if there are no such pixels.
 */
export function visibleBox(frame: Bitmap, threshold: number): { left: number; top: number; right: number; bottom: number } | undefined {
  const { width, height } = frame
  const pixels = pixelsOf(frame)
  const isClear = (y: number): boolean => firstSeen(pixels, y * width, (y + 1) * width, threshold) === (y + 1) * width
  let top = 0
  while (top < height && isClear(top)) top++
  if (top === height) return undefined
  let bottom = height
  while (isClear(bottom - 1)) bottom--
  // Row by row, because a scan down the columns would read memory out of order. Each row is scanned only up to the
  // present box.
  let left = width
  let right = 0
  for (let y = top; y < bottom; y++) {
    const from = y * width
    left = firstSeen(pixels, from, from + left, threshold) - from
    right = endOfSeen(pixels, from + right, from + width, threshold) - from
  }
  return { left, top, right, bottom }
}

// A 32-bit read per pixel is twice as fast as reading bytes; a DataView is as slow as bytes. Signed, since
// engines store unsigned numbers of more than 31 bits in a slower form.
/**
 * Returns the pixels of a frame as `0xAABBGGRR` in signed integers. The pixels are a copy only if the bytes are not
 * aligned.
 */
export function pixelsOf(frame: Bitmap): Int32Array {
  const { data } = frame
  const aligned = data.byteOffset % 4 === 0 ? data : data.slice()
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4)
}

// Every platform of Node is little-endian, so alpha is the top byte. These two functions are small so that
// they are compiled early.
/**
 * Returns the index of the first pixel in a range with an alpha above `threshold`, or `to` if there is none.
 */
export function firstSeen(pixels: Int32Array, from: number, to: number, threshold: number): number {
  let at = from
  while (at < to && pixels[at]! >>> 24 <= threshold) at++
  return at
}

/**
 * Returns the index after the last pixel in a range with an alpha above `threshold`, or `from` if there is
 * none.
 */
export function endOfSeen(pixels: Int32Array, from: number, to: number, threshold: number): number {
  let end = to
  while (end > from && pixels[end - 1]! >>> 24 <= threshold) end--
  return end
}
