import { type Bitmap, blit, createBitmap, crop } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import type { PictureSize } from './budget.ts'
import { briefName } from './entry-name.ts'

/** A frame that was delivered in another size than the others. */
export interface ResizedFrame {
  readonly index: number
  /** Delivered size in pixels. */
  readonly width: number
  readonly height: number
}

/**
 * The size of more than half of the frames: the canvas of the delivery.
 *
 * @throws {AtlasError} `SW_FRAME_SIZE` if there is none. Then nobody can know which size is meant.
 */
export function commonSize(pictures: readonly PictureSize[]): { readonly width: number; readonly height: number } {
  const counts = new Map<string, number>()
  for (const { width, height } of pictures) {
    const size = `${width} × ${height}`
    const count = (counts.get(size) ?? 0) + 1
    if (2 * count > pictures.length) return { width, height }
    counts.set(size, count)
  }
  const first = pictures[0]!
  const odd = pictures.find(({ width, height }) => width !== first.width || height !== first.height)!
  throw new AtlasError('SW_FRAME_SIZE', {
    message:
      `Expected more than half of the frames to be of one size, found ${first.width} × ${first.height} pixels for "${briefName(first.name)}", ` +
      `${odd.width} × ${odd.height} for "${briefName(odd.name)}", and no size that most have. The result is kept.`,
    facts: { rule: 'one-size', entry: briefName(odd.name), width: odd.width, height: odd.height },
  })
}

/**
 * Puts a frame on a canvas: centred across, and at the bottom, where a figure stands. What lies outside of the
 * canvas is cut off.
 */
export function putOnCanvas(frame: Bitmap, { width, height }: { readonly width: number; readonly height: number }): Bitmap {
  if (frame.width === width && frame.height === height) return frame
  const [innerWidth, innerHeight] = [Math.min(width, frame.width), Math.min(height, frame.height)]
  const inner = crop(frame, (frame.width - innerWidth) >> 1, frame.height - innerHeight, innerWidth, innerHeight)
  const canvas = createBitmap(width, height)
  blit(canvas, inner, (width - innerWidth) >> 1, height - innerHeight)
  return canvas
}
