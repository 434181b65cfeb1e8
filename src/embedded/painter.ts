import { createHash } from 'node:crypto'
import { type Bitmap, createBitmap } from '../../atlas/index.ts'

/** Draws a picture from a prompt. */
export function paint(prompt: string): Bitmap {
  const seed = createHash('sha256').update(prompt).digest()
  const picture = createBitmap(512, 512)
  for (let y = 0; y < 512; y++)
    for (let x = 0; x < 512; x++) {
      const away = Math.hypot(x - 256, y - 256)
      if (away > 200) continue
      picture.data.set(away > 185 ? [30, 20, 40, 255] : [seed[0]!, seed[1]!, seed[2]!, 255], (y * 512 + x) * 4)
    }
  return picture
}
