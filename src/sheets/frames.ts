import {
  type Bitmap,
  type Borders,
  blit,
  type Canvas,
  createBitmap,
  cutSequence,
  type FrameSequence,
  figureSide,
  type Looks,
  scaleFrames,
  stabilize,
  type TruePixels,
  toTruePixels,
} from '../../atlas/index.ts'
import { SpritewrightError } from '../errors.ts'
import type { FrameReview } from '../service/wire.ts'
import { bordersOf } from '../sprite-spec/borders.ts'
import { animationId } from '../sprite-spec/request.ts'
import { type AnimationSpec, frameName, type SpriteSpec } from '../sprite-spec/spec.ts'
import { type OpenedResult, openResult } from './open-result.ts'
import { layOver } from './overrides/overrides.ts'
import { drawPlaceholder } from './placeholder.ts'
import { type AnimationQuality, isClosedLoop, judgeFrames } from './quality.ts'
import { type DeliveryLayout, type FrameSource, isChecked, type ResultSource, type SheetInput } from './sources.ts'

/** A frame that is ready for packing. */
export interface CutFrame {
  /** Index of the delivered frame. */
  readonly index: number
  readonly bitmap: Bitmap
  /**
   * Position of the bitmap in the untrimmed frame.
   *
   * @default the bitmap is the whole frame
   */
  readonly canvas?: Canvas
}

/** The frames of an animation, ready for packing: the first level of the build cache. */
export interface CutAnimation {
  /** Sorted by index, each once. */
  readonly frames: readonly CutFrame[]
  /** See {@link PlayedFrames}. */
  readonly room: Canvas
  /** See {@link PlayedFrames}. */
  readonly figureSide?: number
  /** Missing for a placeholder, or if the frames were not checked. */
  readonly quality?: AnimationQuality
  readonly warnings: readonly string[]
}

/** The values that decide the scale of a figure. */
export type FigureMeasure = Pick<PlayedFrames, 'figureSide' | 'room'>

/**
 * Whether two animations of a sprite get one scale. Deliveries with frames of one size were drawn at one scale: a
 * crouch stays lower than a walk. Pixel art has one scale in all animations, so that its pixels have one size.
 */
export function isOneScale({ pixelArt }: SpriteSpec, { room: a }: FigureMeasure, { room: b }: FigureMeasure): boolean {
  return pixelArt || (a.width === b.width && a.height === b.height)
}

/**
 * Scales the played frames to the size in the spec. Trims them unless the spec disables it.
 *
 * @param base Measure of the animation that sets the scale.
 * @default the animation has its own scale
 */
export async function cutAnimation(input: SheetInput, played: PlayedFrames, base?: FigureMeasure): Promise<CutAnimation> {
  const { frames, indices, room, figureSide, quality, warnings } = played
  const { size, pixelArt } = input.spec
  const fit = size?.kind === 'figure' ? { ...size, side: base?.figureSide ?? figureSide ?? 1 } : size
  const sized = fit === undefined ? frames : await scaleFrames(frames, fit, pixelArt, room)
  const whole = indices.map((index, at) => ({ index, bitmap: sized[at] as Bitmap })).sort((a, b) => a.index - b.index)
  const cut = cutSequence(toSequence(input, { frames: whole, room })).frames
  return {
    frames: whole.map(({ index }, at) => {
      const { bitmap, canvas } = cut[at]!
      return { index, bitmap, canvas }
    }),
    room,
    figureSide,
    quality,
    warnings,
  }
}

/** Restores the untrimmed frames, from which smaller scales are made. */
export function untrimmed(cut: CutAnimation): CutAnimation {
  const frames = cut.frames.map(({ index, bitmap, canvas }) => {
    if (!canvas) return { index, bitmap }
    const whole = createBitmap(canvas.width, canvas.height)
    blit(whole, bitmap, canvas.x, canvas.y)
    return { index, bitmap: whole }
  })
  return { ...cut, frames }
}

/**
 * Names cut frames and adds the spec's settings for playback and packing.
 *
 * @throws `SW_SPEC` for borders that leave no space between them.
 */
export function toSequence(input: SheetInput, { frames, room }: Pick<CutAnimation, 'frames' | 'room'>): FrameSequence {
  const { spec, animation } = input
  const { anchor } = spec
  const [first] = frames as readonly [CutFrame]
  return {
    name: `${spec.name}/${animation.name}`,
    sprite: spec.name,
    frames: frames.map(({ index, ...frame }) => ({ ...frame, name: frameName(spec, animation, index), durationMs: 1000 / animation.fps })),
    play: (animation.use ?? frames.map(({ index }) => index)).map((index) => frameName(spec, animation, index)),
    durations: animation.durations,
    fps: animation.fps,
    loop: animation.loop,
    yoyo: animation.yoyo,
    ...(animation.isPicture ? { isStill: true } : {}),
    ...(anchor ? { anchor: moveAnchor(anchor, room) } : {}),
    ...fittingBorders(input, first.canvas ?? first.bitmap, room),
    trim: spec.trim,
    extrude: spec.extrude,
    padding: spec.padding,
    pixelArt: spec.pixelArt,
    looks: looksOf(spec),
  }
}

