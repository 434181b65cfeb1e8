import type { Bitmap } from '../bitmap.ts'
import { measureFrames } from './measure.ts'
import { checkMotion } from './motion.ts'
import { checkBackground, checkPictures, presentIn } from './pictures.ts'
import type { Finding, Inspected, QualityFault, QualityFigures, QualityOptions, QualityReport } from './report.ts'

/**
 * Checks the frames of an animation for faults. Returns a figure for each fault, and a flag for each figure over its
 * limit. Has no side effects, and does not throw for a fault.
 *
 * @param frames In playing order, all of one size.
 */
export function inspectQuality(frames: readonly Bitmap[], options: QualityOptions): QualityReport {
  const measures = measureFrames(frames)
  const isCutOut = options.background !== 'keep'
  const withBackground = new Set(isCutOut ? checkBackground(measures).frames : [])
  const findings = findAll({
    frames,
    measures,
    present: presentIn(measures).filter((at) => !withBackground.has(at)),
    isClosed: options.loop && options.yoyo !== true,
    isCutOut,
  })
  const names = Object.keys(findings) as QualityFault[]
  return {
    figures: Object.fromEntries(names.map((fault) => [fault, findings[fault].value])) as unknown as QualityFigures,
    flags: names.flatMap((fault) => {
      const { value, limit, frames: at } = findings[fault]
      return at.length === 0 ? [] : [{ fault, frames: [...new Set(at)].sort((a, b) => a - b), value, limit }]
    }),
  }
}

function findAll(inspected: Inspected): Readonly<Record<QualityFault, Finding>> {
  return { ...checkMotion(inspected), ...checkPictures(inspected) }
}
