import { type Bitmap, createBitmap } from '../bitmap.ts'
import { canvasOf, type Frame, type FrameSequence, mapBoxes } from '../frame.ts'

/** Returns the sequences, each followed by its mirror images, see {@link FrameSequence.mirrors}. */
export function withMirrors(sequences: readonly FrameSequence[]): readonly FrameSequence[] {
  return sequences.flatMap((sequence) => [sequence, ...(sequence.mirrors ?? []).map((name) => mirrorSequence(sequence, name))])
}

/** The mirror image of a sequence, left to right: pixels, offsets, anchor, borders and boxes. */
function mirrorSequence({ mirrors: _, ...sequence }: FrameSequence, name: string): FrameSequence {
  const { anchor, borders } = sequence
  const rename = (frame: string): string => `${name}${frame.slice(sequence.name.length)}`
  return {
    ...sequence,
    name,
    frames: sequence.frames.map((frame) => mirrorFrame(frame, rename(frame.name))),
    play: sequence.play.map(rename),
    ...(anchor ? { anchor: { x: 1 - anchor.x, y: anchor.y } } : {}),
    ...(borders ? { borders: { ...borders, left: borders.right, right: borders.left } } : {}),
  }
}

function mirrorFrame(frame: Frame, name: string): Frame {
  const { x, width, ...place } = canvasOf(frame)
  const canvas = frame.canvas && { ...place, width, x: width - x - frame.bitmap.width }
  const boxes = frame.boxes && mapBoxes(frame.boxes, ([left, ...box]) => [width - left - box[1], ...box])
  return { ...frame, name, bitmap: flip(frame.bitmap), ...(canvas ? { canvas } : {}), ...(boxes ? { boxes } : {}) }
}

/** Returns a copy of a picture, mirrored left to right. */
function flip({ width, height, data }: Bitmap): Bitmap {
  const flipped = createBitmap(width, height)
  for (let at = 0; at < data.length; at += 4) {
    const column = (at / 4) % width
    flipped.data.set(data.subarray(at, at + 4), at + 4 * (width - 1 - 2 * column))
  }
  return flipped
}