/** The further looks of a sprite. Returns `undefined` if its spec has none. */
export function looksOf({ variants, normals }: SpriteSpec): Looks | undefined {
  return (variants ?? normals) && { variants, normals }
}

/** Returns `hero/walk` for the frame `hero/walk/0003` of an animation, and the same name for a picture. */
export function ownerOf(frame: string): string {
  const [sprite, animation, number] = frame.split('/')
  return number === undefined ? frame : `${sprite}/${animation}`
}

/**
 * Borders of a nine-slice, which are not stretched. A placeholder that is too small has no borders.
 *
 * @throws `SW_SPEC` if two borders leave no space between them, because no engine can stretch such a frame.
 */
function fittingBorders({ spec, animation, source }: SheetInput, { width, height }: Side, whole: Side): { readonly borders?: Borders } {
  const { file } = spec
  const found = bordersOf(spec, animation)
  if (found === undefined) return {}
  const borders = found.isOfSource ? scaledBorders(found.sides, width / whole.width, height / whole.height) : found.sides
  const { left, top, right, bottom } = borders
  if (left + right < width && top + bottom < height) return { borders }
  if (source.kind === 'placeholder') return {}
  throw new SpritewrightError('SW_SPEC', {
    message:
      `${file}: expected borders that leave space between them, found ${left} + ${right} of ${width} pixels across ` +
      `and ${top} + ${bottom} of ${height} down. Make them narrower, or the frames larger (size).`,
    facts: { file, ...borders, width, height },
  })
}

interface Side {
  readonly width: number
  readonly height: number
}

function scaledBorders({ left, top, right, bottom }: Borders, across: number, down: number): Borders {
  const times = (px: number, factor: number): number => Math.round(px * factor)
  return { left: times(left, across), top: times(top, down), right: times(right, across), bottom: times(bottom, down) }
}

/** Frames as the game plays them, at their delivered size. */
export interface PlayedFrames {
  /** In playing order, each once. */
  readonly frames: readonly Bitmap[]
  /** For each frame, the index of the delivered frame. */
  readonly indices: readonly number[]
  /**
   * Position of the delivered frame in these frames, which `stabilize` may enlarge by the same amount on
   * opposite sides. `width` and `height` are the size of the delivered frame.
   */
  readonly room: Canvas
  /**
   * Longest side of the figure in the delivered frames, in pixels. Only measured if the spec sets the figure's size.
   */
  readonly figureSide?: number
  /** Delivered frames that a person has touched up. */
  readonly touched: ReadonlySet<number>
  readonly quality?: AnimationQuality
  readonly warnings: readonly string[]
}

/** Options of {@link readPlayed}. */
export interface PlayOptions {
  readonly layout?: DeliveryLayout | undefined
  /**
   * Whether the quality of bought frames is checked, which takes longer than reading them.
   *
   * @default true
   */
  readonly isJudged?: boolean
  /**
   * Makes true pixels of the frames.
   *
   * @default the frames keep their pixels
   */
  readonly truePixels?: TruePixels | undefined
  /**
   * The frames in true pixels, but no placeholder's.
   *
   * @default they are opened
   */
  readonly opened?: OpenedFrames | undefined
}

/** All frames of an animation, and which of them a person has touched up. */
export interface OpenedFrames extends OpenedResult {
  readonly touched: ReadonlySet<number>
}

/**
 * Reads the used frames of an animation from its result, or draws a placeholder. Touched-up frames replace
 * delivered ones. All of them become true pixels and are stabilized, if the spec asks for it. A placeholder has
 * the cells of its sprite, but colours of its own.
 *
 * @throws `SW_DELIVERY` for a result that cannot be read. It stays in the vault.
 * @throws `SW_SPEC` if `use` names a frame that was not delivered.
 * @throws `SW_OVERRIDE` for a touched-up frame that does not fit.
 */
