import { colourShifts, median } from './quality-colour.ts'
import { qualityLimits } from './quality-limits.ts'
import type { FrameMeasure } from './quality-measure.ts'
import type { Finding, Inspected, QualityFault } from './quality-report.ts'

/** Places of the frames that show something. */
export function presentIn(measures: readonly FrameMeasure[]): number[] {
  const usual = median(measures.map(({ area }) => area))
  return measures.flatMap(({ area }, at) => (area > qualityLimits.blank * usual ? [at] : []))
}

/** Faults that show in a frame alone, beside the others. */
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
  const background = isCutOut
    ? over(
        measures.map(({ border }, at) => [at, border]),
        qualityLimits.background,
      )
    : none(qualityLimits.background)
  const isGround = new Set(background.frames)
  return {
    palette: over(
      present.map((at, i) => [at, shifts[i]!]),
      qualityLimits.palette,
    ),
    halo: isCutOut
      ? over(
          present.filter((at) => !isGround.has(at)).map((at) => [at, measures[at]!.rim]),
          qualityLimits.halo,
        )
      : none(qualityLimits.halo),
    background,
    blank: { value: measures.length - present.length, limit: 1, frames: measures.flatMap((_, at) => (present.includes(at) ? [] : [at])) },
    'cut-off': isCutOut ? checkContacts(inspected, isGround) : none(qualityLimits.leastContactPx),
  }
}

function over(values: readonly (readonly [at: number, value: number])[], limit: number): Finding {
  return {
    value: Math.max(0, ...values.map(([, value]) => value)),
    limit,
    frames: values.flatMap(([at, value]) => (value >= limit ? [at] : [])),
  }
}

/** The figure may stand on the lower edge: where most frames touch it, that is the ground. */
function checkContacts({ measures, present }: Inspected, isGround: ReadonlySet<number>): Finding {
  const first = measures[0]!
  const least = Math.max(qualityLimits.leastContactPx, qualityLimits.cutOff * Math.max(first.width, first.height))
  const shown = present.filter((at) => !isGround.has(at))
  const standing = shown.filter((at) => measures[at]!.contacts[2] > 0).length > 0.6 * shown.length
  const sides = standing ? ([0, 1, 3] as const) : ([0, 1, 2, 3] as const)
  return over(
    shown.map((at) => [at, Math.max(...sides.map((side) => measures[at]!.contacts[side]))]),
    least,
  )
}
