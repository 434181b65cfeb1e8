import { type Bitmap, createBitmap, crop } from '../bitmap.ts'

/** A frame without its clear border. */
export interface TrimmedFrame {
  readonly bitmap: Bitmap
  /** Place of its left edge in the untrimmed frame, pixels. */
  readonly offsetX: number
  readonly offsetY: number
}

/** How tightly a frame is cut. */
export interface TrimOptions {
  /** Alpha 0 to 255 at or under which a pixel counts as clear. @default 0 */
  readonly threshold?: number
  /** Clear pixels kept on each side where there are any, so that soft edges fade out inside the frame. @default 1 */
  readonly margin?: number
  /** Offset and size are multiples of this many pixels; the frame's own sides must be. @default 1 */
  readonly align?: number
}

/**
 * Cuts the clear border off a frame.
 *
 * @returns The cut bitmap with its offset in source pixels. A wholly clear frame gives 1×1 at (0, 0) (`align` × `align`), so that every frame owns a pixel. The input is not changed.
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

/** The smallest box around all pixels with an alpha over `threshold`, right and bottom exclusive; undefined where there are none. */
export function visibleBox(frame: Bitmap, threshold: number): { left: number; top: number; right: number; bottom: number } | undefined {
  const { width, height } = frame
  const pixels = pixelsOf(frame)
  const isClear = (y: number): boolean => firstSeen(pixels, y * width, (y + 1) * width, threshold) === (y + 1) * width
  let top = 0
  while (top < height && isClear(top)) top++
  if (top === height) return undefined
  let bottom = height
  while (isClear(bottom - 1)) bottom--
  // Row by row, each as far as it may push an edge outwards: down the columns memory is read across.
  let left = width
  let right = 0
  for (let y = top; y < bottom; y++) {
    const from = y * width
    left = firstSeen(pixels, from, from + left, threshold) - from
    right = endOfSeen(pixels, from + right, from + width, threshold) - from
  }
  return { left, top, right, bottom }
}

// One 32-bit read a pixel is twice as fast as bytes; DataView would be as slow as they are. Signed, since numbers over 31 bits are none of the small ones that
// scripts count with.
/** The pixels of a frame as `0xAABBGGRR`, as far as bits go; a copy only where its bytes are not aligned. */
export function pixelsOf(frame: Bitmap): Int32Array {
  const { data } = frame
  const aligned = data.byteOffset % 4 === 0 ? data : data.slice()
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4)
}

// Every platform of Node is little-endian, so alpha is the top byte. The two below are as small as they are because they alone are compiled, in next to no time.
/** Where the first pixel of a stretch with an alpha over `threshold` is; `to` where there is none. */
export function firstSeen(pixels: Int32Array, from: number, to: number, threshold: number): number {
  let at = from
  while (at < to && pixels[at]! >>> 24 <= threshold) at++
  return at
}

/** Behind the last pixel of a stretch with an alpha over `threshold`; `from` where there is none. */
export function endOfSeen(pixels: Int32Array, from: number, to: number, threshold: number): number {
  let end = to
  while (end > from && pixels[end - 1]! >>> 24 <= threshold) end--
  return end
}
