import { type Frame, type FrameBox, type FrameBoxes, type FrameSequence, findBoxes } from '../../atlas/index.ts'
import { boxesOf } from '../sprite-spec/boxes.ts'
import type { ShareBox } from '../sprite-spec/spec.ts'
import type { CutAnimation } from './frames.ts'
import type { SheetInput } from './sources.ts'

/**
 * Adds the boxes of a spec and of its source to the frames. Shares count from the delivered frame, which `stabilize`
 * may have enlarged.
 *
 * @param cut The frames of the sequence, in the same order.
 */
export function withBoxes(sequence: FrameSequence, { spec, animation }: SheetInput, { frames, room }: CutAnimation): FrameSequence {
  const wanted = frames.map(({ index }) => boxesOf(spec, animation, index))
  const isFound = wanted.some((boxes) => boxes.some(([, rule]) => rule === 'find'))
  const found: readonly Readonly<Partial<FrameBoxes>>[] = isFound ? findBoxes(frames) : []
  const toFrame = (frame: Frame, at: number): Frame => {
    const { width, height } = frame.canvas ?? frame.bitmap
    const [across, down] = [width / (room.width + 2 * room.x), height / (room.height + 2 * room.y)]
    const inPixels = ([x, y, w, h]: ShareBox): FrameBox => [
      (x * room.width + room.x) * across,
      (y * room.height + room.y) * down,
      w * room.width * across,
      h * room.height * down,
    ]
    const boxes = (wanted[at] ?? []).flatMap(([name, rule]) => {
      const all = rule === 'find' ? (found[at]?.[name] ?? []) : rule.map(inPixels)
      return all.length > 0 ? [[name, all] as const] : []
    })
    return boxes.length > 0 ? { ...frame, boxes: Object.fromEntries(boxes) } : frame
  }
  return { ...sequence, frames: sequence.frames.map(toFrame) }
}