export async function readPlayed(input: SheetInput, options: PlayOptions = {}): Promise<PlayedFrames> {
  const { layout, isJudged = true, truePixels: { grid, ...colours } = {} } = options
  const { spec, animation, source } = input
  const truePixels = source.kind === 'placeholder' ? { grid } : { grid, ...colours }
  const { touched, warnings, ...opened } = options.opened ?? (await openFrames(input, layout))
  const all = options.opened?.frames ?? toTruePixels(opened.frames, truePixels)
  const indices = usedFrames(spec, animation, all.length)
  const pictures = indices.map((index) => all[index] as Bitmap)
  const { width, height } = pictures[0]!
  // The mark of a placeholder is no part of the figure.
  const unmarked = async (): Promise<readonly Bitmap[]> =>
    source.kind === 'placeholder'
      ? toTruePixels(await drawPlaceholder(spec, { ...animation, frames: 1 }, { ...source, isMarked: false }), truePixels)
      : all
  const measured = spec.size?.kind === 'figure' ? { figureSide: figureSide(await unmarked()) } : {}
  if (source.kind === 'placeholder')
    return { frames: pictures, indices, room: { x: 0, y: 0, width, height }, ...measured, touched, warnings }
  const review = source.kind === 'result' ? source.review : undefined
  const shifted = indices.flatMap((index, at) => (review?.sourceShiftedFrames.includes(index) ? [at] : []))
  const { frames, origin } = spec.stabilize
    ? stabilize(pictures, { loop: isClosedLoop(animation), shifted })
    : { frames: pictures, origin: { x: 0, y: 0 } }
  const resized = opened.resized.filter(({ index }) => !touched.has(index))
  const quality =
    isJudged &&
    isChecked(input) &&
    judgeFrames({ spec, animation, frames, indices, resized, canvas: { width, height }, review: review && withoutTouched(review, touched) })
  return { frames, indices, room: { ...origin, width, height }, ...measured, touched, ...(quality ? { quality } : {}), warnings }
}

/**
 * Opens all frames of an animation, with the frames that a person has touched up.
 *
 * @throws As {@link readPlayed}.
 */
export async function openFrames(input: SheetInput, layout: DeliveryLayout | undefined): Promise<OpenedFrames> {
  const { source } = input
  if (source.kind === 'result') return openTouchedUp(input, source, layout)
  return { frames: await readOther(input, source), resized: [], touched: new Set(), warnings: [] }
}

function readOther({ spec, animation }: SheetInput, source: Exclude<FrameSource, ResultSource>): Promise<readonly Bitmap[]> {
  return source.kind === 'own' ? source.read() : drawPlaceholder(spec, animation, source)
}

/** Indices of the played frames, each once, in the order in which they first appear. */
function usedFrames(spec: SpriteSpec, animation: AnimationSpec, delivered: number): readonly number[] {
  const used = [...new Set(animation.use ?? Array.from({ length: delivered }, (_, index) => index))]
  const beyond = used.find((index) => index >= delivered)
  if (beyond === undefined) return used
  throw new SpritewrightError('SW_SPEC', {
    message: `${spec.file}: animations.${animation.name}.use names frame ${beyond}, the delivery has ${delivered} frames, 0 to ${delivered - 1}. Take it out of "use".`,
    facts: { file: spec.file, animation: animation.name, frame: beyond, frames: delivered },
  })
}

/** Moves an anchor to the same point of the figure on a canvas that has grown on every side. */
function moveAnchor(anchor: { readonly x: number; readonly y: number }, { x, y, width, height }: Canvas): { x: number; y: number } {
  if (x === 0 && y === 0) return anchor
  return { x: (anchor.x * width + x) / (width + 2 * x), y: (anchor.y * height + y) / (height + 2 * y) }
}

/**
 * Reads all delivered frames of a result, in the order of delivery.
 *
 * @throws `SW_DELIVERY` for a result that cannot be read. It stays in the vault.
 */
export async function readDelivered(
  input: Pick<SheetInput, 'spec' | 'animation'> & { readonly source: ResultSource },
  layout: DeliveryLayout | undefined,
): Promise<readonly Bitmap[]> {
  return (await openResult(input, input.source, layout)).frames
}

/** Opens a result and replaces the frames that a person has touched up. */
async function openTouchedUp(input: SheetInput, source: ResultSource, layout: DeliveryLayout | undefined): Promise<OpenedFrames> {
  const opened = await openResult(input, source, layout)
  if (!input.overrides) return { ...opened, touched: new Set() }
  const touched = await layOver(animationId(input.spec, input.animation), opened.frames, input.overrides)
  return { ...opened, ...touched, warnings: [...opened.warnings, ...touched.warnings] }
}

/** Removes the service's remarks on touched-up frames, because they no longer apply. */
function withoutTouched(review: FrameReview, touched: ReadonlySet<number>): FrameReview {
  const rest = (frames: readonly number[]): readonly number[] => frames.filter((frame) => !touched.has(frame))
  return {
    ...review,
    keptBackgroundFrames: rest(review.keptBackgroundFrames),
    inspectionFrames: rest(review.inspectionFrames),
    sourceShiftedFrames: rest(review.sourceShiftedFrames),
  }
}
