import type { AtlasAnimation } from '../../atlas.ts'

/** One picture of an animation as it is played. */
export interface PlayedFrame {
  readonly name: string
  readonly durationMs: number
}

/** An animation's frames in playing order, for formats that have no word for there and back: the way back is written out, without doubling the ends. */
export function playedFrames({ frames, loop, yoyo }: AtlasAnimation): readonly PlayedFrame[] {
  if (!yoyo) return frames
  return [...frames, ...frames.slice(loop ? 1 : 0, -1).reverse()]
}

/** Whole milliseconds, 1 or more each. The ends are rounded, not the lengths, so that an animation of many frames does not drift. */
export function toWholeMs(durationsMs: readonly number[]): readonly number[] {
  let end = 0
  return durationsMs.map((durationMs) => {
    const start = Math.round(end)
    end += durationMs
    return Math.max(1, Math.round(end) - start)
  })
}
