import {
  type Bitmap,
  type Borders,
  blit,
  type Canvas,
  createBitmap,
  type FrameSequence,
  scaleFrames,
  stabilize,
} from '../../atlas/index.ts'
import { SpritewrightError } from '../errors.ts'
import type { FrameReview } from '../service/wire.ts'
import { animationId } from '../spec/request.ts'
import type { AnimationSpec, SpriteSpec } from '../spec/spec.ts'
import { type OpenOptions, openResult } from './open-result.ts'
import { layOver } from './overrides.ts'
import { type AnimationQuality, isClosedLoop, judgeFrames } from './quality.ts'
import { isCutAlone } from './sheet-key.ts'
import type { DeliveryLayout, ResultSource, SheetInput } from './sources.ts'
import { drawStandIn } from './stand-in.ts'

/** The sequence of an animation and what a person should know about it. */
export interface SequenceReport {
  readonly sequence: FrameSequence
  /** Of what was bought, where it was looked at; a placeholder never is. */
  readonly quality?: AnimationQuality
  readonly warnings: readonly string[]
  /** How many frames were delivered; a placeholder has none. */
  readonly delivered?: number
}

/** Names the frames that {@link readPlayed} gives, and scales them to the size that was asked for. @throws `SW_SPEC` for borders that leave nothing between them. */
export async function toSequence(input: SheetInput, played: PlayedFrames): Promise<SequenceReport> {
  const { spec, animation } = input
  const { frames, canvases, indices, anchor, whole, quality, warnings, delivered } = played
  const sized = spec.size === undefined ? frames : await scaleFrames(frames, spec.size, spec.pixelArt, whole)
  const nameOf = (index: number): string => `${spec.name}/${animation.name}/${frameNumber(index)}`
  const named = indices.map((index, at) => ({
    index,
    name: nameOf(index),
    bitmap: sized[at] as Bitmap,
    ...(canvases ? { canvas: canvases[at] as Canvas } : {}),
    durationMs: 1000 / animation.fps,
  }))
  const sequence: FrameSequence = {
    name: `${spec.name}/${animation.name}`,
    sprite: spec.name,
    frames: named.sort((a, b) => a.index - b.index).map(({ index: _, ...frame }) => frame),
    play: (animation.use ?? indices).map(nameOf),
    ...(animation.durations ? { durations: animation.durations } : {}),
    fps: animation.fps,
    loop: animation.loop,
    yoyo: animation.yoyo,
    ...(anchor ? { anchor } : {}),
    ...fittingBorders(input, sized[0] as Bitmap),
    trim: spec.trim,
    extrude: spec.extrude,
    padding: spec.padding,
    pixelArt: spec.pixelArt,
  }
  return { sequence, ...(quality ? { quality } : {}), warnings, ...(delivered === undefined ? {} : { delivered }) }
}

/** What a nine-slice keeps unstretched; a placeholder that is too small for it has none. @throws `SW_SPEC` where nothing is left between two borders: no engine stretches that. */
function fittingBorders({ spec, source }: SheetInput, frame: Bitmap): { readonly borders?: Borders } {
  const { borders, file } = spec
  if (borders === undefined) return {}
  const { left, top, right, bottom } = borders
  const { width, height } = frame
  if (left + right < width && top + bottom < height) return { borders }
  if (source.kind !== 'result') return {}
  throw new SpritewrightError('SW_SPEC', {
    message:
      `${file}: expected borders that leave something between them to stretch, found ${left} + ${right} of ${width} pixels across ` +
      `and ${top} + ${bottom} of ${height} down. Make them narrower, or the frames larger (size).`,
    facts: { file, ...borders, width, height },
  })
}

/** How a frame is numbered in names: `0003`. */
export function frameNumber(index: number): string {
  return String(index).padStart(4, '0')
}

/** Frames as the game plays them, at the size in which they were delivered. */
export interface PlayedFrames {
  /** In playing order, each once. */
  readonly frames: readonly Bitmap[]
  /** Where each stands in the whole frame, where only what is seen of it was read. */
  readonly canvases?: readonly Canvas[]
  /** Which delivered frame each of them is. */
  readonly indices: readonly number[]
  /** The spec's, on the canvas as it is now. */
  readonly anchor?: { readonly x: number; readonly y: number }
  /** The size of the frames before they got room. */
  readonly whole: { readonly width: number; readonly height: number }
  /** Delivered frames that a person has touched up. */
  readonly touched: ReadonlySet<number>
  readonly quality?: AnimationQuality
  readonly warnings: readonly string[]
  /** How many frames were delivered; a placeholder has none. */
  readonly delivered?: number
}

/** How the frames of an animation are read. */
export interface PlayOptions extends OpenOptions {
  /** Whether the frames are looked at, which takes longer than reading them. @default true */
  readonly isJudged?: boolean
  /** Looks for the frames where an earlier build may have kept them. @default the result is opened */
  readonly recall?: () => Promise<Opened | undefined>
}

/**
 * Opens a result, or draws a placeholder: the frames of an animation that are used, touched up by hand where that was done, put back where `stabilize` asks for it, and looked at.
 *
 * With `isCut` they are cut as soon as they are decoded, where nothing of this needs them whole.
 *
 * @throws `SW_DELIVERY` for a result that cannot be read: it stays in the vault. `SW_SPEC` where `use` names a frame that was not delivered.
 * `SW_OVERRIDE` for a touched-up frame that does not fit.
 */
