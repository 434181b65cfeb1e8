import { inspectQuality } from '../../../atlas/quality/quality.ts'
import { drawClean } from './clean.ts'
import { drawFrames, drawPlanted } from './planted.ts'
import type { Style } from './shapes.ts'

/** What the quality check says of the animations of a set. */
export interface Table {
  /** Clean animations that it flags, with the faults. */
  readonly flagged: readonly string[]
  /** Planted faults that it does not find by their name and place. */
  readonly missed: readonly string[]
}

/** Checks the 29 clean and the 28 faulty animations of a seed. */
export function checkTable(seed: number, style: Style): Table {
  return {
    flagged: drawClean(seed).flatMap((clean) => {
      const { flags } = inspectQuality(drawFrames(clean, style), { loop: clean.isLoop })
      return flags.length === 0 ? [] : [`${clean.name}: ${flags.map(({ fault }) => fault).join(', ')}`]
    }),
    missed: drawPlanted(seed, style).flatMap(({ name, fault, isLoop, frames, at }) => {
      const { flags } = inspectQuality(frames, { loop: isLoop })
      return flags.some((flag) => flag.fault === fault && flag.frames.some((frame) => at.includes(frame))) ? [] : [name]
    }),
  }
}
