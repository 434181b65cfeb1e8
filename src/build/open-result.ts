import { type ArchiveEntry, type Bitmap, type Canvas, noteDigest, openArchive, readFrames } from '../../atlas/index.ts'
import { SpritewrightError } from '../errors.ts'
import type { Decoder } from '../host/decoding.ts'
import { animationId } from '../spec/request.ts'
import type { DeliveryLayout, ResultSource, SheetInput } from './sources.ts'

/** Frames at the size in which they were delivered, in that order. */
export interface OpenedResult {
  readonly frames: readonly Bitmap[]
  /** Where each stands in the whole frame, where they are cut. */
  readonly canvases?: readonly Canvas[]
  readonly warnings: readonly string[]
}

/** How a result is opened. */
export interface OpenOptions {
  readonly layout?: DeliveryLayout | undefined
  /** Reads it on another thread. @default it is read on this one */
  readonly decoder?: Decoder | undefined
  /** Frames are cut to what is seen of them at once. @default they are whole */
  readonly isCut?: boolean
}

/** Undefined where it has to be read on this thread: by a profile, which is the project's own code, or because something is wrong with it. */
async function decodeBeside(
  { animation }: Pick<SheetInput, 'animation'>,
  source: ResultSource,
  { layout, decoder, isCut = false }: OpenOptions,
): Promise<OpenedResult | undefined> {
  if (layout || !decoder?.isAlive) return undefined
  const delivery = await decoder.decode(await source.read(), animation.frames, isCut)
  for (const [at, digest] of delivery?.digests?.entries() ?? []) noteDigest(delivery!.frames[at]!, digest)
  return delivery
}

/**
 * Opens a result, on another thread where there is one.
 *
 * @throws `SW_DELIVERY` for a result that cannot be read: it stays in the vault.
 */
export async function openResult(
  input: Pick<SheetInput, 'spec' | 'animation'>,
  source: ResultSource,
  options: OpenOptions = {},
): Promise<OpenedResult> {
  const id = animationId(input.spec, input.animation)
  const { frames, canvases, warnings } = (await decodeBeside(input, source, options)) ?? (await decodeHere(input, source, options))
  return { frames, warnings: warnings.map((warning) => `${id}: ${warning}`), ...(canvases ? { canvases } : {}) }
}

async function decodeHere(
  { spec, animation }: Pick<SheetInput, 'spec' | 'animation'>,
  source: ResultSource,
  { layout, isCut }: OpenOptions,
): Promise<OpenedResult> {
  // What the vault has to say of a result that is not there, or damaged, is no fault of the delivery.
  const bytes = await source.read()
  try {
    const entries = openArchive(bytes)
    return readFrames(layout ? nameParts(entries, layout) : entries, { frames: animation.frames }, isCut)
  } catch (error) {
    const id = animationId(spec, animation)
    const { code, facts } = error as { code?: unknown; facts?: object }
    throw new SpritewrightError('SW_DELIVERY', {
      message: `The paid result of "${id}" cannot be read: ${(error as Error).message} It is kept as ${source.sha256}.zip; once it can be read, by an update or by service.profile.readDelivery, it is used without paying again.`,
      facts: { ...facts, id, result: source.sha256, rule: (facts as { rule?: unknown } | undefined)?.rule, atlasCode: code },
      cause: error,
    })
  }
}

/** The parts that a profile names, under the names by which they are recognised. */
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
