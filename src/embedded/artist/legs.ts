import type { Box } from '../../../atlas/frames/trim.ts'
import type { Bitmap } from '../../../atlas/index.ts'

/** Minimum alpha of a pixel of the figure. */
const SOLID = 40

/** One leg: a separate foot with a gap beside it that closes further up. */
export type Leg = ReturnType<typeof findLegs>[number]

/** Whether a pixel is inside the picture and belongs to the figure. */
export function isSolid(bitmap: Bitmap, x: number, y: number): boolean {
  return x >= 0 && y >= 0 && x < bitmap.width && y < bitmap.height && bitmap.data[(y * bitmap.width + x) * 4 + 3]! >= SOLID
}

/**
 * Finds the legs. A foot is a separate run of pixels just above the foot line. The gap beside it closes
 * further up, at the crotch.
 */
export function findLegs(bitmap: Bitmap, box: Box) {
  const height = box.bottom - box.top
  const row = box.bottom - 1 - Math.max(1, Math.round(height * 0.045))
  const feet = runsOf(bitmap, row, box).filter((run) => run.to - run.from >= Math.max(2, height * 0.03))
  const gaps: Gap[] = []
  for (let i = 1; i < feet.length; i++) {
    const gap = followGap(bitmap, row, feet[i - 1]!.to, feet[i]!.from, box)
    const rise = gap === undefined ? 0 : (box.bottom - gap.top) / height
    if (gap === undefined || rise < 0.09 || rise > 0.55) return []
    gaps.push(gap)
  }
  if (gaps.length === 0 || gaps.length > 5) return []
  const reach = Math.round(height * 0.05)
  return feet.map((foot, i) => {
    const [before, after] = [gaps[i - 1], gaps[i]]
    const left = before?.middle ?? outerEdge(bitmap, after!.middle, -1, foot.from - reach)
    const right = after?.middle ?? outerEdge(bitmap, before!.middle, 1, foot.to + reach)
    const hip = Math.max(before?.top ?? 0, after?.top ?? 0)
    const mate = feet.length % 2 === 0 ? feet[i ^ 1]! : foot
    const footX = (foot.from + foot.to) / 2
    return {
      /**
       * The leg's columns in each row of the picture; `left` is inclusive, `right` exclusive. Gaps are seldom
       * straight.
       */
      left,
      right,
      /** Row of the crotch. Above it, the leg belongs to the body. */
      hip,
      /** Middle of the foot, px. */
      footX,
      /** Middle of the leg's pair, px. The foot steps about it. */
      homeX: (footX + (mate.from + mate.to) / 2) / 2,
      /** Offset in the step cycle, 0 to 1. */
      phase: feet.length === 3 ? i / 3 : ((i % 2) * 0.5 + (i >> 1) * 0.35) % 1,
      /** Mean brightness. The darkest leg is the far one and is drawn first. */
      shade: shadeOf(bitmap, left, right, hip, box.bottom),
    }
  })
}

interface Run {
  from: number
  to: number
}

function runsOf(bitmap: Bitmap, row: number, box: Box): Run[] {
  const runs: Run[] = []
  for (let x = box.left; x < box.right; x++) {
    if (!isSolid(bitmap, x, row)) continue
    const last = runs[runs.length - 1]
    if (last !== undefined && last.to >= x - 1) last.to = x + 1
    else runs.push({ from: x, to: x + 1 })
  }
  return runs
}

/**
 * Outer edge of the first or last leg: the end of its run of pixels in each row, but not beyond `bound`. An
 * object that hangs beside the leg does not belong to it.
 */
function outerEdge(bitmap: Bitmap, gap: Int16Array, step: 1 | -1, bound: number): Int16Array {
  const isShort = (x: number): boolean => (step === 1 ? x < bound : x > bound)
  return gap.map((middle, y) => {
    let x = middle
    while (isShort(x) && !isSolid(bitmap, x, y)) x += step
    while (isShort(x) && isSolid(bitmap, x, y)) x += step
    return isShort(x) ? x + (step === 1 ? 2 : -1) : bound
  })
}

interface Gap {
  /** Middle of the gap in each row. Rows above the crotch repeat the crotch's middle. */
  readonly middle: Int16Array
  /** First row of the gap. */
  readonly top: number
}

/**
 * Follows a gap down to the foot line and up to its closed end. Returns `undefined` if the gap opens to the
 * outside.
 */
function followGap(bitmap: Bitmap, row: number, from: number, to: number, box: Box): Gap | undefined {
  const middle = new Int16Array(bitmap.height).fill((from + to) >> 1)
  let gap: Run | undefined = { from, to }
  for (let y = row + 1; y < box.bottom && gap !== undefined; y++) {
    gap = widestGap(bitmap, y, gap)
    if (gap !== undefined) middle.fill((Math.max(gap.from, from - 8) + Math.min(gap.to, to + 8)) >> 1, y)
  }
  gap = { from, to }
  for (let y = row - 1; y > box.top; y--) {
    gap = widestGap(bitmap, y, gap)
    if (gap === undefined) return { middle, top: y + 1 }
    if (gap.from <= 0 || gap.to >= bitmap.width) return undefined
    middle.fill((gap.from + gap.to) >> 1, 0, y + 1)
  }
  return undefined
}

/** The widest clear run of a row that touches the columns of `near`, in its full width. */
function widestGap(bitmap: Bitmap, y: number, near: Run): Run | undefined {
  let best: Run | undefined
  for (let x = near.from; x < near.to; x++) {
    if (isSolid(bitmap, x, y)) continue
    const run = { from: x, to: x }
    while (run.from > 0 && !isSolid(bitmap, run.from - 1, y)) run.from--
    while (run.to < bitmap.width && !isSolid(bitmap, run.to, y)) run.to++
    if (best === undefined || run.to - run.from > best.to - best.from) best = run
    x = run.to
  }
  return best
}

function shadeOf(bitmap: Bitmap, left: Int16Array, right: Int16Array, top: number, bottom: number): number {
  let sum = 0
  let count = 0
  for (let y = top; y < bottom; y++)
    for (let x = left[y]!; x < right[y]!; x++) {
      if (!isSolid(bitmap, x, y)) continue
      const at = (y * bitmap.width + x) * 4
      sum += bitmap.data[at]! * 0.3 + bitmap.data[at + 1]! * 0.59 + bitmap.data[at + 2]! * 0.11
      count++
    }
  return count === 0 ? 0 : sum / count
}
