import { isOneColour, median } from './colour.ts'
import { commonJumps, commonShift, isTravel, quantile, type Series, seamStep, withoutBeat } from './course.ts'
import { qualityLimits } from './limits.ts'
import type { FrameMeasure } from './measure.ts'
import { broadIn } from './pictures.ts'
import type { Finding, Inspected, QualityFault } from './report.ts'
import { difference } from './samples.ts'

/**
 * Finds faults that show only between frames. Blank frames are skipped, so that the frames before and after a blank
 * frame are neighbours.
 */
export function checkMotion(
  inspected: Inspected,
): Readonly<Record<Extract<QualityFault, 'foot-line' | 'body-anchor' | 'scale' | 'loop-seam' | 'duplicate'>, Finding>> {
  const { present } = inspected
  const shown = present.map((at) => inspected.measures[at]!)
  // If the first or the last frame is skipped, the step that closes the loop is unknown.
  const isClosed = closes(shown, inspected.isClosed) && present[0] === 0 && present.at(-1) === inspected.measures.length - 1
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

/** Whether the first frame follows the last. A figure that crosses the canvas starts again, so it has no seam. */
export function closes(measures: readonly FrameMeasure[], isClosed: boolean): boolean {
  const far = figureSize(measures) / 2
  return (
    isClosed && ![measures.map(({ centreX }) => centreX), measures.map(({ centreY }) => centreY)].some((values) => isTravel(values, far))
  )
}

/**
 * The displacement of each frame's whole figure from its neighbours, and its creep over the loop. Pixels; down and
 * right are positive.
 */
export interface Shifts {
  readonly jumps: readonly number[]
  /** Extra distance between the last frame and the first. */
  readonly creep: number
  readonly isClosed: boolean
  /**
   * Whether evenly spaced jumps may be the beat of a gait. Feet leave the ground in a rhythm, but do not step sideways
   * in a rhythm.
   */
  readonly mayBeat: boolean
}

/**
 * Share of a jump that the motion must not explain. In a bounce of six frames, the share is two fifths. Gaits go up and
 * down in few frames, so they need a lower share than sideways motions. In a lunge, the share is three fifths.
 */
const OFF = { down: 0.42, across: 0.67, scale: 0.67 } as const

/**
 * Finds frames in which the whole figure is displaced. Feet, head and centre of mass must be displaced equally,
 * because a bobbing body, an arm or a tail moves only some of them.
 */
export function shiftsOf(measures: readonly FrameMeasure[], isClosed: boolean): { readonly down: Shifts; readonly across: Shifts } {
  const series = (value: (measure: FrameMeasure) => number): Series => ({ values: measures.map(value), isClosed })
  const foot = series((measure) => measure.foot)
  const centreY = series((measure) => measure.centreY)
  const down = [centreY, foot, series(({ head }) => head)]
  const centreX = series((measure) => measure.centreX)
  const core = series((measure) => measure.core)
  const across = [centreX, core, series(({ left, right }) => (left + right) / 2)]
  // Heads bob and arms swing too much to measure a creep. One measure is enough, if another does not go the other way.
  const creepOf = (measured: Series, { values }: Series): number => {
    const creep = seamStep(measured)
    return creep * (values[0]! - values.at(-1)!) > 0 ? creep : 0
  }
  return {
    down: { jumps: commonJumps(down, OFF.down, 2), creep: creepOf(foot, centreY), isClosed, mayBeat: true },
    across: { jumps: commonJumps(across, OFF.across, 2), creep: creepOf(centreX, core), isClosed, mayBeat: false },
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
 * Checks the scale. Area, spread and height must all grow, because squash and stretch keep the area, and a raised arm
 * keeps the spread. The width does not count, because legs swing. A figure seen from its edge does not count either.
 */
function checkScale(measures: readonly FrameMeasure[], isClosed: boolean): Finding {
  const limit = qualityLimits.scale
  const log = (value: (measure: FrameMeasure) => number): number[] => measures.map((measure) => Math.log(Math.max(1e-9, value(measure))))
  const rows = [log(({ area }) => Math.sqrt(area)), log(({ spread }) => spread), log(({ head, foot }) => foot - head + 1)]
  const broad = new Set(broadIn(measures, [...measures.keys()]))
  // An explosion has no usual size.
  const usual = median(rows[0]!.slice(1).map((value, at) => Math.abs(value - rows[0]![at]!)))
  const jumps = commonJumps(
    rows.map((values) => ({ values, isClosed })),
    OFF.scale,
    1,
  ).map((by, at) => (broad.has(at) && Math.abs(by) > usual ? Math.abs(by) : 0))
  const creep = Math.abs(commonShift(rows.map((values) => [seamStep({ values, isClosed })]))[0]!)
  const frames = jumps.flatMap((by, at) => (by >= limit ? [at] : []))
  return { value: Math.max(0, ...jumps, creep), limit, frames: creep >= limit ? [...frames, measures.length - 1] : frames }
}

/**
 * Difference of each frame to the next, in percent of the visible content of both. A closed sequence also has the
 * step from the last frame to the first.
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
  const largest = Math.max(0, ...inner)
  if (!isClosed || inner.length < 3 || largest === 0) return { value: 0, limit, frames: [] }
  const value = steps.at(-1)! / largest
  return { value, limit, frames: value >= limit ? [0, steps.length - 1] : [] }
}

/**
 * Finds repeated pictures. They are a fault only in the middle of a loop: the steps before and after must have a usual
 * size and continue in one direction, because pictures also repeat when a motion turns back. An animation that plays
 * once holds its poses.
 */
function checkDuplicates(measures: readonly FrameMeasure[], steps: readonly number[], isClosed: boolean): Finding {
  const count = measures.length
  const frameAt = (at: number): FrameMeasure => measures[(at + count) % count]!
  const usual = quantile(steps, 0.5)
  const isStill = (at: number): boolean =>
    steps[at]! <= qualityLimits.duplicate * usual && isOneColour(frameAt(at).colours, frameAt(at + 1).colours, qualityLimits.palette)
  const still = steps.flatMap((_, at) => (isStill(at) ? [at] : []))
  // If holds are part of the style, or a motion is too fine for hard pixels, a repeated picture is no fault.
  const mayHold = !isClosed || usual < (measures.every(({ isHard }) => isHard) ? qualityLimits.hardStep : 0.3) || still.length > count / 3
  const isStutter = (at: number): boolean => {
    const [before = 0, after = 0] = [at - 1, at + 1].map((step) => steps[(step + count) % count])
    const ahead = difference(frameAt(at - 1).thumb, frameAt(at + 2).thumb)
    return Math.min(before, after) >= usual / 4 && ahead >= Math.max(before, after) * 0.3
  }
  const frames = mayHold ? [] : still.filter(isStutter).map((at) => (at + 1) % count)
  return { value: frames.length, limit: 1, frames }
}
