import type { Sharp } from 'sharp'
import { type Bitmap, createBitmap, crop } from '../bitmap.ts'
import { loadSharp } from '../encode/codec.ts'
import { AtlasError } from '../errors.ts'
import { MAX_FRAME_PIXELS, sniffFormat } from '../png/picture.ts'

/** Size and times of a picture that may be animated, from its headers. */
export interface AnimatedInfo {
  /** Pixels of each frame. */
  readonly width: number
  readonly height: number
  /** Display time of each frame, in milliseconds. */
  readonly durations: readonly number[]
  /** Whether the animation repeats. */
  readonly loop: boolean
}

/** Most pixels of all frames together, as in a delivery: they take 512 MiB. */
const MAX_PIXELS = 2 ** 27

/** Display time of a frame without a time, as in browsers, in milliseconds. */
export const DEFAULT_FRAME_MS = 100

/**
 * Reads frame size and times of a GIF or WebP. Decodes nothing.
 *
 * @throws {AtlasError} `SW_IMAGE` for another format, a damaged file, frames of more than 4096 × 4096 pixels
 * (`frame-too-large`), or more than 2 ** 27 pixels together (`too-many-pixels`).
 */
export async function animatedInfo(bytes: Uint8Array): Promise<AnimatedInfo> {
  return withSharp(bytes, async (image) => {
    const { pages = 1, delay = [], loop = 0, width, height: all, pageHeight: height = all } = await image.metadata()
    if (width * height > MAX_FRAME_PIXELS)
      throw refuse(
        'frame-too-large',
        `Expected frames of at most ${MAX_FRAME_PIXELS} pixels, found ${width} × ${height}. Make them smaller.`,
      )
    if (width * height * pages > MAX_PIXELS)
      throw refuse('too-many-pixels', `Expected at most ${MAX_PIXELS} pixels together, found ${width * height * pages}. Split the file.`)
    return { width, height, durations: Array.from({ length: pages }, (_, index) => delay[index] || DEFAULT_FRAME_MS), loop: loop !== 1 }
  })
}

/**
 * Reads all frames of a GIF or WebP on the whole canvas, as a browser shows them.
 *
 * @throws As {@link animatedInfo}.
 */
export async function readAnimated(bytes: Uint8Array): Promise<readonly Bitmap[]> {
  const { width, height, durations } = await animatedInfo(bytes)
  return withSharp(bytes, async (image) => {
    const { buffer, byteOffset, byteLength } = await image.toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' }).toBuffer()
    const all = createBitmap(width, height * durations.length, new Uint8Array(buffer, byteOffset, byteLength))
    return durations.map((_, index) => crop(all, 0, index * height, width, height))
  })
}

async function withSharp<T>(bytes: Uint8Array, read: (image: Sharp) => Promise<T>): Promise<T> {
  if (!isGif(bytes) && sniffFormat(bytes) !== 'webp') throw refuse('format', 'Expected a GIF or WebP picture, found another file.')
  try {
    return await read((await loadSharp())(bytes, { pages: -1, limitInputPixels: MAX_PIXELS, failOn: 'warning' }))
  } catch (cause) {
    if (cause instanceof AtlasError) throw cause
    throw refuse('damaged', `Expected a sound GIF or WebP picture, found: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
}

function isGif(bytes: Uint8Array): boolean {
  return [...'GIF8'].every((letter, at) => bytes[at] === letter.charCodeAt(0))
}

function refuse(rule: string, message: string, cause?: unknown): AtlasError {
  return new AtlasError('SW_IMAGE', { message, facts: { rule }, cause })
}
