import { median } from './colour.ts'
import { agree, quantile, seamStep, standOut, withoutBeat } from './course.ts'
import { qualityLimits } from './limits.ts'
import type { FrameMeasure } from './measure.ts'
import type { Finding, Inspected, QualityFault } from './report.ts'
import { difference } from './samples.ts'

/** Faults that show only where frames follow each other. Blank frames are left out: what is before and after them are neighbours. */
export function checkMotion(
  inspected: Inspected,
): Readonly<Record<Extract<QualityFault, 'foot-line' | 'body-anchor' | 'scale' | 'loop-seam' | 'duplicate'>, Finding>> {
  const { present } = inspected
  // Where the first or the last frame is left out, nobody can say how the loop closes.
  const isClosed = inspected.isClosed && present[0] === 0 && present.at(-1) === inspected.measures.length - 1
  const shown = present.map((at) => inspected.measures[at]!)
  const toFrames = (finding: Finding): Finding => ({ ...finding, frames: finding.frames.map((at) => present[at]!) })
  const { down, across } = shiftsOf(shown, isClosed)
  const steps = stepsOf(shown, isClosed)
  return {
    'foot-line': toFrames(shiftFinding(down, Math.max(qualityLimits.leastShiftPx, qualityLimits.footLine * figureSize(shown)))),
    'body-anchor': toFrames(shiftFinding(across, Math.max(qualityLimits.leastShiftPx, qualityLimits.bodyAnchor * figureSize(shown)))),
    scale: toFrames(checkScale(shown, isClosed)),
    'loop-seam': toFrames(checkSeam(steps, isClosed)),
    duplicate: toFrames(checkDuplicates(shown, steps, isClosed)),
  }
}

/** How far the whole figure of each frame stands out from its neighbours, and how far it creeps over the loop. Pixels; down and right are positive. */
export interface Shifts {
  readonly jumps: readonly number[]
  /** What the first frame is too far from the last. */
  readonly creep: number
  readonly isClosed: boolean
  /** Whether even jumps may be the beat of a gait: feet leave the ground by turns, nothing steps aside by turns. */
  readonly mayBeat: boolean
}

/**
 * Finds where the whole figure moves as one, against what comes before and after. Feet, head and centre of mass must move alike: a bobbing body on standing
 * feet, an arm or a tail move only some of them.
 */
export function shiftsOf(measures: readonly FrameMeasure[], isClosed: boolean): { readonly down: Shifts; readonly across: Shifts } {
  const course = (value: (measure: FrameMeasure) => number): { values: number[]; isClosed: boolean } => ({
    values: measures.map(value),
    isClosed,
  })
  const foot = course((measure) => measure.foot)
  const centreY = course((measure) => measure.centreY)
  const down = [foot, course(({ head }) => head), centreY]
  const across = [course(({ core }) => core), course(({ left, right }) => (left + right) / 2), course(({ centreX }) => centreX)]
  // Heads bob too much to be asked about a creep; feet that stand tell it best, and the body must not go the other way.
  const sinks = seamStep(foot)
  const isWhole = sinks * (centreY.values[0]! - centreY.values.at(-1)!) > 0
  return {
    down: { jumps: agree(down.map(standOut)), creep: isWhole ? sinks : 0, isClosed, mayBeat: true },
    across: { jumps: agree(across.map(standOut)), creep: agree(across.map((one) => [seamStep(one)]))[0]!, isClosed, mayBeat: false },
  }
}

/** Size of the figure in pixels: the median of the geometric means of width and height. */
export function figureSize(measures: readonly FrameMeasure[]): number {
  return median(measures.map(({ left, right, head, foot }) => Math.sqrt((right - left + 1) * (foot - head + 1))))
}

/** Places that jump by a limit or more and are no beat of a gait. */
export function jumpsOver({ jumps, isClosed, mayBeat }: Shifts, limit: number): number[] {
  return withoutBeat(
    jumps.flatMap((by, at) => (Math.abs(by) >= limit ? [at] : [])),
    jumps,
    isClosed && mayBeat,
  )
}

function shiftFinding(shifts: Shifts, limit: number): Finding {
  const places = jumpsOver(shifts, limit)
  const last = shifts.jumps.length - 1
  // A jump beside the seam is no creep.
  const creep = places.some((at) => at < 2 || at > last - 2) ? 0 : Math.abs(shifts.creep)
  const beat = shifts.jumps.map((by, at) => (Math.abs(by) >= limit && !places.includes(at) ? 0 : Math.abs(by)))
  return {
    value: Math.max(0, ...beat, creep),
    limit,
    frames: creep >= limit ? [...places, last] : places,
  }
}

/** Area, spread, width and height must grow alike: squash and stretch keep the area, a raised arm keeps the spread. */
function checkScale(measures: readonly FrameMeasure[], isClosed: boolean): Finding {
  const limit = qualityLimits.scale
  const log = (value: (measure: FrameMeasure) => number): number[] => measures.map((measure) => Math.log(Math.max(1e-9, value(measure))))
  const rows = [
    log(({ area }) => Math.sqrt(area)),
    log(({ spread }) => spread),
    log(({ left, right }) => right - left + 1),
    log(({ head, foot }) => foot - head + 1),
  ]
  const jumps = agree(rows.map((values) => standOut({ values, isClosed }))).map(Math.abs)
  const creep = Math.abs(agree(rows.map((values) => [seamStep({ values, isClosed })]))[0]!)
  const frames = jumps.flatMap((by, at) => (by >= limit ? [at] : []))
  return { value: Math.max(0, ...jumps, creep), limit, frames: creep >= limit ? [...frames, measures.length - 1] : frames }
}

/** What changes from each frame to the next (of a closed course from the last to the first too): percent of what both show. */
function stepsOf(measures: readonly FrameMeasure[], isClosed: boolean): number[] {
  const count = measures.length
  return measures.flatMap((measure, at) =>
    at + 1 < count || (isClosed && count > 2) ? [difference(measure.thumb, measures[(at + 1) % count]!.thumb)] : [],
  )
}

function checkSeam(steps: readonly number[], isClosed: boolean): Finding {
  const limit = qualityLimits.loopSeam
  const inner = steps.slice(0, -1)
  const usual = quantile(inner, 0.75)
  if (!isClosed || inner.length < 3 || usual === 0) return { value: 0, limit, frames: [] }
  const value = steps.at(-1)! / usual
  return { value, limit, frames: value >= limit ? [0, steps.length - 1] : [] }
}

/** A picture twice is a stutter only in the middle of a motion: where the steps before and after are usual ones. */
function checkDuplicates(measures: readonly FrameMeasure[], steps: readonly number[], isClosed: boolean): Finding {
  const usual = quantile(steps, 0.5)
  const isStill = (step: number): boolean => step <= qualityLimits.duplicate * usual
  // Where holds are a part of the style, nothing is a stutter.
  const isFine = usual < (measures.every(({ isHard }) => isHard) ? qualityLimits.hardStep : 0.3)
  const mayHold = isFine || steps.filter(isStill).length > measures.length / 3
  const still = mayHold ? [] : steps.flatMap((step, at) => (isStill(step) ? [(at + 1) % measures.length] : []))
  return { value: still.length, limit: 1, frames: isClosed ? still : still.filter((at) => at > 0) }
}
