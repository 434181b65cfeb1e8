import { formats } from '../../atlas/formats/registry.ts'
import {
  type Atlas,
  alignSequences,
  type Bitmap,
  createBitmap,
  encodePages,
  type FrameSequence,
  makeAtlas,
  scaleSequence,
  sharedUnit,
  shrinkAtlas,
  variantsOf,
} from '../../atlas/index.ts'
import { type AnimationCase, type AtlasCase, drawArt } from './random-case.ts'

/** The task of an engine for one scale of an atlas; the fixtures `random-*.js` read it. */
export interface Errand {
  /** Path of the files from the server's root. */
  readonly folder: string
  /** The pixels of `frames`, in the folder. */
  readonly file: string
  /** Name of the atlas, or of a variant of it. */
  readonly name: string
  readonly scale: number
  readonly pixelArt: boolean
  /** Frames whose pixels are in `file`: RGBA, straight alpha, from byte `at` on. */
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
  /** The box `seen` around its visible pixels, as it was drawn: left, top, width and height. Missing if it is clear. */
  readonly box?: readonly number[]
  /**
   * The pixels around it on its page: its own edge repeated, or clear. Missing if the case lets neighbours
   * touch it.
   */
  readonly ring?: 'edge' | 'clear'
}

/** A frame, and the millisecond at which it appears. */
export interface Shown {
  readonly name: string
  readonly startMs: number
}

/** An atlas as files, with its expected picture and playback. */
export interface MadeAtlas {
  readonly errands: readonly Errand[]
  readonly files: ReadonlyMap<string, Uint8Array>
  /** By animation. */
  readonly timelines: ReadonlyMap<string, readonly Shown[]>
  readonly pages: number
  /** Frames that are turned on the pages of the largest scale. */
  readonly turned: number
}

/**
 * Packs a case, and writes it for Phaser and PixiJS as the product does.
 *
 * @param name Name of the atlas and of the folder of its files.
 */
export async function makeRandomAtlas(asked: AtlasCase, name: string): Promise<MadeAtlas> {
  const sequences = asked.animations.map((one, index) => withVariant(toSequence(one, `${name}-${index}/play`, asked.pixelArt), index))
  const variants = await layOut(name, sequences, asked)
  const files = new Map<string, Uint8Array>()
  const put = (folder: string, all: readonly { readonly file: string; readonly bytes: Uint8Array }[]): void => {
    for (const { file, bytes } of all) files.set(`${name}/${folder}${file}`, bytes)
  }
  const encoded = []
  const looks = variants.flatMap(({ atlas }) => [atlas, ...variantsOf(atlas)])
  for (const atlas of looks) encoded.push(await encodePages(atlas, { format: 'png', ...(asked.palette ? { palette: 'exact' } : {}) }))
  for (const { pages } of encoded) put('', pages)
  put('', [...(asked.rotate ? [] : formats.phaser.write(encoded)), ...formats.pixi.write(encoded)])
  const timelines = new Map(sequences.map((sequence) => [sequence.name, timelineOf(sequence)]))
  const toErrand = (atlas: Atlas, frames: ReturnType<typeof gather>): Errand => {
    const file = `sources-${atlas.name}@${atlas.scale}.bin`
    put('', [{ file, bytes: frames.bytes }])
    const playbacks = atlas.animations.map(({ name: animation, loop }) => {
      const sequence = sequences.find((one) => one.name === animation.replace('.other/', '/'))!
      return { name: animation, loop, steps: stepsOf(sequence) }
    })
    return { folder: `${name}/`, file, name: atlas.name, scale: atlas.scale, pixelArt: asked.pixelArt, frames: frames.sources, playbacks }
  }
  const errands = variants.flatMap(({ atlas, shown, large }) => [
    toErrand(atlas, gather(shown, large, asked, atlas.scale)),
    ...variantsOf(atlas).map((variant) => toErrand(variant, inOtherColours(gather(shown, large, asked, atlas.scale), sequences))),
  ])
  return {
    errands,
    files,
    timelines,
    pages: variants[0]!.atlas.pages.length,
    turned: variants[0]!.atlas.frames.filter(({ isTurned }) => isTurned).length,
  }
}

