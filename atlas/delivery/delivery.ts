import type { Bitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { MAX_FRAME_PIXELS } from '../png/picture.ts'
import type { ArchiveEntry } from './archive.ts'
import { briefName, briefNames } from './brief-names.ts'
import { type DeliveryParts, framesByName, sortDelivery } from './parts.ts'
import { compareWithSheet, cutFrames, decodeFrames, type NamedBitmap } from './pictures.ts'
import { PixelBudget } from './pixel-budget.ts'

/** What a paid archive holds. */
export interface Delivery {
  /** In playing order, all of one size; at least one. */
  readonly frames: readonly Bitmap[]
  /** Where each frame came from: the name of its entry, or of the frame in the atlas it was cut by. */
  readonly names: readonly string[]
  /** The picture that holds all frames. */
  readonly sheet?: ArchiveEntry
  /** The JSON that says where they lie on it. */
  readonly atlas?: ArchiveEntry
  /** A picture or film for a person to look at. */
  readonly preview?: ArchiveEntry
  /** What is odd but no reason to refuse a paid result, in whole sentences. */
  readonly warnings: readonly string[]
}

/** What was asked for. */
export interface ExpectedDelivery {
  /** Number of frames; another number is a warning. */
  readonly frames?: number
  /**
   * Width × height of all frames together, and of the sheet if it is decoded. Headers say it before anything is decoded.
   *
   * @default `frames` (or 100) frames of 4096 × 4096 pixels and as much for their sheet, but at most 2 ** 27, which take 512 MiB:
   * 100 frames of 1158 × 1158, 12 of 3344 × 3344, 8 of 4096 × 4096. A larger delivery is refused.
   */
  readonly maxPixels?: number
}

/** Frames of the largest request. */
const MOST_FRAMES = 100
/** Pixels that take 512 MiB as RGBA. */
const MAX_DELIVERY_PIXELS = 2 ** 27

function budgetOf({ frames = MOST_FRAMES, maxPixels }: ExpectedDelivery): PixelBudget {
  return new PixelBudget(maxPixels ?? Math.min(2 * frames * MAX_FRAME_PIXELS, MAX_DELIVERY_PIXELS))
}

/**
 * Finds the frames in an archive whose names nobody promised.
 *
 * Frames are pictures in a folder `frames`, or with `frame` in their names, or with a common stem and running numbers, in the natural order of the numbers. Where
 * there are none, they are cut from the sheet by the atlas JSON, which is recognised by its shape. Where there are both, they are compared and a difference is a warning.
 * Frames of an atlas that lie in one place share one bitmap. A sheet that cannot be read, or for which no pixels are left, is a warning if there are frames.
 *
 * @param entries As `readArchive` gives them.
 * @throws {AtlasError} `SW_DELIVERY_LAYOUT` if no frames are found (`no-frames`), with `facts.entries`, or if there are more pixels than
 * {@link ExpectedDelivery.maxPixels} (`too-many-pixels`), or if an atlas names a frame outside of its sheet (`outside-sheet`) or over 4096 × 4096 pixels (`frame-too-large`);
 * `SW_FRAME_SIZE` if frames differ in size; `SW_PNG` for a damaged one; `SW_IMAGE` for one that is no PNG. `facts.rule` names the broken rule.
 */
export function readDelivery(entries: readonly ArchiveEntry[], expected: ExpectedDelivery = {}): Delivery {
  const { found, parts, warnings } = findFrames(entries, expected)
  const { sheet, atlas, preview } = parts
  return {
    frames: found.map(({ bitmap }) => bitmap),
    names: found.map(({ name }) => name),
    ...(sheet === undefined ? {} : { sheet }),
    ...(atlas === undefined ? {} : { atlas: atlas.entry }),
    ...(preview === undefined ? {} : { preview }),
    warnings,
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
  return { found, parts, warnings: [...warnings, ...countWarning(found.length, expected)] }
}

/** The frames of a delivery, and no more. */
export type DeliveredFrames = Pick<Delivery, 'frames' | 'names' | 'warnings'>

/**
 * The frames alone, as {@link readDelivery} finds them: where they stand in a folder of their own nothing else is unpacked, and the sheet is not compared.
 *
 * @param entries As `openArchive` gives them.
 * @throws {AtlasError} As {@link readDelivery}.
 */
export function readFrames(entries: readonly ArchiveEntry[], expected: ExpectedDelivery = {}): DeliveredFrames {
  const inFolder = framesByName(entries)
  const { found, warnings } =
    inFolder.frames.length === 0 ? findFrames(entries, expected) : readFolder(inFolder.frames, inFolder.warnings, expected)
  return { frames: found.map(({ bitmap }) => bitmap), names: found.map(({ name }) => name), warnings }
}

function readFolder(
  entries: readonly ArchiveEntry[],
  warnings: readonly string[],
  expected: ExpectedDelivery,
): Pick<FoundFrames, 'found' | 'warnings'> {
  const found = decodeFrames(entries, budgetOf(expected))
  return { found, warnings: [...warnings, ...countWarning(found.length, expected)] }
}

function countWarning(found: number, { frames }: ExpectedDelivery): readonly string[] {
  return frames === undefined || frames === found ? [] : [`Expected ${frames} frames, found ${found}.`]
}

/** Names that facts list: enough to see how a service names its entries. */
const MOST_LISTED = 20

function noFrames(entries: readonly ArchiveEntry[]): AtlasError {
  const names = entries.map((entry) => entry.name)
  return new AtlasError('SW_DELIVERY_LAYOUT', {
    message:
      `Expected frames (PNG pictures in a folder "frames", or with running numbers) or a sheet with its atlas JSON, found: ${briefNames(names) || 'an empty archive'}. ` +
      'The paid result is kept whole. Say how to read it in the configuration: service.profile.readDelivery(entries) returns { frames, sheet?, atlas?, preview? }.',
    facts: { rule: 'no-frames', entries: names.slice(0, MOST_LISTED).map(briefName), count: names.length },
  })
}
