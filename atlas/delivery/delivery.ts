import type { Bitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { gamutWarning } from '../png/gamut.ts'
import { MAX_FRAME_PIXELS } from '../png/picture.ts'
import type { ArchiveEntry } from './archive.ts'
import { DeliveryBudget } from './budget.ts'
import { commonSize, putOnCanvas, type ResizedFrame } from './canvas.ts'
import { briefName, briefNames } from './entry-name.ts'
import { type DeliveryParts, framesByName, sortDelivery } from './parts.ts'
import { compareWithSheet, cutFrames, decodeFrames, type NamedBitmap } from './pictures.ts'

/** The content of a paid archive. */
export interface Delivery {
  /** In playing order, all of one size; at least one. See {@link Delivery.resized}. */
  readonly frames: readonly Bitmap[]
  /** Source of each frame: the name of its entry, or its name in the atlas that it was cut by. */
  readonly names: readonly string[]
  /** The picture with all frames. */
  readonly sheet?: ArchiveEntry | undefined
  /** The JSON with the places of the frames on the sheet. */
  readonly atlas?: ArchiveEntry | undefined
  /** A picture or film for display. */
  readonly preview?: ArchiveEntry | undefined
  /**
   * Frames that were delivered in another size than most. Each is put on a canvas of the common size, centred
   * across and at the bottom. A larger frame is cut to that size. A person should check these frames.
   */
  readonly resized: readonly ResizedFrame[]
  /** Faults that do not make the result unusable, in whole sentences. */
  readonly warnings: readonly string[]
}

/** Expectations for a delivery. */
export interface ExpectedDelivery {
  /** Number of frames. Another number gives a warning. */
  readonly frames?: number
  /**
   * Most pixels of all frames together, plus those of the sheet if it is decoded. Counted from the headers
   * before anything is decoded.
   *
   * @default `frames` (or 100) frames of 4096 × 4096 pixels, and the same for their sheet, but at most 2 **
   * 27, which take 512 MiB: 100 frames of 1158 × 1158, 12 of 3344 × 3344, 8 of 4096 × 4096. A larger delivery
   * throws.
   */
  readonly maxPixels?: number
}

/** Number of frames of the largest request. */
const MOST_FRAMES = 100
/** Number of pixels that take 512 MiB as RGBA. */
const MAX_DELIVERY_PIXELS = 2 ** 27

/** The budget of a delivery. The steps of sorting its entries are counted already. */
function budgetOf(entries: readonly ArchiveEntry[], { frames = MOST_FRAMES, maxPixels }: ExpectedDelivery): DeliveryBudget {
  const budget = new DeliveryBudget(maxPixels ?? Math.min(2 * frames * MAX_FRAME_PIXELS, MAX_DELIVERY_PIXELS))
  budget.names(entries)
  return budget
}

/**
 * Finds the frames in an archive. The service does not specify the names in it.
 *
 * Frames are pictures in a folder `frames`, or with `frame` in their names, or with a common stem and running
 * numbers, sorted by number. If there are none, they are cut from the sheet by the atlas JSON, which is
 * recognised by its shape. If there are both, they are compared, and a difference gives a warning. Frames at
 * the same place of the sheet share one bitmap. If there are frames, a sheet that is unreadable or over the
 * pixel limit gives only a warning.
 *
 * @param entries As `readArchive` returns them.
 * @throws {AtlasError} `SW_DELIVERY_LAYOUT` if no frames are found (`no-frames`, with `facts.entries`), if
 * there are more pixels than {@link ExpectedDelivery.maxPixels} (`too-many-pixels`), if its names, JSON texts
 * and chunks need too many steps (`too-much-work`), or if an atlas has a frame outside of its sheet (`outside-sheet`) or over 4096 × 4096 pixels (`frame-too-large`).
 * `SW_FRAME_SIZE` if no size is that of more than half of the frames. `SW_PNG` for a damaged frame,
 * `SW_IMAGE` for one that is not a PNG. `facts.rule` names the broken rule.
 */
export function readDelivery(entries: readonly ArchiveEntry[], expected: ExpectedDelivery = {}): Delivery {
  const { parts, ...found } = findFrames(entries, expected, budgetOf(entries, expected))
  const { sheet, atlas, preview } = parts
  return { ...onOneCanvas(found), sheet, atlas: atlas?.entry, preview }
}

interface FoundFrames {
  readonly found: readonly NamedBitmap[]
  readonly parts: DeliveryParts
  readonly warnings: readonly string[]
}

function findFrames(entries: readonly ArchiveEntry[], expected: ExpectedDelivery, budget: DeliveryBudget): FoundFrames {
  const parts = sortDelivery(entries, budget)
  const { sheet, atlas } = parts
  const canCut = sheet !== undefined && atlas !== undefined
  if (parts.frames.length === 0 && !canCut) throw noFrames(entries)
  const warnings = [...parts.warnings]
  let found: readonly NamedBitmap[]
  if (parts.frames.length === 0) found = cutFrames(sheet!, atlas!.parsed, budget)
  else {
    found = decodeFrames(parts.frames, budget)
    if (canCut) warnings.push(...compareWithSheet(found, sheet, atlas.parsed, budget))
  }
  warnings.push(...frameWarnings(parts.frames.length === 0 ? [sheet!] : parts.frames, found.length, expected))
  return { found, parts, warnings }
}

/** The frames of a delivery, without its other files. */
export type DeliveredFrames = Pick<Delivery, 'frames' | 'names' | 'resized' | 'warnings'>

/**
 * Reads the frames alone, with the rules of {@link readDelivery}. If they are in a folder of their own,
 * nothing else is unpacked, and the sheet is not compared.
 *
 * @param entries As `openArchive` returns them.
 * @throws {AtlasError} As {@link readDelivery}.
 */
export function readFrames(entries: readonly ArchiveEntry[], expected: ExpectedDelivery = {}): DeliveredFrames {
  const budget = budgetOf(entries, expected)
  const { frames, warnings } = framesByName(entries)
  if (frames.length === 0) return onOneCanvas(findFrames(entries, expected, budget))
  const found = decodeFrames(frames, budget)
  return onOneCanvas({ found, warnings: [...warnings, ...frameWarnings(frames, found.length, expected)] })
}

function onOneCanvas({ found, warnings }: Pick<FoundFrames, 'found' | 'warnings'>): DeliveredFrames {
  const canvas = commonSize(found.map(({ name, bitmap: { width, height } }) => ({ name, width, height })))
  const frames = found.map(({ bitmap }) => putOnCanvas(bitmap, canvas))
  const resized = found.flatMap(({ bitmap }, index) =>
    bitmap === frames[index] ? [] : [{ index, width: bitmap.width, height: bitmap.height }],
  )
  return { frames, names: found.map(({ name }) => name), resized, warnings }
}

function frameWarnings(pictures: readonly ArchiveEntry[], found: number, { frames }: ExpectedDelivery): readonly string[] {
  const count = frames === undefined || frames === found ? [] : [`Expected ${frames} frames, found ${found}.`]
  return [...count, ...gamutWarning(pictures.map(({ name, bytes }) => ({ name: briefName(name), bytes })))]
}

/** Number of entry names in an error's facts: enough to show how a service names its entries. */
const MOST_LISTED = 20

function noFrames(entries: readonly ArchiveEntry[]): AtlasError {
  const names = entries.map((entry) => entry.name)
  return new AtlasError('SW_DELIVERY_LAYOUT', {
    message:
      `Expected frames (PNG pictures in a folder "frames", or with running numbers) or a sheet with its atlas JSON, found: ${briefNames(names) || 'an empty archive'}. ` +
      'The paid result is kept whole. Configure how to read it: service.profile.readDelivery(entries) returns { frames, sheet?, atlas?, preview? }.',
    facts: { rule: 'no-frames', entries: names.slice(0, MOST_LISTED).map(briefName), count: names.length },
  })
}
