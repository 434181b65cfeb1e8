import { type Box, visibleBox } from '../../../atlas/frames/trim.ts'
import type { Bitmap } from '../../../atlas/index.ts'
import type { ReviewRecord } from '../store/records.ts'

/** Largest alpha that counts as clear. */
const FAINT = 15
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
  const boxes = frames.map((frame) => visibleBox(frame, FAINT))
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

function touchesBorder(box: Box, frame: Bitmap): boolean {
  return box.left === 0 || box.top === 0 || box.right === frame.width || box.bottom === frame.height
}

function hasOpaqueCorners(frame: Bitmap): boolean {
  const alphaAt = (x: number, y: number): number => frame.data[(y * frame.width + x) * 4 + 3]!
  const [right, bottom] = [frame.width - 1, frame.height - 1]
  return [alphaAt(0, 0), alphaAt(right, 0), alphaAt(0, bottom), alphaAt(right, bottom)].filter((alpha) => alpha === 255).length >= 3
}
