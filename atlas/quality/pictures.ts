import { colourShifts, colourSpread, median, NEAR } from './colour.ts'
import { qualityLimits } from './limits.ts'
import type { FrameMeasure } from './measure.ts'
import type { Finding, Inspected, QualityFault } from './report.ts'

/** Indices of the frames with a solid figure. Leftover background counts as a figure, but a faded figure does not. */
export function presentIn(measures: readonly FrameMeasure[]): number[] {
  const usual = median(measures.map(({ area }) => area))
  return measures.flatMap(({ area }, at) => (area > qualityLimits.blank * usual ? [at] : []))
}

/**
 * Indices of the frames that are wide and high enough to be compared with the others. A coin that spins is thin
 * when its edge faces the viewer.
 */
export function broadIn(measures: readonly FrameMeasure[], present: readonly number[]): number[] {
  const width = ({ left, right }: FrameMeasure): number => right - left + 1
  const height = ({ head, foot }: FrameMeasure): number => foot - head + 1
  const usual = [width, height].map((side) => median(present.map((at) => side(measures[at]!))))
  return present.filter((at) => width(measures[at]!) >= usual[0]! / 2 && height(measures[at]!) >= usual[1]! / 2)
}

/** Finds faults that show in a single frame, compared with the others. */
export function checkPictures(
  inspected: Inspected,
): Readonly<Record<Extract<QualityFault, 'palette' | 'halo' | 'background' | 'blank' | 'cut-off'>, Finding>> {
  const { measures, present, isCutOut } = inspected
  const none = (limit: number): Finding => ({ value: 0, limit, frames: [] })
  return {
    palette: checkPalette(inspected),
    halo: isCutOut
      ? over(
          present.map((at) => [at, measures[at]!.rim]),
          qualityLimits.halo,
        )
      : none(qualityLimits.halo),
    background: isCutOut ? checkBackground(measures) : none(qualityLimits.background),
    blank: checkBlank(inspected),
    'cut-off': isCutOut ? checkContacts(inspected) : none(qualityLimits.leastContactPx),
  }
}

/**
 * Checks the colours. If colours are missing in more than a third of the frames, this belongs to the motion: a spin,
 * a hit, a fade. In a slow drift they stay near. Flashes, in which all colours come nearer to one colour, are skipped,
 * and so are frames in a fade.
 */
function checkPalette({ measures, present }: Inspected): Finding {
  const limit = qualityLimits.palette
  const spreads = measures.map(({ colours }) => colourSpread(colours))
  const usual = median(present.map((at) => spreads[at]!))
  const broad = broadIn(measures, present).filter((at) => !measures[at]!.isFaint && spreads[at]! > usual * qualityLimits.flash)
  const shifts = colourShifts(
    broad.map((at) => measures[at]!.colours),
    limit,
  )
  const found = over(
    broad.map((at, i) => [at, shifts[i]!]),
    limit,
  )
  return found.value > NEAR - 1 && found.frames.length > present.length / 3 ? { value: 0, limit, frames: [] } : found
}

/** Finds frames without content, except at the end of a fade in a sequence that does not loop. */
function checkBlank({ measures, isClosed }: Inspected): Finding {
  const contents = measures.map(({ thumb }) => thumb.total)
  const usual = median(contents)
  const blank = contents.flatMap((content, at) => (content > qualityLimits.blank * usual ? [] : [at]))
  const shown = contents.flatMap((_, at) => (blank.includes(at) ? [] : [at]))
  const [first = 0, last = -1] = [shown[0], shown.at(-1)]
  const isFaded = (at: number): boolean => !isClosed && contents[at]! < qualityLimits.faded * usual
  const frames = blank.filter((at) => !((at < first && isFaded(first)) || (at > last && last >= 0 && isFaded(last))))
  return { value: frames.length, limit: 1, frames }
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

/** Finds cut-off figures. If most frames touch the lower edge, this edge is the ground and does not count. */
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
