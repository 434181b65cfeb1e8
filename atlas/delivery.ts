import type { ArchiveEntry } from './archive.ts'
import type { Bitmap } from './bitmap.ts'
import { framesByName, sortDelivery } from './delivery-parts.ts'
import { AtlasError } from './errors.ts'
import type { Canvas } from './frame.ts'
import { sniffFormat } from './picture.ts'
import { decodePng } from './png.ts'
import { cutFrame, type SheetAtlas } from './sheet-atlas.ts'
import { cutToSeen } from './trim.ts'

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
}

/** The largest frame: 16 million pixels. */
const FRAME_LIMITS = { maxPixels: 2 ** 24 }

/**
 * Finds the frames in an archive whose names nobody promised.
 *
 * Frames are pictures in a folder `frames`, or with `frame` in their names, or with a common stem and running numbers, in the natural order of the numbers. Where
 * there are none, they are cut from the sheet by the atlas JSON, which is recognised by its shape. Where there are both, they are compared and a difference is a warning.
 *
 * @param entries As `readArchive` gives them.
 * @throws {AtlasError} `SW_DELIVERY_LAYOUT` where no frames are found, with `facts.entries`; `SW_FRAME_SIZE` where they differ in size; `SW_PNG` for a damaged one,
 * `SW_IMAGE` for one that is no PNG.
 */
export function readDelivery(entries: readonly ArchiveEntry[], expected: ExpectedDelivery = {}): Delivery {
  const parts = sortDelivery(entries)
  const warnings = [...parts.warnings]
  const decoded = parts.frames.map((entry) => ({ name: entry.name, bitmap: decodeNamed(entry) }))
  const { sheet, atlas } = parts
  const canCut = sheet !== undefined && atlas !== undefined
  if (decoded.length === 0 && !canCut) throw noFrames(entries)
  const cut = (): { name: string; bitmap: Bitmap }[] => cutAll(sheet!, atlas!.parsed)
  const found = decoded.length > 0 ? decoded : cut()
  if (decoded.length > 0 && canCut) warnings.push(...compareWithSheet(decoded, cut))
  checkOneSize(found)
  warnings.push(...countWarning(found.length, expected))
  return {
    frames: found.map((frame) => frame.bitmap),
    names: found.map((frame) => frame.name),
    ...(sheet === undefined ? {} : { sheet }),
    ...(atlas === undefined ? {} : { atlas: atlas.entry }),
    ...(parts.preview === undefined ? {} : { preview: parts.preview }),
    warnings,
  }
}

/** The frames of a delivery, and no more. */
export interface DeliveredFrames extends Pick<Delivery, 'frames' | 'names' | 'warnings'> {
  /** Where each frame, cut to what is seen of it, stands in the whole one; absent where they are whole. */
  readonly canvases?: readonly Canvas[]
}

/**
 * The frames alone, as {@link readDelivery} finds them: where they stand in a folder of their own nothing else is unpacked, and the sheet is not compared.
 *
 * @param entries As `openArchive` gives them.
 * @param isCut Whether each frame is cut to what is seen of it, with {@link trim}'s margin, as soon as it is decoded: whole ones of a large delivery take room, and time to clear away. @default false
 * @throws {AtlasError} As {@link readDelivery}.
 */
export function readFrames(entries: readonly ArchiveEntry[], expected: ExpectedDelivery = {}, isCut: boolean = false): DeliveredFrames {
  const { frames, warnings } = framesByName(entries)
  if (frames.length === 0) {
    const { frames: whole, names, warnings: odd } = readDelivery(entries, expected)
    const cut = isCut ? whole.map(cutToSeen) : undefined
    return {
      frames: cut?.map(({ bitmap }) => bitmap) ?? whole,
      names,
      warnings: odd,
      ...(cut && { canvases: cut.map(({ canvas }) => canvas) }),
    }
  }
  const canvases: Canvas[] = []
  const found = frames.map((entry) => {
    const whole = decodeNamed(entry)
    const { bitmap, canvas } = isCut ? cutToSeen(whole) : { bitmap: whole, canvas: undefined }
    if (canvas) canvases.push(canvas)
    return { name: entry.name, bitmap, size: canvas ?? whole }
  })
  checkOneSize(found.map(({ name, size }) => ({ name, bitmap: size })))
  return {
    frames: found.map(({ bitmap }) => bitmap),
    names: found.map(({ name }) => name),
    warnings: [...warnings, ...countWarning(found.length, expected)],
    ...(isCut ? { canvases } : {}),
  }
}

