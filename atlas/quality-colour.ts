/** The colours of a frame, grouped: three channels and a number of pixels for each group. */
export interface FrameColours {
  readonly groups: readonly { readonly bin: number; readonly colour: Colour; readonly count: number }[]
}

/** Red, green, blue, 0 to 255. */
type Colour = readonly [red: number, green: number, blue: number]

/** Counters for 4096 groups of colours, 16 steps a channel. */
export interface ColourCount {
  readonly counts: Int32Array
  readonly sums: Int32Array
  /** Groups that hold anything. */
  readonly used: number[]
  /** Counts a pixel (`0xAABBGGRR`). */
  add(pixel: number): void
}

/** Empty counters. */
export function countColours(): ColourCount {
  const counts = new Int32Array(4096)
  const sums = new Int32Array(3 * 4096)
  const used: number[] = []
  return {
    counts,
    sums,
    used,
    add: (pixel) => {
      const red = pixel & 255
      const green = (pixel >>> 8) & 255
      const blue = (pixel >>> 16) & 255
      const bin = ((red & 240) << 4) | (green & 240) | (blue >>> 4)
      if (counts[bin]!++ === 0) used.push(bin)
      sums[3 * bin]! += red
      sums[3 * bin + 1]! += green
      sums[3 * bin + 2]! += blue
    },
  }
}

/** Takes what was counted, and empties the counters. */
export function takeColours({ counts, sums, used }: ColourCount): FrameColours {
  const groups = used.map((bin) => {
    const count = counts[bin]!
    const colour = [sums[3 * bin]! / count, sums[3 * bin + 1]! / count, sums[3 * bin + 2]! / count] as const
    counts[bin] = 0
    sums.fill(0, 3 * bin, 3 * bin + 3)
    return { bin, colour, count }
  })
  used.length = 0
  return { groups }
}

/** How many colours of a sequence are followed, and the part of a frame that one must fill. */
const FOLLOWED = 10
const LEAST_SHARE = 0.03
/** How far from a followed colour, in steps, its pixels are looked for. */
const NEAR = 44

/**
 * How far the colours of each frame stand off those of the sequence, in steps of 0 to 255.
 *
 * The commonest colours of all frames are followed through the sequence: in each frame the mean of what lies near one is compared with its median over the
 * frames. Half of what is followed, by area, must have moved at least as far as the answer, so that an effect or a limb that comes and goes does not count.
 * Where the colours of a closed course come and go in small steps, the seam too, that is a light that pulses: all zeros.
 *
 * @param enough Answers under this matter to nobody; only above is a pulse looked for.
 */
export function colourShifts(frames: readonly FrameColours[], isClosed: boolean, enough: number): number[] {
  const followed = commonColours(frames).flatMap((centre) => follow(frames, centre) ?? [])
  const shifts = frames.map((_, at) =>
    weightedMedian(followed.map(({ colours, usual, weight }) => ({ by: distance(colours[at]!, usual), weight }))),
  )
  if (!isClosed || frames.length < 5 || Math.max(...shifts) < enough) return shifts
  const between = (at: number, other: number): number =>
    weightedMedian(followed.map(({ colours, weight }) => ({ by: distance(colours[at]!, colours[other]!), weight })))
  const farthest = shifts.indexOf(Math.max(...shifts))
  const range = Math.max(0, ...frames.map((_, at) => between(farthest, at)))
  const largestStep = Math.max(0, ...frames.map((_, at) => between(at, (at + 1) % frames.length)))
  return largestStep < SMOOTH * range ? shifts.map(() => 0) : shifts
}

/** Largest step of a pulse, as a part of how far it goes at all. */
const SMOOTH = 0.6

interface Followed {
  /** One a frame. */
  readonly colours: readonly Colour[]
  readonly usual: Colour
  readonly weight: number
}

function follow(frames: readonly FrameColours[], centre: Colour): Followed | undefined {
  const means = frames.map((frame) => meanNear(frame, centre))
  const here = means.filter((mean) => mean !== undefined)
  if (here.length < frames.length / 2) return undefined
  const channel = (at: 0 | 1 | 2): number => median(here.map((mean) => mean.colour[at]))
  const usual: Colour = [channel(0), channel(1), channel(2)]
  const weight = median(here.map((mean) => mean.count))
  // A colour that is gone has moved out of sight, or is covered: as far as can be told.
  const gone: Colour = [usual[0] + NEAR, usual[1], usual[2]]
  return { colours: means.map((mean) => (mean === undefined || mean.count < weight / 4 ? gone : mean.colour)), usual, weight }
}

function commonColours(frames: readonly FrameColours[]): Colour[] {
  const total = new Map<number, { count: number; sum: [number, number, number] }>()
  let pixels = 0
  for (const { groups } of frames) {
    for (const { bin, colour, count } of groups) {
      const entry = total.get(bin) ?? { count: 0, sum: [0, 0, 0] }
      entry.count += count
      for (const channel of CHANNELS) entry.sum[channel] += count * colour[channel]
      pixels += count
      total.set(bin, entry)
    }
  }
  const common = [...total].sort(([a, { count: x }], [b, { count: y }]) => y - x || a - b)
  const centres: Colour[] = []
  for (const [, { count, sum }] of common) {
    if (centres.length === FOLLOWED || count < LEAST_SHARE * pixels) break
    const colour: Colour = [sum[0] / count, sum[1] / count, sum[2] / count]
    if (centres.every((other) => distance(other, colour) > NEAR)) centres.push(colour)
  }
  return centres
}

const CHANNELS = [0, 1, 2] as const

function meanNear({ groups }: FrameColours, centre: Colour): { colour: Colour; count: number } | undefined {
  let sum = 0
  const [total, reach]: [[number, number, number], number] = [[0, 0, 0], NEAR * NEAR]
  for (const { colour, count } of groups) {
    if ((colour[0] - centre[0]) ** 2 + (colour[1] - centre[1]) ** 2 + (colour[2] - centre[2]) ** 2 > reach) continue
    sum += count
    for (const channel of CHANNELS) total[channel] += count * colour[channel]
  }
  return sum === 0 ? undefined : { colour: [total[0] / sum, total[1] / sum, total[2] / sum], count: sum }
}

function distance(a: Colour, b: Colour): number {
  return Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
}

/** The middle of some numbers; 0 of none. */
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
