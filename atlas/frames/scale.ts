import type { Bitmap } from '../bitmap.ts'
import { resize } from '../encode/codec.ts'
import { type FrameSequence, mapBoxes } from '../frame.ts'
import { visibleBox } from './trim.ts'

/**
 * Target size of a frame. `longest` sets the frame's longest side. `box` is a box that the frame must fit
 * into. `figure` sets the longest side of the figure in the frame; `side` is its present length in pixels ({@link
 * figureSide}). All three also enlarge small frames.
 */
export type FitSize =
  | { readonly kind: 'longest'; readonly px: number }
  | { readonly kind: 'box'; readonly width: number; readonly height: number }
  | { readonly kind: 'figure'; readonly px: number; readonly side: number }

/** Longest side of a frame after a small figure was enlarged, in pixels. */
const longestSidePx = 4096

/** Alpha up to which a pixel is not a part of the figure: soft shadows, and leftovers of a background. */
const faintAlpha = 16

/** If the first figure has less than this share of the largest one, as in an explosion, its size does not count. */
const leastShare = 0.5

/**
 * The longest side of the visible part of the first frame, in pixels, because animations often begin with the same
 * pose. If the largest figure of all frames is more than twice as large, its longest side counts instead.
 *
 * @param frames At least one, all of one size. If nothing is visible, their longest side is returned.
 */
export function figureSide(frames: readonly Bitmap[]): number {
  const [first = 0, ...others] = frames.map(visibleSide)
  const largest = Math.max(first, ...others)
  if (largest === 0) return Math.max(frames[0]!.width, frames[0]!.height)
  return first < leastShare * largest ? largest : first
}

function visibleSide(frame: Bitmap): number {
  const box = visibleBox(frame, faintAlpha)
  return box === undefined ? 0 : Math.max(box.right - box.left, box.bottom - box.top)
}

/**
 * The size of a `width` × `height` picture after fitting: same proportions, whole pixels, each side at least
 * 1.
 *
 * @param pixelArt See {@link fitFactor}.
 * @default false
 */
export function fitSize(width: number, height: number, size: FitSize, pixelArt = false): { width: number; height: number } {
  return scaledSize(width, height, fitFactor(width, height, size, pixelArt))
}

/**
 * The factor by which a `width` × `height` frame is scaled to fit. Pixel art uses the next smaller integer or
 * unit fraction (2, 1, 1/2, 1/3 …), so that all its pixels keep one size. Then the frame may be smaller than
 * requested.
 */
export function fitFactor(width: number, height: number, size: FitSize, pixelArt: boolean): number {
  const factor = plainFactor(width, height, size)
  if (!pixelArt) return factor
  // Tolerance for rounding: 128 / 384 is a third.
  return factor >= 1 ? Math.floor(factor + 1e-9) : 1 / Math.ceil(1 / factor - 1e-9)
}

function plainFactor(width: number, height: number, size: FitSize): number {
  if (size.kind === 'longest') return size.px / Math.max(width, height)
  if (size.kind === 'box') return Math.min(size.width / width, size.height / height)
  return Math.min(size.px / size.side, longestSidePx / Math.max(width, height))
}

/**
 * Scales frames of one size to fit: pixel art by nearest neighbour, all others by Lanczos.
 *
 * @param whole The size to fit, if the frames were enlarged with clear space. Then their figures keep the same scale
 * as without this space.
 */
export async function scaleFrames(
  frames: readonly Bitmap[],
  size: FitSize,
  pixelArt: boolean,
  whole?: { readonly width: number; readonly height: number },
): Promise<Bitmap[]> {
  return Promise.all(
    frames.map((frame) => {
      const fitted = whole ?? frame
      const { width, height } = scaledSize(frame.width, frame.height, fitFactor(fitted.width, fitted.height, size, pixelArt))
      return resize(frame, width, height, pixelArt ? 'nearest' : 'lanczos')
    }),
  )
}

/**
 * Scales all frames of a sequence by `factor`, for a resolution variant. Names, durations, extrude and
 * padding stay.
 */
export async function scaleSequence(sequence: FrameSequence, factor: number): Promise<FrameSequence> {
  if (factor === 1) return sequence
  const frames = await Promise.all(
    sequence.frames.map(async (frame) => {
      const { width, height } = scaledSize(frame.bitmap.width, frame.bitmap.height, factor)
      const boxes = frame.boxes && mapBoxes(frame.boxes, ([x, y, wide, high]) => [x * factor, y * factor, wide * factor, high * factor])
      const bitmap = await resize(frame.bitmap, width, height, sequence.pixelArt ? 'nearest' : 'lanczos')
      return { ...frame, bitmap, ...(boxes ? { boxes } : {}) }
    }),
  )
  return { ...sequence, frames }
}

function scaledSize(width: number, height: number, factor: number): { width: number; height: number } {
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}
