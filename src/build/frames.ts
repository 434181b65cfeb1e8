import {
  type ArchiveEntry,
  type Bitmap,
  type FrameSequence,
  makePlaceholder,
  openArchive,
  readFrames,
  readPicture,
  scaleFrames,
} from '../../atlas/index.ts'
import { SpritewrightError } from '../errors.ts'
import type { AnimationSpec, SpriteSpec } from '../spec/spec.ts'

/** Names the parts of a result among its entries, where a profile knows the layout; frames may be left out where sheet and atlas are named. */
export type DeliveryLayout = (entries: readonly { readonly name: string; readonly bytes: Uint8Array }[]) => {
  readonly frames: readonly string[]
  readonly sheet?: string | undefined
  readonly atlas?: string | undefined
}

/** Where the pictures of one animation come from. */
export type FrameSource =
  /** The raw ZIP that was paid for. */
  | { readonly kind: 'result'; readonly sha256: string; readonly read: () => Promise<Uint8Array> }
  /** A stand-in, moved about from the reference picture; without one, where the reference is still to be made, a drawn figure. */
  | { readonly kind: 'placeholder'; readonly sha256: string; readonly read: () => Promise<Uint8Array | undefined> }

type ResultSource = Extract<FrameSource, { kind: 'result' }>

/** One animation of a project and where its pictures come from. */
export interface SheetInput {
  readonly spec: SpriteSpec
  readonly animation: AnimationSpec
  readonly source: FrameSource
}

/** The sequence of an animation and what a person should know about it. */
export interface SequenceReport {
  readonly sequence: FrameSequence
  readonly warnings: readonly string[]
}

/**
 * Opens a result, or draws a placeholder, and makes the sequence that goes into an atlas: the frames that are used, at the size that was asked for.
 *
 * @throws `SW_DELIVERY` for a result that cannot be read: it stays in the vault. `SW_SPEC` where `use` names a frame that was not delivered.
 */
export async function readSequence(input: SheetInput, layout: DeliveryLayout | undefined): Promise<SequenceReport> {
  const { spec, animation, source } = input
  const opened = source.kind === 'result' ? await openResult(input, source, layout) : { frames: await drawPlaceholder(input), warnings: [] }
  const used = [...new Set(animation.use ?? opened.frames.keys())].sort((a, b) => a - b)
  const beyond = used.find((index) => index >= opened.frames.length)
  if (beyond !== undefined) {
    throw new SpritewrightError('SW_SPEC', {
      message: `${spec.file}: animations.${animation.name}.use names frame ${beyond}, the delivery has ${opened.frames.length} frames, 0 to ${opened.frames.length - 1}. Take it out of "use".`,
      facts: { file: spec.file, animation: animation.name, frame: beyond, frames: opened.frames.length },
    })
  }
  const pictures = used.map((index) => opened.frames[index] as Bitmap)
  const sized = spec.size === undefined ? pictures : await scaleFrames(pictures, spec.size, spec.pixelArt)
  const nameOf = (index: number): string => `${spec.name}/${animation.name}/${String(index).padStart(4, '0')}`
  const play = (animation.use ?? used).map(nameOf)
  const sequence: FrameSequence = {
    name: `${spec.name}/${animation.name}`,
    sprite: spec.name,
    frames: used.map((index, at) => ({ name: nameOf(index), bitmap: sized[at] as Bitmap, durationMs: 1000 / animation.fps })),
    play,
    ...(animation.durations ? { durations: animation.durations } : {}),
    fps: animation.fps,
    loop: animation.loop,
    yoyo: animation.yoyo,
    ...(spec.anchor ? { anchor: spec.anchor } : {}),
    trim: spec.trim,
    extrude: spec.extrude,
    padding: spec.padding,
    pixelArt: spec.pixelArt,
  }
  return { sequence, warnings: opened.warnings }
}

async function openResult(
  input: SheetInput,
  source: ResultSource,
  layout: DeliveryLayout | undefined,
): Promise<{ frames: readonly Bitmap[]; warnings: readonly string[] }> {
  const { spec, animation } = input
  const id = `${spec.name}.${animation.name}`
  // What the vault has to say of a result that is not there, or damaged, is no fault of the delivery.
  const bytes = await source.read()
  try {
    const entries = openArchive(bytes)
    const delivery = readFrames(layout ? nameParts(entries, layout) : entries, { frames: animation.frames })
    return { frames: delivery.frames, warnings: delivery.warnings.map((warning) => `${id}: ${warning}`) }
  } catch (error) {
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

async function drawPlaceholder(input: SheetInput): Promise<readonly Bitmap[]> {
  const { animation, spec, source } = input
  const picture = await source.read()
  return makePlaceholder(picture && (await readPicture(picture)), { frames: animation.frames, label: `${spec.name}.${animation.name}` })
}