/** The sequence of an animation. */
export function toSequence(one: AnimationCase, name: string, pixelArt: boolean): FrameSequence {
  const { width, height, art, play, fps, durations, anchor, ...rest } = one
  const nameOf = (index: number): string => `${name}/${String(index).padStart(4, '0')}`
  const frames = art.map((words, index) => ({
    name: nameOf(index),
    bitmap: drawArt(words, width, height),
    durationMs: 1000 / fps,
    ...boxesOf(seenIn(drawArt(words, width, height))),
  }))
  const optional = { ...(durations === undefined ? {} : { durations }), ...(anchor === undefined ? {} : { anchor }) }
  return { name, sprite: name.split('/')[0]!, frames, play: play.map(nameOf), fps, pixelArt, ...rest, ...optional }
}

/** Gives every second animation a variant, in which the colour of its first visible pixel is another one. */
function withVariant(sequence: FrameSequence, index: number): FrameSequence {
  const colour = index % 2 === 0 ? firstColour(sequence) : undefined
  return colour === undefined ? sequence : { ...sequence, looks: { variants: { other: [{ from: [colour], to: [other], tolerance: 0 }] } } }
}

const other = '#0cc822'

function firstColour({ frames }: FrameSequence): string | undefined {
  for (const { bitmap } of frames)
    for (let at = 0; at < bitmap.data.length; at += 4)
      if (bitmap.data[at + 3]! > 0) return `#${Buffer.from(bitmap.data.subarray(at, at + 3)).toString('hex')}`
  return undefined
}

/** The frames of the variant: pixels of exactly that colour have the other one. */
function inOtherColours({ sources, bytes }: ReturnType<typeof gather>, sequences: readonly FrameSequence[]): ReturnType<typeof gather> {
  const changed = bytes.slice()
  const shown = sources.flatMap((source) => {
    const [ramp] = sequences.find(({ sprite }) => sprite === source.name.split('/')[0])?.looks?.variants?.other ?? []
    if (!ramp) return []
    const from = Buffer.from(ramp.from[0]!.slice(1), 'hex')
    for (let at = source.at; at < source.at + source.width * source.height * 4; at += 4)
      if (changed[at + 3]! > 0 && from.equals(changed.subarray(at, at + 3))) changed.set(Buffer.from(other.slice(1), 'hex'), at)
    return [{ ...source, name: source.name.replace('/', '.other/') }]
  })
  return { sources: shown, bytes: changed }
}

/** Left, top, width and height of the visible pixels; `undefined` if there are none. */
function seenIn({ width, data }: Bitmap): readonly [number, number, number, number] | undefined {
  const seen = Array.from({ length: data.length / 4 }, (_, at) => at).filter((at) => data[at * 4 + 3]! > 0)
  if (seen.length === 0) return undefined
  const [across, down] = [seen.map((at) => at % width), seen.map((at) => Math.floor(at / width))]
  const [left, top] = [Math.min(...across), Math.min(...down)]
  return [left, top, Math.max(...across) + 1 - left, Math.max(...down) + 1 - top]
}

function boxesOf(seen: ReturnType<typeof seenIn>): Pick<FrameSequence['frames'][number], 'boxes'> {
  return seen ? { boxes: { seen: [seen] } } : {}
}

/** All scales in one layout, if they have a common unit, as in a build. */
export async function layOut(name: string, sequences: readonly FrameSequence[], { scales, maxSize, rotate = false }: AtlasCase) {
  const at = (all: readonly FrameSequence[], scale: number): Promise<FrameSequence[]> =>
    Promise.all(all.map((sequence) => scaleSequence(sequence, scale)))
  const unit = sharedUnit(scales)
  const [largest = 1, ...smaller] = scales
  const variants: { atlas: Atlas; shown: readonly FrameSequence[]; large: readonly FrameSequence[] }[] = []
  if (unit === undefined || smaller.length === 0) {
    for (const scale of scales) {
      const shown = await at(sequences, scale)
      variants.push({ atlas: makeAtlas(name, shown, { maxSize, rotate, scale }), shown, large: shown })
    }
    return variants
  }
  const aligned = alignSequences(sequences, scales, unit)
  const shown = await at(aligned, largest)
  const large = makeAtlas(name, shown, { maxSize, rotate, scale: largest, align: unit })
  variants.push({ atlas: large, shown, large: shown })
  for (const scale of smaller) {
    const smaller = await at(aligned, scale)
    variants.push({ atlas: shrinkAtlas(large, smaller, scale), shown: smaller, large: shown })
  }
  return variants
}

