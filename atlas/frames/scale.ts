import type { Bitmap } from '../bitmap.ts'
import { resize } from '../encode/codec.ts'
import type { FrameSequence } from '../frame.ts'

/** Size a frame is to have: `longest` sets its longest side, `box` fits it inside. Both grow small frames too. */
export type FitSize =
  | { readonly kind: 'longest'; readonly px: number }
  | { readonly kind: 'box'; readonly width: number; readonly height: number }

/** The size a picture of `width` × `height` gets: proportions kept, whole pixels, each side 1 or more. @param pixelArt See {@link fitFactor}. @default false */
export function fitSize(width: number, height: number, size: FitSize, pixelArt = false): { width: number; height: number } {
  return scaledSize(width, height, fitFactor(width, height, size, pixelArt))
}

/**
 * By how much a frame of `width` × `height` is scaled to fit. Pixel art takes the next smaller whole factor, or one part of a whole one (2, 1, 1/2, 1/3 …), so that
 * all its pixels stay equally large; it may come out smaller than was asked for.
 */
export function fitFactor(width: number, height: number, size: FitSize, pixelArt: boolean): number {
  const factor = size.kind === 'longest' ? size.px / Math.max(width, height) : Math.min(size.width / width, size.height / height)
  if (!pixelArt) return factor
  // A hair of tolerance: 128 / 384 is a third.
  return factor >= 1 ? Math.floor(factor + 1e-9) : 1 / Math.ceil(1 / factor - 1e-9)
}

/**
 * Scales frames of one size to fit. Pixel art by nearest neighbour and whole factors, everything else by Lanczos.
 *
 * @param whole The frame that is to fit, where the given ones have got room on their sides; their figures keep the size that they would have had without it.
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

/** A resolution variant of a sequence: all frames scaled by `factor`; names, durations, extrude and padding stay. */
export async function scaleSequence(sequence: FrameSequence, factor: number): Promise<FrameSequence> {
  if (factor === 1) return sequence
  const frames = await Promise.all(
    sequence.frames.map(async (frame) => {
      const { width, height } = scaledSize(frame.bitmap.width, frame.bitmap.height, factor)
      return { ...frame, bitmap: await resize(frame.bitmap, width, height, sequence.pixelArt ? 'nearest' : 'lanczos') }
    }),
  )
  return { ...sequence, frames }
}

function scaledSize(width: number, height: number, factor: number): { width: number; height: number } {
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}
