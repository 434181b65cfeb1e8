import { median } from './colour.ts'
import { commonShift, jumpsOf, quantile, seamStep, withoutBeat } from './course.ts'
import { qualityLimits } from './limits.ts'
import type { FrameMeasure } from './measure.ts'
import { broadIn } from './pictures.ts'
import type { Finding, Inspected, QualityFault } from './report.ts'
import { difference } from './samples.ts'

/**
 * Finds faults that show only between frames. Blank frames are skipped: the frames before and after one are
 * neighbours.
 */
export function checkMotion(
  inspected: Inspected,
): Readonly<Record<Extract<QualityFault, 'foot-line' | 'body-anchor' | 'scale' | 'loop-seam' | 'duplicate'>, Finding>> {
  const { present } = inspected
  // If the first or the last frame is skipped, the step that closes the loop is unknown.
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

/**
 * How far the whole figure of each frame is displaced from its neighbours, and how far it creeps over the
 * loop. Pixels; down and right are positive.
 */
export interface Shifts {
  readonly jumps: readonly number[]
  /** Extra distance between the last frame and the first. */
  readonly creep: number
  readonly isClosed: boolean
  /**
   * Whether evenly spaced jumps may be the beat of a gait. Feet leave the ground in a rhythm; nothing steps
   * sideways in one.
   */
  readonly mayBeat: boolean
}

/**
 * Finds frames in which the whole figure is displaced. Feet, head and centre of mass must be displaced alike:
 * a bobbing body, an arm or a tail moves only some of them.
 */
export function shiftsOf(measures: readonly FrameMeasure[], isClosed: boolean): { readonly down: Shifts; readonly across: Shifts } {
  const series = (value: (measure: FrameMeasure) => number): { values: number[]; isClosed: boolean } => ({
    values: measures.map(value),
    isClosed,
  })
  const foot = series((measure) => measure.foot)
  const centreY = series((measure) => measure.centreY)
  const down = [foot, series(({ head }) => head), centreY]
  const across = [series(({ core }) => core), series(({ left, right }) => (left + right) / 2), series(({ centreX }) => centreX)]
  // The head bobs too much to measure a creep. The feet measure it best, and the body must not move the other
  // way.
  const creepDown = seamStep(foot)
  const isWhole = creepDown * (centreY.values[0]! - centreY.values.at(-1)!) > 0
  return {
    down: { jumps: commonShift(down.map(jumpsOf)), creep: isWhole ? creepDown : 0, isClosed, mayBeat: true },
    across: {
      jumps: commonShift(across.map(jumpsOf)),
      creep: commonShift(across.map((one) => [seamStep(one)]))[0]!,
      isClosed,
      mayBeat: false,
    },
  }
}

/** Size of the figure in pixels: the median of the geometric means of width and height. */
export function figureSize(measures: readonly FrameMeasure[]): number {
  return median(measures.map(({ left, right, head, foot }) => Math.sqrt((right - left + 1) * (foot - head + 1))))
}

/** Returns the frames that jump by at least the limit and are not the beat of a gait. */
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
  // A jump near the seam also changes the creep, so the creep does not count then.
  const creep = places.some((at) => at < 2 || at > last - 2) ? 0 : Math.abs(shifts.creep)
  const beat = shifts.jumps.map((by, at) => (Math.abs(by) >= limit && !places.includes(at) ? 0 : Math.abs(by)))
  return {
    value: Math.max(0, ...beat, creep),
    limit,
    frames: creep >= limit ? [...places, last] : places,
  }
}

/**
 * Area, spread, width and height must all grow: squash and stretch keep the area, a raised arm keeps the
 * spread. A figure that is seen from its edge does not count.
 */
function checkScale(measures: readonly FrameMeasure[], isClosed: boolean): Finding {
  const limit = qualityLimits.scale
  const log = (value: (measure: FrameMeasure) => number): number[] => measures.map((measure) => Math.log(Math.max(1e-9, value(measure))))
  const rows = [
    log(({ area }) => Math.sqrt(area)),
    log(({ spread }) => spread),
    log(({ left, right }) => right - left + 1),
    log(({ head, foot }) => foot - head + 1),
  ]
  const broad = new Set(broadIn(measures, [...measures.keys()]))
  const jumps = commonShift(rows.map((values) => jumpsOf({ values, isClosed }))).map((by, at) => (broad.has(at) ? Math.abs(by) : 0))
  const creep = Math.abs(commonShift(rows.map((values) => [seamStep({ values, isClosed })]))[0]!)
  const frames = jumps.flatMap((by, at) => (by >= limit ? [at] : []))
  return { value: Math.max(0, ...jumps, creep), limit, frames: creep >= limit ? [...frames, measures.length - 1] : frames }
}

/**
 * Difference of each frame to the next, in percent of the visible content of both. A closed sequence has the
 * step from the last frame to the first too.
 */
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

/**
 * A repeated picture is a fault only in the middle of a motion: the steps before and after must be usual
 * ones.
 */
function checkDuplicates(measures: readonly FrameMeasure[], steps: readonly number[], isClosed: boolean): Finding {
  const usual = quantile(steps, 0.5)
  const isStill = (step: number): boolean => step <= qualityLimits.duplicate * usual
  // If holds are part of the style, a repeated picture is no fault.
  const isFine = usual < (measures.every(({ isHard }) => isHard) ? qualityLimits.hardStep : 0.3)
  const mayHold = isFine || steps.filter(isStill).length > measures.length / 3
  const still = mayHold ? [] : steps.flatMap((step, at) => (isStill(step) ? [(at + 1) % measures.length] : []))
  return { value: still.length, limit: 1, frames: isClosed ? still : still.filter((at) => at > 0) }
}
