import type { Bitmap } from '../../../atlas/index.ts'
import { canvasFrom, type Rgb } from './canvas.ts'

/** A picture with a light behind what is in it. @param reach Pixels. */
export function addGlow(picture: Bitmap, colour: Rgb, reach: number): Bitmap {
  const { width, height } = picture
  let light: Float32Array = new Float32Array(width * height)
  for (let at = 0; at < light.length; at++) light[at] = picture.data[at * 4 + 3]! / 255
  // Three box blurs in each direction are as good as a bell.
  const radius = Math.max(1, Math.round(reach / 3))
  for (let turn = 0; turn < 3; turn++) {
    light = blurred(light, { count: height, length: width, lineStep: width, step: 1 }, radius)
    light = blurred(light, { count: width, length: height, lineStep: 1, step: width }, radius)
  }
  const lit = canvasFrom(width, height)
  for (let at = 0; at < light.length; at++) {
    const own = picture.data[at * 4 + 3]! / 255
    const behind = Math.min(1, light[at]! * 1.7) * 0.9 * (1 - own)
    const alpha = own + behind
    if (alpha < 0.003) continue
    for (let channel = 0; channel < 3; channel++)
      lit.data[at * 4 + channel] = Math.round((picture.data[at * 4 + channel]! * own + colour[channel]! * behind) / alpha)
    lit.data[at * 4 + 3] = Math.round(alpha * 255)
  }
  return lit
}

interface Lines {
  readonly count: number
  readonly length: number
  readonly lineStep: number
  readonly step: number
}

function blurred(values: Float32Array, { count, length, lineStep, step }: Lines, radius: number): Float32Array {
  const out = new Float32Array(values.length)
  for (let line = 0; line < count; line++) {
    let sum = 0
    const at = (index: number): number => (index < 0 || index >= length ? 0 : values[line * lineStep + index * step]!)
    for (let index = -radius; index < length; index++) {
      sum += at(index + radius) - at(index - radius - 1)
      if (index >= 0) out[line * lineStep + index * step] = sum / (2 * radius + 1)
    }
  }
  return out
}
