import { formats } from '../../atlas/formats/registry.ts'
import {
  type Atlas,
  alignSequences,
  type Bitmap,
  blit,
  createBitmap,
  crop,
  encodePages,
  type FrameSequence,
  makeAtlas,
  type PlacedFrame,
  scaleSequence,
  sharedUnit,
  shrinkAtlas,
} from '../../atlas/index.ts'
import { type AnimationCase, type AtlasCase, drawArt } from './random-case.ts'

/** What an engine is told to do with one scale of an atlas; the fixtures `random-*.js` read it. */
export interface Errand {
  /** Path of the files from the server's root. */
  readonly folder: string
  /** Name of the atlas. */
  readonly name: string
  readonly scale: number
  readonly pixelArt: boolean
  /** Whose pixels lie in `sources.bin`, RGBA, straight alpha, from byte `at` on. */
  readonly frames: readonly Source[]
  readonly playbacks: readonly { readonly name: string; readonly loop: boolean; readonly steps: number }[]
}

/** A frame as it was drawn. */
export interface Source {
  readonly name: string
  readonly width: number
  readonly height: number
  readonly at: number
  readonly anchor?: { readonly x: number; readonly y: number }
  /** What lies around it on its page: its own edge repeated, or clear pixels; absent where neighbours may touch it, as its maker asked for. */
  readonly ring?: 'edge' | 'clear'
}

/** A frame, and the millisecond from which on it is seen. */
export interface Shown {
  readonly name: string
  readonly startMs: number
}

/** An atlas as files, and what is to be seen of it. */
export interface MadeAtlas {
  readonly errands: readonly Errand[]
  readonly files: ReadonlyMap<string, Uint8Array>
  /** By animation. */
  readonly timelines: ReadonlyMap<string, readonly Shown[]>
  readonly pages: number
}

/** Packs a case, and writes it for Phaser and PixiJS as the product does. @param name Of the atlas, and of the folder of its files. */
export async function makeRandomAtlas(asked: AtlasCase, name: string): Promise<MadeAtlas> {
  const sequences = asked.animations.map((one, index) => toSequence(one, `${name}-${index}/play`, asked.pixelArt))
  const variants = await layOut(name, sequences, asked)
  const files = new Map<string, Uint8Array>()
  const put = (folder: string, all: readonly { readonly file: string; readonly bytes: Uint8Array }[]): void => {
    for (const { file, bytes } of all) files.set(`${name}/${folder}${file}`, bytes)
  }
  const encoded = []
  for (const { atlas } of variants)
    encoded.push(await encodePages(atlas, { format: 'png', ...(asked.palette ? { palette: 'exact' } : {}) }))
  for (const { pages } of encoded) put('', pages)
  put('', [...formats.phaser.write(encoded), ...formats.pixi.write(encoded)])
  const timelines = new Map(sequences.map((sequence) => [sequence.name, timelineOf(sequence)]))
  const errands = variants.map(({ atlas, shown }): Errand => {
    const { sources, bytes } = gather(atlas, shown, asked)
    put('', [{ file: `sources@${atlas.scale}.bin`, bytes }])
    const playbacks = sequences.map((sequence) => ({ name: sequence.name, loop: sequence.loop, steps: stepsOf(sequence) }))
    return { folder: `${name}/`, name, scale: atlas.scale, pixelArt: asked.pixelArt, frames: sources, playbacks }
  })
  return { errands, files, timelines, pages: variants[0]!.atlas.pages.length }
}

function toSequence(one: AnimationCase, name: string, pixelArt: boolean): FrameSequence {
  const { width, height, art, play, fps, durations, anchor, ...rest } = one
  const nameOf = (index: number): string => `${name}/${String(index).padStart(4, '0')}`
  const frames = art.map((words, index) => ({
    name: nameOf(index),
    bitmap: drawArt(words, width, height),
    durationMs: 1000 / fps,
  }))
  const optional = { ...(durations === undefined ? {} : { durations }), ...(anchor === undefined ? {} : { anchor }) }
  return { name, sprite: name.split('/')[0]!, frames, play: play.map(nameOf), fps, pixelArt, ...rest, ...optional }
}

