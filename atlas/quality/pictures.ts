import { colourShifts, median } from './colour.ts'
import { qualityLimits } from './limits.ts'
import type { FrameMeasure } from './measure.ts'
import type { Finding, Inspected, QualityFault } from './report.ts'

/** Indices of the frames that are not blank. Leftover background counts as content. */
export function presentIn(measures: readonly FrameMeasure[]): number[] {
  const usual = median(measures.map(({ area }) => area))
  return measures.flatMap(({ area }, at) => (area > qualityLimits.blank * usual ? [at] : []))
}

/** Finds faults that show in a single frame, compared with the others. */
export function checkPictures(
  inspected: Inspected,
): Readonly<Record<Extract<QualityFault, 'palette' | 'halo' | 'background' | 'blank' | 'cut-off'>, Finding>> {
  const { measures, present, isCutOut } = inspected
  const none = (limit: number): Finding => ({ value: 0, limit, frames: [] })
  const shifts = colourShifts(
    present.map((at) => measures[at]!.colours),
    inspected.isClosed,
    qualityLimits.palette,
  )
  const shown = presentIn(measures)
  return {
    palette: over(
      present.map((at, i) => [at, shifts[i]!]),
      qualityLimits.palette,
    ),
    halo: isCutOut
      ? over(
          present.map((at) => [at, measures[at]!.rim]),
          qualityLimits.halo,
        )
      : none(qualityLimits.halo),
    background: isCutOut ? checkBackground(measures) : none(qualityLimits.background),
    blank: { value: measures.length - shown.length, limit: 1, frames: measures.flatMap((_, at) => (shown.includes(at) ? [] : [at])) },
    'cut-off': isCutOut ? checkContacts(inspected) : none(qualityLimits.leastContactPx),
  }
}

function over(values: readonly (readonly [at: number, value: number])[], limit: number): Finding {
  return {
    value: Math.max(0, ...values.map(([, value]) => value)),
    limit,
    frames: values.flatMap(([at, value]) => (value >= limit ? [at] : [])),
  }
}

/** Finds frames whose canvas edge is covered. */
export function checkBackground(measures: readonly FrameMeasure[]): Finding {
  return over(
    measures.map(({ border }, at) => [at, border]),
    qualityLimits.background,
  )
}

/** The figure may stand on the lower edge: if most frames touch it, it is the ground. */
function checkContacts({ measures, present }: Inspected): Finding {
  const first = measures[0]!
  const least = Math.max(qualityLimits.leastContactPx, qualityLimits.cutOff * Math.max(first.width, first.height))
  const isStanding = present.filter((at) => measures[at]!.contacts[2] > 0).length > 0.6 * present.length
  const sides = isStanding ? ([0, 1, 3] as const) : ([0, 1, 2, 3] as const)
  return over(
    present.map((at) => [at, Math.max(...sides.map((side) => measures[at]!.contacts[side]))]),
    least,
  )
}