export async function readPlayed(input: SheetInput, { isJudged = true, ...options }: PlayOptions = {}): Promise<PlayedFrames> {
  const { spec, animation, source } = input
  const isCut = options.isCut === true && !isJudged && isCutAlone(input)
  const opened =
    source.kind === 'result'
      ? ((await options.recall?.()) ?? (await openTouchedUp(input, source, { ...options, isCut })))
      : { frames: await drawStandIn(spec, animation, source), touched: new Set<number>(), warnings: [] }
  const indices = usedFrames(spec, animation, opened.frames.length)
  const pick = <T>(all: readonly T[]): readonly T[] => indices.map((index) => all[index] as T)
  const pictures = pick(opened.frames)
  const canvases = opened.canvases && pick(opened.canvases)
  const { width, height } = canvases?.[0] ?? pictures[0]!
  const whole = { width, height }
  const base = { indices, whole, touched: opened.touched, warnings: opened.warnings, ...(canvases ? { canvases } : {}) }
  if (source.kind !== 'result') return { ...base, frames: pictures, ...(spec.anchor ? { anchor: spec.anchor } : {}) }
  const { review } = source
  const shifted = indices.flatMap((index, at) => (review?.sourceShiftedFrames.includes(index) ? [at] : []))
  const { frames, origin } = spec.stabilize
    ? stabilize(pictures, { loop: isClosedLoop(animation), shifted })
    : { frames: pictures, origin: { x: 0, y: 0 } }
  const judge = (): AnimationQuality => {
    const seen = canvases ? frames.map((frame, at) => onCanvas(frame, canvases[at]!)) : frames
    return judgeFrames({ spec, animation, frames: seen, indices, review: review && withoutTouched(review, opened.touched) })
  }
  const quality = opened.quality ?? (isJudged ? judge() : undefined)
  return {
    ...base,
    frames,
    ...(spec.anchor ? { anchor: moveAnchor(spec.anchor, whole, origin) } : {}),
    ...(quality ? { quality } : {}),
    delivered: opened.frames.length,
  }
}

/** A whole frame of which only what is seen was kept. */
function onCanvas(cut: Bitmap, { x, y, width, height }: Canvas): Bitmap {
  const frame = createBitmap(width, height)
  blit(frame, cut, x, y)
  return frame
}

/** Indices of the frames that are played, each once, in the order in which they first come. */
function usedFrames(spec: SpriteSpec, animation: AnimationSpec, delivered: number): readonly number[] {
  const used = [...new Set(animation.use ?? Array.from({ length: delivered }, (_, index) => index))]
  const beyond = used.find((index) => index >= delivered)
  if (beyond === undefined) return used
  throw new SpritewrightError('SW_SPEC', {
    message: `${spec.file}: animations.${animation.name}.use names frame ${beyond}, the delivery has ${delivered} frames, 0 to ${delivered - 1}. Take it out of "use".`,
    facts: { file: spec.file, animation: animation.name, frame: beyond, frames: delivered },
  })
}

/** The same point of the figure, on a canvas that has grown by `origin` on every side. */
function moveAnchor(
  anchor: { readonly x: number; readonly y: number },
  whole: { readonly width: number; readonly height: number },
  origin: { readonly x: number; readonly y: number },
): { readonly x: number; readonly y: number } {
  if (origin.x === 0 && origin.y === 0) return anchor
  return {
    x: (anchor.x * whole.width + origin.x) / (whole.width + 2 * origin.x),
    y: (anchor.y * whole.height + origin.y) / (whole.height + 2 * origin.y),
  }
}

/** The frames of a result as they were delivered, all of them, in that order. @throws `SW_DELIVERY` for a result that cannot be read: it stays in the vault. */
export async function readDelivered(
  input: Pick<SheetInput, 'spec' | 'animation'> & { readonly source: ResultSource },
  layout: DeliveryLayout | undefined,
): Promise<readonly Bitmap[]> {
  return (await openResult(input, input.source, { layout })).frames
}

/** Frames at the size in which they were delivered, in that order. */
export interface Opened {
  /** Of what an earlier build has kept, those alone that are played. */
  readonly frames: readonly Bitmap[]
  readonly canvases?: readonly Canvas[]
  /** Those that a person has touched up. */
  readonly touched: ReadonlySet<number>
  readonly warnings: readonly string[]
  /** What is known of them, played as they are now. */
  readonly quality?: AnimationQuality
}

/** A result with what a person has laid over it. */
async function openTouchedUp(input: SheetInput, source: ResultSource, options: OpenOptions): Promise<Opened> {
  const opened = await openResult(input, source, options)
  if (!input.overrides) return { ...opened, touched: new Set() }
  return { ...opened, ...(await layOver(animationId(input.spec, input.animation), opened.frames, input.overrides)) }
}

/** What the service says of frames that a person has worked on since is told no more. */
function withoutTouched(review: FrameReview, touched: ReadonlySet<number>): FrameReview {
  const rest = (frames: readonly number[]): readonly number[] => frames.filter((frame) => !touched.has(frame))
  return {
    ...review,
    keptBackgroundFrames: rest(review.keptBackgroundFrames),
    inspectionFrames: rest(review.inspectionFrames),
    sourceShiftedFrames: rest(review.sourceShiftedFrames),
  }
}
