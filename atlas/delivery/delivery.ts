import type { Bitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { gamutWarning } from '../png/gamut.ts'
import { MAX_FRAME_PIXELS } from '../png/picture.ts'
import type { ArchiveEntry } from './archive.ts'
import { commonSize, putOnCanvas, type ResizedFrame } from './canvas.ts'
import { briefName, briefNames } from './entry-name.ts'
import { type DeliveryParts, framesByName, sortDelivery } from './parts.ts'
import { compareWithSheet, cutFrames, decodeFrames, type NamedBitmap } from './pictures.ts'
import { PixelBudget } from './pixel-budget.ts'

/** The content of a paid archive. */
export interface Delivery {
  /** In playing order, all of one size; at least one. See {@link Delivery.resized}. */
  readonly frames: readonly Bitmap[]
  /** Source of each frame: the name of its entry, or its name in the atlas that it was cut by. */
  readonly names: readonly string[]
  /** The picture with all frames. */
  readonly sheet?: ArchiveEntry
  /** The JSON with the places of the frames on the sheet. */
  readonly atlas?: ArchiveEntry
  /** A picture or film for display. */
  readonly preview?: ArchiveEntry
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

function budgetOf({ frames = MOST_FRAMES, maxPixels }: ExpectedDelivery): PixelBudget {
  return new PixelBudget(maxPixels ?? Math.min(2 * frames * MAX_FRAME_PIXELS, MAX_DELIVERY_PIXELS))
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
 * there are more pixels than {@link ExpectedDelivery.maxPixels} (`too-many-pixels`), or if an atlas has a
 * frame outside of its sheet (`outside-sheet`) or over 4096 × 4096 pixels (`frame-too-large`).
 * `SW_FRAME_SIZE` if no size is that of more than half of the frames. `SW_PNG` for a damaged frame,
 * `SW_IMAGE` for one that is not a PNG. `facts.rule` names the broken rule.
 */
export function readDelivery(entries: readonly ArchiveEntry[], expected: ExpectedDelivery = {}): Delivery {
  const { parts, ...found } = findFrames(entries, expected)
  const { sheet, atlas, preview } = parts
  return {
    ...onOneCanvas(found),
    ...(sheet === undefined ? {} : { sheet }),
    ...(atlas === undefined ? {} : { atlas: atlas.entry }),
    ...(preview === undefined ? {} : { preview }),
  }
}

interface FoundFrames {
  readonly found: readonly NamedBitmap[]
  readonly parts: DeliveryParts
  readonly warnings: readonly string[]
}

function findFrames(entries: readonly ArchiveEntry[], expected: ExpectedDelivery): FoundFrames {
  const parts = sortDelivery(entries)
  const { sheet, atlas } = parts
  const canCut = sheet !== undefined && atlas !== undefined
  if (parts.frames.length === 0 && !canCut) throw noFrames(entries)
  const budget = budgetOf(expected)
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
  const inFolder = framesByName(entries)
  return onOneCanvas(
    inFolder.frames.length === 0 ? findFrames(entries, expected) : readFolder(inFolder.frames, inFolder.warnings, expected),
  )
}

function onOneCanvas({ found, warnings }: Pick<FoundFrames, 'found' | 'warnings'>): DeliveredFrames {
  const canvas = commonSize(found.map(({ name, bitmap: { width, height } }) => ({ name, width, height })))
  const frames = found.map(({ bitmap }) => putOnCanvas(bitmap, canvas))
  const resized = found.flatMap(({ bitmap }, index) =>
    bitmap === frames[index] ? [] : [{ index, width: bitmap.width, height: bitmap.height }],
  )
  return { frames, names: found.map(({ name }) => name), resized, warnings }
}

function readFolder(
  entries: readonly ArchiveEntry[],
  warnings: readonly string[],
  expected: ExpectedDelivery,
): Pick<FoundFrames, 'found' | 'warnings'> {
  const found = decodeFrames(entries, budgetOf(expected))
  return { found, warnings: [...warnings, ...frameWarnings(entries, found.length, expected)] }
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