/**
 * Highest alpha, of 255, that may be cleared around a trimmed frame at a smaller scale. Lanczos rings reach
 * further out than the frame.
 */
const FAINT = 12

/**
 * The frame as it should appear at a smaller scale: without the faint rings more than a pixel outside of the
 * part that is visible at the largest scale.
 */
function withoutRings(bitmap: Bitmap, large: Bitmap): Bitmap {
  const ratio = bitmap.width / large.width
  const seen = Array.from({ length: large.width * large.height }, (_, at) => at).filter((at) => large.data[at * 4 + 3]! > 0)
  const span = (places: readonly number[]): readonly [number, number] => [
    Math.floor(Math.min(...places) * ratio),
    Math.ceil((Math.max(...places) + 1) * ratio),
  ]
  const [left, right] = span(seen.map((at) => at % large.width))
  const [top, bottom] = span(seen.map((at) => Math.floor(at / large.width)))
  const kept = createBitmap(bitmap.width, bitmap.height, bitmap.data.slice())
  for (let at = 0; at < kept.data.length; at += 4) {
    const [x, y] = [(at / 4) % kept.width, Math.floor(at / 4 / kept.width)]
    if (x >= left - 1 && x <= right && y >= top - 1 && y <= bottom) continue
    if (kept.data[at + 3]! > FAINT) throw new Error(`Expected nothing visible at ${x}, ${y}, found an alpha of ${kept.data[at + 3]}.`)
    kept.data.fill(0, at, at + 4)
  }
  return kept
}

/**
 * The pixels of all frames, one after the other.
 *
 * @param large The frames at the scale of the layout.
 */
function gather(shown: readonly FrameSequence[], large: readonly FrameSequence[], { animations }: AtlasCase, scale: number) {
  const sources: Source[] = []
  const pixels: Uint8Array[] = []
  let at = 0
  for (const [index, { frames, anchor, trim }] of shown.entries()) {
    const { extrude, padding, art, width: wide, height: high } = animations[index]!
    for (const [number, { name, bitmap }] of frames.entries()) {
      const { width, height } = bitmap
      const ring = extrude > 0 ? 'edge' : padding > 0 ? 'clear' : undefined
      const box = seenIn(drawArt(art[number]!, wide, high))?.map((px) => Math.round(px * scale * 100) / 100)
      sources.push({
        name,
        width,
        height,
        at,
        ...(box ? { box } : {}),
        ...(anchor === undefined ? {} : { anchor }),
        ...(ring === undefined ? {} : { ring }),
      })
      const { data } = trim && large !== shown ? withoutRings(bitmap, large[index]!.frames[number]!.bitmap) : bitmap
      pixels.push(data)
      at += data.length
    }
  }
  return { sources, bytes: new Uint8Array(Buffer.concat(pixels)) }
}

/**
 * One round, including the way back of a yoyo. Ends are not doubled, and the way back of a loop leaves out
 * the first frame.
 */
function roundOf({ play, durations, fps, loop, yoyo }: FrameSequence): readonly { readonly name: string; readonly ms: number }[] {
  const there = play.map((name, at) => ({ name, ms: durations?.[at] ?? 1000 / fps }))
  return yoyo ? [...there, ...there.slice(loop ? 1 : 0, -1).reverse()] : there
}

/** A little more than two rounds, in steps of a millisecond. */
function stepsOf(sequence: FrameSequence): number {
  return Math.ceil(2.2 * roundOf(sequence).reduce((sum, { ms }) => sum + ms, 0))
}

function timelineOf(sequence: FrameSequence): Shown[] {
  const round = roundOf(sequence)
  const shown: Shown[] = []
  let startMs = 0
  for (let at = 0; startMs < stepsOf(sequence) && (sequence.loop || at < round.length); at++) {
    const { name, ms } = round[at % round.length]!
    // The same frame twice in a row is seen once.
    if (shown.at(-1)?.name !== name) shown.push({ name, startMs })
    startMs += ms
  }
  return shown
}
