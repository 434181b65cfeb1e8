/** The colours of a frame, grouped into bins. An index means the same bin in all columns. */
export interface FrameColours {
  readonly bins: Int32Array
  /** Pixels of each bin. */
  readonly counts: Int32Array
  /** Mean colour of each bin: red, green, blue, 0 to 255; three numbers per bin. */
  readonly means: Float64Array
}

/** Red, green, blue, 0 to 255. */
type Colour = readonly [red: number, green: number, blue: number]

/** Number of bins: 16 steps per channel. */
const BINS = 4096

/** Counters for all bins. */
export interface ColourCount {
  readonly counts: Int32Array
  /** Three numbers per bin. */
  readonly sums: Int32Array
  /** Bins that are not empty, in order of their first pixel. */
  readonly bins: Int32Array
  /** Number of those bins. */
  used: number
}

/** Returns empty counters. */
export function countColours(): ColourCount {
  return { counts: new Int32Array(BINS), sums: new Int32Array(3 * BINS), bins: new Int32Array(BINS), used: 0 }
}

/** Counts a pixel (`0xAABBGGRR`). */
export function countColour(into: ColourCount, pixel: number): void {
  const { counts, sums } = into
  const red = pixel & 255
  const green = (pixel >>> 8) & 255
  const blue = (pixel >>> 16) & 255
  const bin = ((red & 240) << 4) | (green & 240) | (blue >>> 4)
  if (counts[bin]!++ === 0) into.bins[into.used++] = bin
  sums[3 * bin]! += red
  sums[3 * bin + 1]! += green
  sums[3 * bin + 2]! += blue
}

/** Returns the counted colours and resets the counters. */
export function takeColours(from: ColourCount): FrameColours {
  const bins = from.bins.slice(0, from.used)
  const counts = new Int32Array(bins.length)
  const means = new Float64Array(3 * bins.length)
  for (let at = 0; at < bins.length; at++) {
    const bin = bins[at]!
    const count = from.counts[bin]!
    counts[at] = count
    means[3 * at] = from.sums[3 * bin]! / count
    means[3 * at + 1] = from.sums[3 * bin + 1]! / count
    means[3 * at + 2] = from.sums[3 * bin + 2]! / count
    from.counts[bin] = 0
    from.sums.fill(0, 3 * bin, 3 * bin + 3)
  }
  from.used = 0
  return { bins, counts, means }
}

/** Number of tracked colours of a sequence, and the share of a frame that each colour must fill. */
const TRACKED = 10
const LEAST_SHARE = 0.03
/** Largest distance of a pixel from its tracked colour, in steps. A missing colour counts with this distance. */
export const NEAR = 44

/**
 * Returns the difference of each frame's colours from the colours of the sequence, in steps of 0 to 255.
 *
 * The most common colours of all frames are tracked through the sequence. In each frame the mean of the
 * pixels near such a colour is compared with its median over all frames. The result is the weighted median of
 * the differences: half of the tracked area differs at least as much. An effect or a limb that appears for
 * some frames therefore does not count.
 *
 * If all colour steps are small, including the step from the last frame to the first, the colours pulse like a light,
 * once or in a loop. Then all results are 0.
 *
 * @param enough The check for a pulse runs only if a result is at least this large.
 */
export function colourShifts(frames: readonly FrameColours[], enough: number): number[] {
  const tracked = commonColours(frames).flatMap((centre) => track(frames, centre) ?? [])
  const shifts = frames.map((_, at) =>
    weightedMedian(tracked.map(({ colours, usual, weight }) => ({ by: distance(colours[at]!, usual), weight }))),
  )
  if (frames.length < 5 || Math.max(...shifts) < enough) return shifts
  const between = (at: number, other: number): number =>
    weightedMedian(tracked.map(({ colours, weight }) => ({ by: distance(colours[at]!, colours[other]!), weight })))
  const farthest = shifts.indexOf(Math.max(...shifts))
  const range = Math.max(0, ...frames.map((_, at) => between(farthest, at)))
  const largestStep = Math.max(0, ...frames.map((_, at) => between(at, (at + 1) % frames.length)))
  return largestStep < SMOOTH * range ? shifts.map(() => 0) : shifts
}

/** A pulse has no step larger than this share of its whole range. */
const SMOOTH = 0.6

interface Tracked {
  /** One colour per frame. */
  readonly colours: readonly Colour[]
  readonly usual: Colour
  readonly weight: number
}

function track(frames: readonly FrameColours[], centre: Colour): Tracked | undefined {
  const means = frames.map((frame) => meanNear(frame, centre))
  const here = means.filter((mean) => mean !== undefined)
  if (here.length < frames.length / 2) return undefined
  const channel = (at: 0 | 1 | 2): number => median(here.map((mean) => mean.colour[at]))
  const usual: Colour = [channel(0), channel(1), channel(2)]
  const weight = median(here.map((mean) => mean.count))
  // A missing colour has moved out of range or is covered. It counts as a difference of `NEAR`.
  const gone: Colour = [usual[0] + NEAR, usual[1], usual[2]]
  return { colours: means.map((mean) => (mean === undefined || mean.count < weight / 4 ? gone : mean.colour)), usual, weight }
}