/** All scales in one layout where they have one in common, as a build makes them. */
async function layOut(name: string, sequences: readonly FrameSequence[], { scales, maxSize }: AtlasCase) {
  const at = (all: readonly FrameSequence[], scale: number): Promise<FrameSequence[]> =>
    Promise.all(all.map((sequence) => scaleSequence(sequence, scale)))
  const unit = sharedUnit(scales)
  const [largest = 1, ...smaller] = scales
  const variants: { atlas: Atlas; shown: readonly FrameSequence[] }[] = []
  if (unit === undefined || smaller.length === 0) {
    for (const scale of scales) {
      const shown = await at(sequences, scale)
      variants.push({ atlas: makeAtlas(name, shown, { maxSize, scale }), shown })
    }
    return variants
  }
  const aligned = alignSequences(sequences, scales, unit)
  const shown = await at(aligned, largest)
  const large = makeAtlas(name, shown, { maxSize, scale: largest, align: unit })
  variants.push({ atlas: large, shown })
  for (const scale of smaller) {
    const shown = await at(aligned, scale)
    variants.push({ atlas: shrinkAtlas(large, shown, scale), shown })
  }
  return variants
}

/**
 * Alpha of 255 that a scale may lose outside of the layout that it shares with a larger one: Lanczos rings a little further out than the margin of the trim.
 * `test/atlas/variants.test.ts` has the same.
 */
const FAINT = 12

/** The frame as it is to be seen: all of it, at smaller scales but for the faintest rings around what was cut out of the largest. */
function withoutFaint(bitmap: Bitmap, { name, offsetX, offsetY, width, height }: PlacedFrame): Bitmap {
  const kept = createBitmap(bitmap.width, bitmap.height)
  blit(kept, crop(bitmap, offsetX, offsetY, width, height), offsetX, offsetY)
  const lost = bitmap.data.reduce((most, alpha, at) => (at % 4 === 3 && kept.data[at] !== alpha ? Math.max(most, alpha) : most), 0)
  if (lost > FAINT) throw new Error(`Expected nothing to be cut off "${name}", found an alpha of ${lost} outside.`)
  return kept
}

/** The pixels of all frames, one after the other. */
function gather(
  atlas: Atlas,
  shown: readonly FrameSequence[],
  { animations, scales }: AtlasCase,
): { sources: Source[]; bytes: Uint8Array } {
  const sources: Source[] = []
  const bitmaps: Bitmap[] = []
  const placed = new Map(atlas.frames.map((frame) => [frame.name, frame]))
  const isSmaller = sharedUnit(scales) !== undefined && atlas.scale < Math.max(...scales)
  let at = 0
  for (const [index, { frames, anchor }] of shown.entries()) {
    const { extrude, padding } = animations[index]!
    for (const { name, bitmap } of frames) {
      const { width, height } = bitmap
      const ring = extrude > 0 ? 'edge' : padding > 0 ? 'clear' : undefined
      sources.push({ name, width, height, at, ...(anchor === undefined ? {} : { anchor }), ...(ring === undefined ? {} : { ring }) })
      bitmaps.push(isSmaller ? withoutFaint(bitmap, placed.get(name)!) : bitmap)
      at += bitmap.data.length
    }
  }
  if (sources.length !== atlas.frames.length) throw new Error(`Expected ${sources.length} frames, found ${atlas.frames.length}.`)
  return { sources, bytes: new Uint8Array(Buffer.concat(bitmaps.map(({ data }) => data))) }
}

/** One round, the way back of a yoyo too: ends are not doubled, and a loop leaves its first frame to the next round. */
function roundOf({ play, durations, fps, loop, yoyo }: FrameSequence): readonly { readonly name: string; readonly ms: number }[] {
  const there = play.map((name, at) => ({ name, ms: durations?.[at] ?? 1000 / fps }))
  return yoyo ? [...there, ...there.slice(loop ? 1 : 0, -1).reverse()] : there
}

/** Two rounds and a bit, in steps of a millisecond. */
function stepsOf(sequence: FrameSequence): number {
  return Math.ceil(2.2 * roundOf(sequence).reduce((sum, { ms }) => sum + ms, 0))
}

function timelineOf(sequence: FrameSequence): Shown[] {
  const round = roundOf(sequence)
  const shown: Shown[] = []
  let startMs = 0
  for (let at = 0; startMs < stepsOf(sequence) && (sequence.loop || at < round.length); at++) {
    const { name, ms } = round[at % round.length]!
    // One frame twice in a row is seen once.
    if (shown.at(-1)?.name !== name) shown.push({ name, startMs })
    startMs += ms
  }
  return shown
}