function countWarning(found: number, { frames }: ExpectedDelivery): readonly string[] {
  return frames === undefined || frames === found ? [] : [`Expected ${frames} frames, found ${found}.`]
}

function decodeNamed(entry: ArchiveEntry, limits: { maxPixels?: number } = FRAME_LIMITS): Bitmap {
  const format = sniffFormat(entry.bytes)
  if (format !== 'png') {
    throw new AtlasError('SW_IMAGE', {
      message: `Expected PNG frames, found "${entry.name}" to be ${format ?? 'no picture'}. The paid result is kept; read it by service.profile.readDelivery(entries).`,
      facts: { entry: entry.name, format },
    })
  }
  try {
    return decodePng(entry.bytes, limits)
  } catch (error) {
    if (!(error instanceof AtlasError)) throw error
    throw new AtlasError(error.code, {
      message: `"${entry.name}": ${error.message}`,
      facts: { ...error.facts, entry: entry.name },
      cause: error,
    })
  }
}

function cutAll(sheet: ArchiveEntry, atlas: SheetAtlas): { name: string; bitmap: Bitmap }[] {
  const picture = decodeNamed(sheet, {})
  return atlas.frames.map((frame) => ({ name: frame.name, bitmap: cutFrame(picture, frame) }))
}

/** Frames rule; a sheet that says otherwise, or cannot be read, is worth a sentence and no more. */
function compareWithSheet(frames: readonly { name: string; bitmap: Bitmap }[], cut: () => { name: string; bitmap: Bitmap }[]): string[] {
  let fromSheet: { name: string; bitmap: Bitmap }[]
  try {
    fromSheet = cut()
  } catch (error) {
    if (!(error instanceof AtlasError)) throw error
    return [`The sheet cannot be compared with the frames: ${error.message}`]
  }
  if (fromSheet.length !== frames.length)
    return [`The sheet holds ${fromSheet.length} frames, the archive ${frames.length}; the archive's are used.`]
  const different = frames.filter((frame, index) => !looksSame(frame.bitmap, fromSheet[index]!.bitmap))
  if (different.length === 0) return []
  return [`${different.length} of ${frames.length} frames differ from the sheet, first "${different[0]!.name}"; the frames are used.`]
}

/** Same size and same pixels, the colour of wholly clear ones left out. */
function looksSame(a: Bitmap, b: Bitmap): boolean {
  if (a.width !== b.width || a.height !== b.height) return false
  if (Buffer.compare(a.data, b.data) === 0) return true
  for (let at = 0; at < a.data.length; at += 4) {
    if (a.data[at + 3] !== b.data[at + 3]) return false
    if (a.data[at + 3] === 0) continue
    if (a.data[at] !== b.data[at] || a.data[at + 1] !== b.data[at + 1] || a.data[at + 2] !== b.data[at + 2]) return false
  }
  return true
}

function checkOneSize(frames: readonly { name: string; bitmap: Pick<Bitmap, 'width' | 'height'> }[]): void {
  const first = frames[0]!
  const odd = frames.find(({ bitmap }) => bitmap.width !== first.bitmap.width || bitmap.height !== first.bitmap.height)
  if (odd === undefined) return
  throw new AtlasError('SW_FRAME_SIZE', {
    message:
      `Expected all frames to be ${first.bitmap.width} × ${first.bitmap.height} pixels like "${first.name}", ` +
      `found "${odd.name}" with ${odd.bitmap.width} × ${odd.bitmap.height}. The result is kept.`,
    facts: { entry: odd.name, width: odd.bitmap.width, height: odd.bitmap.height },
  })
}

function noFrames(entries: readonly ArchiveEntry[]): AtlasError {
  const names = entries.map((entry) => entry.name)
  return new AtlasError('SW_DELIVERY_LAYOUT', {
    message:
      `Expected frames (PNG pictures in a folder "frames", or with running numbers) or a sheet with its atlas JSON, found: ${names.join(', ') || 'an empty archive'}. ` +
      'The paid result is kept whole. Say how to read it in the configuration: service.profile.readDelivery(entries) returns { frames, sheet?, atlas?, preview? }.',
    facts: { entries: names },
  })
}
