import { createHash } from 'node:crypto'
import type { Bitmap } from './bitmap.ts'

const known = new WeakMap<Bitmap, string>()

/** Returns a hash of a picture's size and pixels. It is cached, since pixels never change in place. */
export function pictureDigest(bitmap: Bitmap): string {
  const before = known.get(bitmap)
  if (before !== undefined) return before
  const digest = `${bitmap.width}x${bitmap.height} ${createHash('sha256').update(bitmap.data).digest('base64')}`
  known.set(bitmap, digest)
  return digest
}
