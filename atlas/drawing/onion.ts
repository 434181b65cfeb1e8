import { type Bitmap, createBitmap } from '../bitmap.ts'

const BEFORE = [235, 50, 50] as const
const AFTER = [40, 90, 235] as const
/** Opacity of a neighbouring frame. */
const NEIGHBOUR_OPACITY = 0.5
/** Opacity of the frame over its neighbours. */
const OWN_OPACITY = 0.72

/**
 * Draws each frame over its neighbours as an onion skin: the frame before in red, the frame after in blue,
 * both as flat shapes.
 *
 * @param frames In playing order, of one size.
 * @param isClosed Whether the first frame follows the last.
 */
export function drawOnionSkins(frames: readonly Bitmap[], isClosed: boolean): Bitmap[] {
  const count = frames.length
  return frames.map((frame, at) => {
    const before = at > 0 || isClosed ? frames[(at + count - 1) % count] : undefined
    const after = at + 1 < count || isClosed ? frames[(at + 1) % count] : undefined
    const skin = createBitmap(frame.width, frame.height)
    if (before) drawOver(skin, before, NEIGHBOUR_OPACITY, BEFORE)
    if (after) drawOver(skin, after, NEIGHBOUR_OPACITY, AFTER)
    drawOver(skin, frame, OWN_OPACITY)
    return skin
  })
}

/** Draws a frame over an earlier version of one size, which is a flat red shape. */
export function drawOverEarlier(frame: Bitmap, earlier: Bitmap): Bitmap {
  const skin = createBitmap(frame.width, frame.height)
  drawOver(skin, earlier, NEIGHBOUR_OPACITY, BEFORE)
  drawOver(skin, frame, OWN_OPACITY)
  return skin
}

/**
 * Straight-alpha "over".
 *
 * @param flat A colour that replaces the picture's own colours.
 */
function drawOver(target: Bitmap, source: Bitmap, strength: number, flat?: readonly [number, number, number]): void {
  for (let at = 0; at < target.data.length; at += 4) {
    const own = (source.data[at + 3]! / 255) * strength
    if (own === 0) continue
    const below = (target.data[at + 3]! / 255) * (1 - own)
    for (let channel = 0; channel < 3; channel++) {
      const colour = flat?.[channel] ?? source.data[at + channel]!
      target.data[at + channel] = Math.round((colour * own + target.data[at + channel]! * below) / (own + below))
    }
    target.data[at + 3] = Math.round(255 * (own + below))
  }
}
