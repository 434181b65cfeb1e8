import fc from 'fast-check'
import { type Bitmap, createBitmap } from '../../atlas/index.ts'
import { createChance } from '../fuzz/chance.ts'

/** The picture of a frame. `ghost` is clear, with colours under its alpha of 0. */
export type ArtKind = 'blank' | 'ghost' | 'opaque' | 'noise' | 'disc' | 'dot' | 'box'

/** A short description of an animation, as a failure prints it. */
export interface AnimationCase {
  readonly width: number
  readonly height: number
  /** Equal values give equal frames, also in other animations of this size. */
  readonly art: readonly { readonly kind: ArtKind; readonly seed: number }[]
  /** Indices of frames, in playing order. */
  readonly play: readonly number[]
  readonly fps: number
  /** Milliseconds of each played frame. */
  readonly durations?: readonly number[]
  readonly loop: boolean
  readonly yoyo: boolean
  readonly anchor?: { readonly x: number; readonly y: number }
  readonly trim: boolean
  readonly extrude: number
  readonly padding: number
}

/** A short description of an atlas. */
export interface AtlasCase {
  readonly maxSize: number
  /** Largest first. */
  readonly scales: readonly number[]
  readonly pixelArt: boolean
  readonly palette: boolean
  /**
   * Whether frames may be turned, which only PixiJS draws.
   *
   * @default false
   */
  readonly rotate?: boolean
  readonly animations: readonly AnimationCase[]
}

/** The side of the largest page. */
const WHOLE_PAGE = 4096

const side = fc.oneof(
  fc.integer({ min: 1, max: 6 }),
  fc.integer({ min: 1, max: 40 }),
  fc.integer({ min: 1, max: 90 }),
  fc.constant(WHOLE_PAGE),
)
const kind = fc.constantFrom<ArtKind>('disc', 'box', 'noise', 'opaque', 'dot', 'blank', 'ghost')
const share = fc.constantFrom(0, 0.25, 1 / 3, 0.5, 0.8, 1)

const animation: fc.Arbitrary<AnimationCase> = fc
  .record({
    width: side,
    height: side,
    // Few seeds, so that equal frames occur.
    art: fc.array(fc.record({ kind, seed: fc.integer({ min: 0, max: 3 }) }), { minLength: 1, maxLength: 6 }),
    play: fc.option(fc.array(fc.nat(5), { minLength: 1, maxLength: 7 })),
    fps: fc.oneof(fc.integer({ min: 6, max: 60 }), fc.double({ min: 6, max: 60, noNaN: true })),
    durations: fc.option(fc.array(fc.integer({ min: 2, max: 150 }), { minLength: 7, maxLength: 7 })),
    loop: fc.boolean(),
    yoyo: fc.boolean(),
    anchor: fc.option(fc.record({ x: share, y: share }), { nil: undefined }),
    trim: fc.boolean(),
    extrude: fc.integer({ min: 0, max: 3 }),
    padding: fc.integer({ min: 0, max: 6 }),
  })
  .map(({ play, durations, anchor, ...rest }) => {
    const played = (play ?? rest.art.map((_, index) => index)).map((index) => index % rest.art.length)
    return {
      ...rest,
      play: played,
      ...(anchor === undefined ? {} : { anchor }),
      ...(durations === null ? {} : { durations: played.map((_, at) => durations[at]!) }),
    }
  })

/** Atlases of every possible kind. Each of them can be packed. */
export const atlasCases: fc.Arbitrary<AtlasCase> = fc
  .record({
    maxSize: fc.constantFrom(64, 72, 80, 96, 128, 200),
    scales: fc.oneof(
      { weight: 3, arbitrary: fc.constant([1]) },
      { weight: 2, arbitrary: fc.constantFrom([0.5], [2, 1], [1, 0.5], [1, 0.75, 0.25], [1, 0.33]) },
    ),
    pixelArt: fc.boolean(),
    palette: fc.boolean(),
    animations: fc.array(animation, { minLength: 1, maxLength: 5 }),
  })
  .map(({ animations, ...rest }) => {
    const { maxSize } = rest
    const isShared = rest.scales.length > 1
    // The common unit of the scales is up to four pixels, and rings and gaps grow by this factor.
    const near = animations.map((one) =>
      isShared ? { ...one, extrude: Math.min(1, one.extrude), padding: Math.min(2, one.padding) } : one,
    )
    const padding = Math.max(...near.map((one) => one.padding))
    return { ...rest, animations: near.map((one) => fitting(one, maxSize, rest.scales, padding)) }
  })

/** The same animation, so small that a page holds all of its frames in rows and columns. */
function fitting(one: AnimationCase, maxSize: number, scales: readonly number[], padding: number): AnimationCase {
  const unit = scales.length > 1 ? 4 : 1
  const largest = Math.max(...scales)
  const inside = maxSize - unit - 2 * unit * Math.max(1, Math.ceil(padding / 2))
  const rings = 2 * unit * one.extrude
  const longest = Math.floor((inside - rings - unit) / largest)
  const [width, height] = [Math.min(one.width, longest), Math.min(one.height, longest)]
  const cells = (px: number): number => Math.floor((inside + unit * padding) / (Math.ceil(px * largest) + unit + rings + unit * padding))
  const count = Math.min(one.art.length, Math.max(1, cells(width) * cells(height)))
  return { ...one, width, height, art: one.art.slice(0, count), play: one.play.map((index) => index % count) }
}

/** Draws the described picture. The same description gives the same pixels. */
export function drawArt(of: { readonly kind: ArtKind; readonly seed: number }, width: number, height: number): Bitmap {
  const bitmap = createBitmap(width, height)
  const chance = createChance(of.seed * 7919 + of.kind.length * 31 + of.kind.charCodeAt(0))
  const set = (x: number, y: number, alpha: number, colour: readonly number[]): void =>
    bitmap.data.set([...colour, alpha], (y * width + x) * 4)
  const random = (): number[] => [chance.under(256), chance.under(256), chance.under(256)]
  const [main, centre, box] = [random(), [chance.under(width), chance.under(height)] as const, boxIn(chance.under, width, height)]
  const reach = 1 + chance.under(Math.ceil(Math.max(width, height) * 0.7))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const far = Math.hypot(x - centre[0], y - centre[1])
      const isInBox = x >= box.left && x < box.right && y >= box.top && y < box.bottom
      if (of.kind === 'opaque') set(x, y, 255, chance.is(0.5) ? main : random())
      else if (of.kind === 'noise') set(x, y, chance.under(256), random())
      else if (of.kind === 'ghost') set(x, y, 0, random())
      else if (of.kind === 'disc') set(x, y, Math.max(0, Math.min(255, Math.round((reach - far) * 64))), main)
      else if (of.kind === 'dot' && far === 0) set(x, y, 255, main)
      else if (of.kind === 'box' && isInBox) set(x, y, 255, main)
    }
  return bitmap
}

function boxIn(under: (below: number) => number, width: number, height: number) {
  const [left, top] = [under(width), under(height)]
  return { left, top, right: left + 1 + under(width - left), bottom: top + 1 + under(height - top) }
}
