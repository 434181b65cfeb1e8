import { type Bitmap, encodePng, readPicture } from '../../../atlas/index.ts'
import { animate } from '../artist/artist.ts'
import { cutOut } from '../artist/background.ts'
import type { Shapes } from '../http/shapes.ts'
import { paint } from '../painter/painter.ts'
import type { DeliveryRecord, Failure, ImageRequest, SheetRequest } from '../store/records.ts'
import { packDelivery } from './delivery.ts'
import { reviewFrames } from './frame-review.ts'
import { restyle } from './restyle.ts'
import { upscale } from './upscale.ts'

/** Inputs of a maker besides the request. */
export interface MakingTools {
  /** Bytes of the reference, or undefined if there is none. */
  readonly readPicture: () => Promise<Uint8Array | undefined>
  /** Time to take in addition to the real work, milliseconds. */
  readonly jobMs: number
  readonly names: Shapes['names']
  /** Number of results that would look the same, before this one. Each looks a little different. */
  readonly earlier: number
  /**
   * Called after each step with the progress, 0 to 1, and the milliseconds to wait. Rejects if the result is
   * no longer wanted.
   */
  readonly onStep: (progress: number, ms: number) => Promise<void>
}

/** A finished file that is not stored yet. */
export type Made = Pick<DeliveryRecord, 'contentType' | 'width' | 'height' | 'review'> & { readonly bytes: Uint8Array }

/** Number of progress steps of an image. */
const IMAGE_STEPS = 4

/**
 * Draws the frames of a sprite and packs them.
 *
 * @param prompt The prompt of the submission and all answers.
 */
export async function makeSheet({ frames: count, background }: SheetRequest, prompt: string, tools: MakingTools): Promise<Made | Failure> {
  const reference = await readPicture((await tools.readPicture())!)
  const frames = await animate({
    reference,
    prompt,
    frames: count,
    background,
    variant: tools.earlier,
    onFrame: (index) => tools.onStep((index + 1) / count, tools.jobMs / count),
  })
  if (frames.length < count)
    return { reason: 'insufficient_frames', message: `Only ${frames.length} of ${count} frames were drawn.`, retryable: false }
  const { zip, width, height } = await packDelivery(frames, tools.names)
  return { bytes: zip, contentType: 'application/zip', width, height, review: reviewFrames(frames, background) }
}

/**
 * Makes the PNG of one of the four image operations.
 *
 * @param prompt As for {@link makeSheet}.
 */
export async function makeImage({ operation }: ImageRequest, prompt: string, tools: MakingTools): Promise<Made | Failure> {
  const bytes = await tools.readPicture()
  for (let step = 1; step < IMAGE_STEPS; step++) await tools.onStep(step / IMAGE_STEPS, tools.jobMs / IMAGE_STEPS)
  const picture = await draw(operation, prompt, bytes === undefined ? undefined : await readPicture(bytes))
  if ('reason' in picture) return picture
  await tools.onStep(1, tools.jobMs / IMAGE_STEPS)
  return { bytes: encodePng(picture), contentType: 'image/png', width: picture.width, height: picture.height, review: null }
}

async function draw(operation: ImageRequest['operation'], prompt: string, reference: Bitmap | undefined): Promise<Bitmap | Failure> {
  // A picture that came with an answer is the one to change.
  if (reference === undefined) return paint(prompt)
  if (operation === 'upscale') return upscale(reference)
  if (operation !== 'background_remove') return restyle(reference, prompt)
  const { figure, isSeparate } = cutOut(reference)
  if (isSeparate) return figure
  return { reason: 'generation_failed', message: 'No figure could be separated from the background.', retryable: false }
}
