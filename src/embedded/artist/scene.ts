import type { Bitmap } from '../../../atlas/index.ts'
import type { Pose } from './pose.ts'
import { createCanvas, readSmooth, sampled, toBitmap, toCanvas } from './warp.ts'

/** Border, as a share of the picture, into which the whole picture may move. */
const ROOM = 0.03
const LARGEST = 512

/**
 * Draws one frame of a picture whose figure cannot be separated from its background. The whole picture drifts
 * and breathes a little, and stays opaque up to its border.
 */
export function drawScene(reference: Bitmap, pose: Pose, at: number): Bitmap {
  const shrink = Math.min(1, LARGEST / Math.max(reference.width, reference.height))
  const [width, height] = [even(reference.width * shrink), even(reference.height * shrink)]
  const source = toCanvas(reference)
  const canvas = createCanvas(width, height)
  const clamp = (value: number): number => Math.min(ROOM, Math.max(-ROOM, value))
  const zoom = 1 - 2 * ROOM - 0.008 * Math.cos(at * Math.PI * 2)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [across, down] = [(x + 0.5) / width - 0.5, (y + 0.5) / height - 0.5]
      const shift = clamp(0.1 * (pose.x + pose.lean * (0.5 - down) + pose.curl * (0.5 - down) ** 2 + pose.tilt * -down))
      const rise = clamp(0.1 * (pose.y + pose.bob) + 0.15 * (pose.scaleY - 1) * (0.5 - down))
      const u = (0.5 + across * zoom - shift) * reference.width
      const v = (0.5 + down * zoom + rise) * reference.height
      readSmooth(source, Math.min(reference.width - 2, Math.max(2, u)), Math.min(reference.height - 2, Math.max(2, v)))
      canvas.pixels.set(sampled, (y * width + x) * 4)
    }
  return toBitmap(canvas)
}

function even(value: number): number {
  return Math.max(8, 2 * Math.round(value / 2))
}
