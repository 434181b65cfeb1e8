import {
  type ArchiveEntry,
  type Bitmap,
  type DeliveredFrames,
  openArchive,
  pngFault,
  type ResizedFrame,
  readFrames,
  readPicture,
} from '../../atlas/index.ts'
import { SpritewrightError } from '../errors.ts'
import { animationId } from '../sprite-spec/request.ts'
import type { DeliveryLayout, ResultSource, SheetInput } from './sources.ts'

/** Delivered frames at their delivered size, in the order of delivery. */
export interface OpenedResult {
  readonly frames: readonly Bitmap[]
  /** Frames that were delivered in another size. */
  readonly resized: readonly ResizedFrame[]
  readonly warnings: readonly string[]
}

/**
 * Opens a result and reads its frames. A picture is one frame.
 *
 * @throws `SW_DELIVERY` for a result that cannot be read. It stays in the vault.
 */
export async function openResult(
  { spec, animation }: Pick<SheetInput, 'spec' | 'animation'>,
  source: ResultSource,
  layout?: DeliveryLayout,
): Promise<OpenedResult> {
  const id = animationId(spec, animation)
  // Errors of the vault (a missing or damaged file) are not faults of the delivery.
  const bytes = await source.read()
  try {
    if (animation.isPicture) {
      const fault = pngFault(bytes)
      if (fault !== undefined) throw new Error(fault)
      return { frames: [await readPicture(bytes)], resized: [], warnings: [] }
    }
    const { frames, resized, warnings } = readArchivedFrames(bytes, animation.frames, layout)
    return { frames, resized, warnings: warnings.map((warning) => `${id}: ${warning}`) }
  } catch (error) {
    const { code, facts } = error as { code?: unknown; facts?: object }
    throw new SpritewrightError('SW_DELIVERY', {
      message: `The paid result of "${id}" cannot be read: ${(error as Error).message} It is kept as ${source.sha256}.${animation.isPicture ? 'png' : 'zip'}. A build fetches it again, for free. Once it can be read, by an update${animation.isPicture ? '' : ' or by service.profile.readDelivery'}, it is used without paying again.`,
      facts: { ...facts, id, result: source.sha256, rule: (facts as { rule?: unknown } | undefined)?.rule, atlasCode: code },
      cause: error,
    })
  }
}

/**
 * Reads the frames of an archive.
 *
 * @param frames The requested number of frames, if it is known.
 * @throws As `openArchive` and `readFrames`, and errors of the layout.
 */
export function readArchivedFrames(bytes: Uint8Array, frames: number | undefined, layout: DeliveryLayout | undefined): DeliveredFrames {
  const entries = openArchive(bytes)
  return readFrames(layout ? nameParts(entries, layout) : entries, frames === undefined ? {} : { frames })
}

/** Selects the entries that a profile names, and renames them to the names that the reader recognises. */
function nameParts(entries: readonly ArchiveEntry[], layout: DeliveryLayout): readonly ArchiveEntry[] {
  const take = (name: string, as: string): ArchiveEntry => {
    const entry = entries.find((other) => other.name === name)
    if (!entry) throw new Error(`service.profile.readDelivery names the entry ${JSON.stringify(name)}, which is not there.`)
    return { name: as, bytes: entry.bytes }
  }
  const { frames, sheet, atlas } = layout(entries)
  return [
    ...frames.map((name, index) => take(name, `frames/frame_${String(index).padStart(6, '0')}.png`)),
    ...(sheet === undefined ? [] : [take(sheet, 'sheet.png')]),
    ...(atlas === undefined ? [] : [take(atlas, 'atlas.json')]),
  ]
}
