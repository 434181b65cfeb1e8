import { type Atlas, alignSequences, type FrameSequence, makeAtlas, scaleSequence, sharedUnit, shrinkAtlas } from '../../atlas/index.ts'
import { type Layout, layoutName } from './layout.ts'

/** Options of {@link layOut}. */
export interface LayOutOptions {
  /** Longest side of a page, pixels. */
  readonly maxSize: number
  /** Whether frames may be turned. */
  readonly rotate: boolean
  /** `best` also chooses the layout by the bytes of its pages. */
  readonly effort?: 'best' | undefined
  /**
   * Positions of frames in an earlier build, which are kept unless pages would become too large.
   *
   * @default all frames are packed again
   */
  readonly earlier?: Layout | undefined
}

/**
 * Packs a group at all its scales: in one layout, or in one layout for each scale if the scales have no common unit.
 *
 * @param scales Largest first.
 */
export async function layOut(
  name: string,
  sequences: readonly FrameSequence[],
  scales: readonly number[],
  { maxSize, rotate, effort, earlier }: LayOutOptions,
): Promise<Atlas[]> {
  const at = (all: readonly FrameSequence[], scale: number): Promise<FrameSequence[]> =>
    Promise.all(all.map((sequence) => scaleSequence(sequence, scale)))
  const before = (scale: number): { readonly earlier?: NonNullable<ReturnType<Layout['get']>> } => {
    const frames = earlier?.get(layoutName(name, scale))
    return frames ? { earlier: frames } : {}
  }
  const unit = sharedUnit(scales)
  const [largest = 1, ...smaller] = scales
  if (unit === undefined || smaller.length === 0) {
    const atlases: Atlas[] = []
    for (const scale of scales)
      atlases.push(makeAtlas(name, await at(sequences, scale), { maxSize, rotate, effort, scale, ...before(scale) }))
    return atlases
  }
  const aligned = alignSequences(sequences, scales, unit)
  const large = makeAtlas(name, await at(aligned, largest), { maxSize, rotate, effort, scale: largest, align: unit, ...before(largest) })
  const atlases = [large]
  for (const scale of smaller) atlases.push(shrinkAtlas(large, await at(aligned, scale), scale))
  return atlases
}
