import type { Bitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { MAX_FRAME_PIXELS, pictureInfo, sniffFormat } from '../png/picture.ts'
import { decodePng, type PictureLimits } from '../png/read.ts'
import type { ArchiveEntry } from './archive.ts'
import type { DeliveryBudget, PictureSize } from './budget.ts'
import { commonSize } from './canvas.ts'
import { briefName } from './entry-name.ts'
import { cutFrame, type SheetAtlas, type SheetFrame } from './sheet-atlas.ts'

/** A frame and its source: the name of its entry, or of the frame in the atlas. */
export interface NamedBitmap {
  readonly name: string
  readonly bitmap: Bitmap
}

interface SizedEntry extends PictureSize {
  readonly bytes: Uint8Array
}

/**
 * Decodes frames. Before that, the header of each is read and its pixels are counted.
 *
 * @throws {AtlasError} As `readDelivery`.
 */
export function decodeFrames(entries: readonly ArchiveEntry[], budget: DeliveryBudget): NamedBitmap[] {
  const sized = entries.map((entry) => toSized(entry, budget))
  takeFrames(budget, sized)
  return sized.map((entry) => ({ name: entry.name, bitmap: decode(entry, { maxPixels: MAX_FRAME_PIXELS }) }))
}

function toSized(entry: ArchiveEntry, budget: DeliveryBudget): SizedEntry {
  const { name, bytes } = entry
  const format = sniffFormat(bytes)
  if (format !== 'png') {
    throw new AtlasError('SW_IMAGE', {
      message: `Expected PNG frames, found "${briefName(name)}" to be ${format ?? 'no picture'}. The paid result is kept. Read it with service.profile.readDelivery(entries).`,
      facts: { rule: 'no-png', entry: briefName(name), format },
    })
  }
  const { width, height } = withEntry(name, () => pictureInfo(bytes))
  budget.chunks(bytes, name)
  return { name, bytes, width, height }
}

function decode({ name, bytes }: SizedEntry, limits: PictureLimits): Bitmap {
  return withEntry(name, () => decodePng(bytes, limits))
}

/** Adds the name of the entry to an error. */
function withEntry<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AtlasError)) throw error
    throw new AtlasError(error.code, {
      message: `"${briefName(name)}": ${error.message}`,
      facts: { ...error.facts, entry: briefName(name) },
      cause: error,
    })
  }
}

/**
 * Cuts all frames from a sheet, after their pixels are counted. Frames at the same place share one bitmap.
 *
 * @throws {AtlasError} As `readDelivery`.
 */
export function cutFrames(sheet: ArchiveEntry, { frames }: SheetAtlas, budget: DeliveryBudget): NamedBitmap[] {
  const sized = toSized(sheet, budget)
  const sizes = frames.map(({ name, sourceWidth: width, sourceHeight: height }) => ({ name, width, height }))
  // Frames that share a bitmap are all counted, since later steps process the pixels of each.
  budget.take([sized])
  takeFrames(budget, sizes)
  const picture = decode(sized, {})
  const cuts = new Map<string, Bitmap>()
  return frames.map((frame) => {
    const place = JSON.stringify({ ...frame, name: '' })
    const bitmap = cuts.get(place) ?? cutFrame(picture, frame)
    cuts.set(place, bitmap)
    return { name: frame.name, bitmap }
  })
}

/**
 * Returns a warning if the sheet differs from the frames, cannot be read, or exceeds the pixel budget. The
 * frames are used in any case.
 */
export function compareWithSheet(
  found: readonly NamedBitmap[],
  sheet: ArchiveEntry,
  atlas: SheetAtlas,
  budget: DeliveryBudget,
): readonly string[] {
  if (atlas.frames.length !== found.length)
    return [`The sheet has ${atlas.frames.length} frames, the archive has ${found.length}. The frames of the archive are used.`]
  let different: readonly NamedBitmap[]
  try {
    const sized = toSized(sheet, budget)
    budget.take([sized])
    const picture = decode(sized, {})
    different = found.filter(({ bitmap }, index) => !isOnSheet(bitmap, picture, atlas.frames[index]!))
  } catch (error) {
    if (!(error instanceof AtlasError)) throw error
    return [`The sheet cannot be compared with the frames: ${error.message}`]
  }
  if (different.length === 0) return []
  return [
    `${different.length} of ${found.length} frames differ from the sheet, first "${briefName(different[0]!.name)}"; the frames are used.`,
  ]
}

/** Compares size and pixels. The colours of wholly clear pixels do not count. */
function isOnSheet(a: Bitmap, sheet: Bitmap, place: SheetFrame): boolean {
  if (a.width !== place.sourceWidth || a.height !== place.sourceHeight) return false
  const b = cutFrame(sheet, place)
  if (Buffer.compare(a.data, b.data) === 0) return true
  for (let at = 0; at < a.data.length; at += 4) {
    if (a.data[at + 3] !== b.data[at + 3]) return false
    if (a.data[at + 3] === 0) continue
    if (a.data[at] !== b.data[at] || a.data[at + 1] !== b.data[at + 1] || a.data[at + 2] !== b.data[at + 2]) return false
  }
  return true
}

/**
 * Counts the pixels of frames, and those of the canvas for each frame of another size.
 *
 * @throws {AtlasError} `SW_FRAME_SIZE` if the frames have no common size.
 */
function takeFrames(budget: DeliveryBudget, sizes: readonly PictureSize[]): void {
  const canvas = commonSize(sizes)
  const odd = sizes.filter(({ width, height }) => width !== canvas.width || height !== canvas.height)
  budget.take([...sizes, ...odd.map(({ name }) => ({ name, ...canvas }))])
}
