import { type Bitmap, createBitmap } from '../bitmap.ts'
import { loadSharp } from './codec.ts'

/**
 * Encodes pictures of one size as a lossy WebP that moves, and begins again when it ends. The same pixels give the same
 * bytes on one version of sharp.
 *
 * @param pictures At least one.
 * @param durationsMs How long each picture is shown, in whole milliseconds.
 */
export async function encodeMoving(pictures: readonly Bitmap[], durationsMs: readonly number[]): Promise<Uint8Array> {
  const { width, height } = pictures[0] ?? createBitmap(1, 1)
  const raw = { width, height: height * pictures.length, pageHeight: height, channels: 4 } as const
  const sharp = await loadSharp()
  const encoded = sharp(Buffer.concat(pictures.map(({ data }) => data)), { raw }).webp({ quality: 80, delay: [...durationsMs], loop: 0 })
  return new Uint8Array(await encoded.toBuffer())
}