/** Spread of a frame's colours around their mean, without dark outlines. In a flash, the spread is small. */
export function colourSpread(frame: FrameColours): number {
  const mean = meanColour(frame, DARK)
  const squares = meanOver(frame, DARK, (colour) => distance(colour, mean) ** 2)
  return Math.sqrt(squares)
}

/** Whether the mean colours of two frames differ by less than `limit`, in steps of 0 to 255. */
export function isOneColour(a: FrameColours, b: FrameColours, limit: number): boolean {
  return distance(meanColour(a, 0), meanColour(b, 0)) < limit
}

/** Largest value of the brightest channel of a dark outline. */
const DARK = 64

function meanColour(frame: FrameColours, least: number): Colour {
  return [
    meanOver(frame, least, ([red]) => red),
    meanOver(frame, least, ([, green]) => green),
    meanOver(frame, least, ([, , blue]) => blue),
  ]
}

/** The mean of a value over the pixels of a frame whose brightest channel is at least `least`. */
function meanOver({ counts, means }: FrameColours, least: number, value: (colour: Colour) => number): number {
  let sum = 0
  let all = 0
  for (let at = 0; at < counts.length; at++) {
    const colour: Colour = [means[3 * at]!, means[3 * at + 1]!, means[3 * at + 2]!]
    if (Math.max(...colour) < least) continue
    sum += counts[at]! * value(colour)
    all += counts[at]!
  }
  return all === 0 ? 0 : sum / all
}

function commonColours(frames: readonly FrameColours[]): Colour[] {
  const counts = new Int32Array(BINS)
  const sums = new Float64Array(3 * BINS)
  const seen: number[] = []
  let pixels = 0
  for (const { bins, counts: own, means } of frames)
    for (let at = 0; at < bins.length; at++) {
      const bin = bins[at]!
      const count = own[at]!
      if (counts[bin] === 0) seen.push(bin)
      counts[bin]! += count
      pixels += count
      sums[3 * bin]! += count * means[3 * at]!
      sums[3 * bin + 1]! += count * means[3 * at + 1]!
      sums[3 * bin + 2]! += count * means[3 * at + 2]!
    }
  const common = seen.filter((bin) => counts[bin]! >= LEAST_SHARE * pixels)
  const centres: Colour[] = []
  for (const bin of common.sort((a, b) => counts[b]! - counts[a]! || a - b)) {
    if (centres.length === TRACKED) break
    const count = counts[bin]!
    const colour: Colour = [sums[3 * bin]! / count, sums[3 * bin + 1]! / count, sums[3 * bin + 2]! / count]
    if (centres.every((other) => distance(other, colour) > NEAR)) centres.push(colour)
  }
  return centres
}

function meanNear({ bins, counts, means }: FrameColours, [red, green, blue]: Colour): { colour: Colour; count: number } | undefined {
  const [redStep, greenStep, blueStep] = [red >> 4, green >> 4, blue >> 4]
  const sums: [number, number, number] = [0, 0, 0]
  let all = 0
  for (let at = 0; at < bins.length; at++) {
    if (!mayBeNear(bins[at]!, redStep, greenStep, blueStep)) continue
    const place = 3 * at
    if (square(means[place]! - red) + square(means[place + 1]! - green) + square(means[place + 2]! - blue) > NEAR * NEAR) continue
    const count = counts[at]!
    all += count
    sums[0] += count * means[place]!
    sums[1] += count * means[place + 1]!
    sums[2] += count * means[place + 2]!
  }
  return all === 0 ? undefined : { colour: [sums[0] / all, sums[1] / all, sums[2] / all], count: all }
}

/**
 * A fast check in integers: a difference of four bins in one channel is at least 48 steps, which is more than
 * {@link NEAR}. It excludes most bins.
 */
function mayBeNear(bin: number, red: number, green: number, blue: number): boolean {
  const redOff = (bin >> 8) - red
  const greenOff = ((bin >> 4) & 15) - green
  const blueOff = (bin & 15) - blue
  return redOff < 4 && redOff > -4 && greenOff < 4 && greenOff > -4 && blueOff < 4 && blueOff > -4
}

function square(value: number): number {
  return value * value
}

function distance(a: Colour, b: Colour): number {
  return Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
}

/** Returns the median, 0 for no values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

function weightedMedian(all: readonly { readonly by: number; readonly weight: number }[]): number {
  const sorted = [...all].sort((a, b) => a.by - b.by)
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2
  let passed = 0
  for (const { by, weight } of sorted) {
    passed += weight
    if (passed >= half) return by
  }
  return 0
}
