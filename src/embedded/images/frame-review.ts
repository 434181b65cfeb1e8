import type { Bitmap } from '../../../atlas/index.ts'
import type { ReviewRecord } from '../store/records.ts'

/**
 * Distance of a figure's middle from the median, as a share of the width, from which its frame counts as
 * shifted.
 */
const SHIFT_SHARE = 0.2

/**
 * Reviews the frames of a sheet for `frame_review`. It lists frames that kept their background (three opaque
 * corners, or asked for), frames to inspect (blank, or cut by the border), and frames with a shifted figure.
 */
export function reviewFrames(frames: readonly Bitmap[], background: 'remove' | 'keep'): ReviewRecord {
  const indices = frames.map((_, index) => index)
  const base = { frameCount: frames.length, background }
  if (background === 'keep') return { ...base, keptBackgroundFrames: indices, inspectionFrames: [], sourceShiftedFrames: [] }
  const boxes = frames.map(boundsOf)
  const middles = boxes.flatMap((box) => (box === undefined ? [] : [(box.left + box.right) / 2])).sort((a, b) => a - b)
  const median = middles[Math.floor(middles.length / 2)] ?? 0
  return {
    ...base,
    keptBackgroundFrames: indices.filter((index) => hasOpaqueCorners(frames[index]!)),
    inspectionFrames: indices.filter((index) => boxes[index] === undefined || touchesBorder(boxes[index], frames[index]!)),
    sourceShiftedFrames: indices.filter((index) => {
      const box = boxes[index]
      return box !== undefined && Math.abs((box.left + box.right) / 2 - median) > frames[index]!.width * SHIFT_SHARE
    }),
  }
}

interface Bounds {
  readonly left: number
  readonly top: number
  /** Last column and last row with a visible pixel. */
  readonly right: number
  readonly bottom: number
}

function boundsOf(frame: Bitmap): Bounds | undefined {
  let [left, top, right, bottom] = [frame.width, frame.height, -1, -1]
  for (let y = 0; y < frame.height; y++) {
    for (let x = 0; x < frame.width; x++) {
      if (frame.data[(y * frame.width + x) * 4 + 3]! < 16) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  }
  return right < 0 ? undefined : { left, top, right, bottom }
}

function touchesBorder(box: Bounds, frame: Bitmap): boolean {
  return box.left === 0 || box.top === 0 || box.right === frame.width - 1 || box.bottom === frame.height - 1
}

function hasOpaqueCorners(frame: Bitmap): boolean {
  const alphaAt = (x: number, y: number): number => frame.data[(y * frame.width + x) * 4 + 3]!
  const [right, bottom] = [frame.width - 1, frame.height - 1]
  return [alphaAt(0, 0), alphaAt(right, 0), alphaAt(0, bottom), alphaAt(right, bottom)].filter((alpha) => alpha === 255).length >= 3
}
