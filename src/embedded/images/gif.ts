import type { Bitmap } from '../../../atlas/index.ts'

/**
 * Encodes an animated GIF that loops for ever. A pixel with alpha under 128 becomes clear.
 *
 * @param frames One or more frames of one size, straight-alpha RGBA8.
 * @param delayMs Time of each frame. GIF rounds it to hundredths of a second.
 */
export async function encodeGif(frames: readonly Bitmap[], delayMs: number): Promise<Uint8Array> {
  // Loaded at first use: most starts of the service draw nothing.
  const { default: sharp } = await import('sharp')
  const { width, height } = frames[0]!
  const pixels = Buffer.concat(frames.map(({ data }) => data))
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = pixels[at]! < 128 ? 0 : 255
  const raw = { width, height: height * frames.length, channels: 4, pageHeight: height } as const
  const delay = frames.map(() => delayMs)
  // Without dithering, flat areas stay flat. Equal frames in a row stay frames of their own.
  return sharp(pixels, { raw }).gif({ loop: 0, delay, dither: 0, effort: 1, keepDuplicateFrames: true }).toBuffer()
}
