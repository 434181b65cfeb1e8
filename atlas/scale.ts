import type { Bitmap } from './bitmap.ts'
import { resize } from './codec.ts'
import type { FrameSequence } from './frame.ts'

/** Size a frame is to have: `longest` sets its longest side, `box` fits it inside. Both grow small frames too. */
export type FitSize =
  | { readonly kind: 'longest'; readonly px: number }
  | { readonly kind: 'box'; readonly width: number; readonly height: number }

/** The size a picture of `width` × `height` gets: proportions kept, whole pixels, each side 1 or more. */
export function fitSize(width: number, height: number, size: FitSize): { width: number; height: number } {
  const factor = size.kind === 'longest' ? size.px / Math.max(width, height) : Math.min(size.width / width, size.height / height)
  return scaledSize(width, height, factor)
}

/** Scales frames of one size to fit. Pixel art by nearest neighbour, everything else by Lanczos. */
export async function scaleFrames(frames: readonly Bitmap[], size: FitSize, pixelArt: boolean): Promise<Bitmap[]> {
  return Promise.all(
    frames.map((frame) => {
      const { width, height } = fitSize(frame.width, frame.height, size)
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
