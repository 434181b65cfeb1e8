import type { Atlas, AtlasAnimation } from '../../atlas.ts'

/** One played frame of an animation. */
export interface PlayedFrame {
  readonly name: string
  readonly durationMs: number
}

/** All animations, and each picture as an animation of one frame, for formats that have only animations. */
export function withStills({ frames, animations }: Pick<Atlas, 'frames' | 'animations'>): readonly AtlasAnimation[] {
  const stills = frames.flatMap(({ name, isStill }): AtlasAnimation[] =>
    isStill ? [{ name, sprite: name.split('/')[0] as string, frames: [{ name, durationMs: 1000 }], fps: 1, loop: false, yoyo: false }] : [],
  )
  return [...animations, ...stills].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * The frames of an animation in playing order, for formats that cannot play backwards: the backward frames are added,
 * without repeating the ends.
 */
export function playedFrames({ frames, loop, yoyo }: AtlasAnimation): readonly PlayedFrame[] {
  if (!yoyo) return frames
  return [...frames, ...frames.slice(loop ? 1 : 0, -1).reverse()]
}

/**
 * Rounds durations to whole milliseconds, at least 1 each. The end times are rounded, not the durations, so that a
 * long animation does not drift.
 */
export function toWholeMs(durationsMs: readonly number[]): readonly number[] {
  let end = 0
  return durationsMs.map((durationMs) => {
    const start = Math.round(end)
    end += durationMs
    return Math.max(1, Math.round(end) - start)
  })
}

/**
 * First duration of each frame by name, for formats with one duration per frame. If a frame plays twice with
 * different durations, the first duration counts.
 */
export function firstDurations(animations: readonly AtlasAnimation[]): ReadonlyMap<string, number> {
  return new Map(animations.flatMap(({ frames }) => frames.map(({ name, durationMs }) => [name, durationMs] as const)).reverse())
}
