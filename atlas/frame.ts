import type { Bitmap } from './bitmap.ts'
import { AtlasError } from './errors.ts'
import { mostExtrude, mostPadding, pageSide } from './limits.ts'
import type { Looks } from './looks.ts'

/** Place of a cut picture in its untrimmed frame. */
export interface Canvas {
  /** Left edge of the cut picture. */
  readonly x: number
  /** Top edge of the cut picture. */
  readonly y: number
  /** Size of the untrimmed frame. */
  readonly width: number
  readonly height: number
}

/** One picture of an animation, as input of an atlas. All frames of an animation have the same size. */
export interface Frame {
  /** `sprite/animation/0000`: the name in every engine, unique in a project. */
  readonly name: string
  /** The untrimmed picture; with `canvas`, a part of it. */
  readonly bitmap: Bitmap
  /**
   * Place of a cut picture in its untrimmed frame, pixels.
   *
   * @default the bitmap is the whole frame
   */
  readonly canvas?: Canvas
  /** Display time, milliseconds. */
  readonly durationMs: number
  /**
   * Boxes by name, in pixels of the untrimmed frame.
   *
   * @default none
   */
  readonly boxes?: FrameBoxes
}

/** A box of a frame, for hit tests, in pixels of the untrimmed frame from its top left. */
export type FrameBox = readonly [x: number, y: number, width: number, height: number]

/** Boxes of a frame by name, such as `body`. */
export type FrameBoxes = Readonly<Record<string, readonly FrameBox[]>>

/** Changes each box of a frame. */
export function mapBoxes(boxes: FrameBoxes, change: (box: FrameBox) => FrameBox): FrameBoxes {
  return Object.fromEntries(Object.entries(boxes).map(([name, all]) => [name, all.map(change)]))
}

/** Borders of a nine-slice that are not stretched, pixels, 0 or more. */
export interface Borders {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Frames of an animation, with their playback. An animation never spans two pages. */
export interface FrameSequence {
  /** `sprite/animation`. */
  readonly name: string
  /** Name of the sprite. */
  readonly sprite: string
  /** The pictures, each once, in the order of their names. */
  readonly frames: readonly Frame[]
  /** Names of frames in playing order. A name may be repeated. */
  readonly play: readonly string[]
  /**
   * Milliseconds of each played frame, as many as `play` has.
   *
   * @default `durationMs` of the played frame
   */
  readonly durations?: readonly number[]
  /** Frames per second. `durations` take precedence. */
  readonly fps: number
  readonly loop: boolean
  /**
   * Whether the sequence is one picture and no animation. Its frame may have the name of the sequence.
   *
   * @default false
   */
  readonly isStill?: boolean
  /** Whether the animation plays forwards and backwards. The frames at the turning points play once. */
  readonly yoyo: boolean
  /** 0 to 1 of the untrimmed frame. Present only if the author set it. */
  readonly anchor?: { readonly x: number; readonly y: number }
  /**
   * For nine-slices: borders in pixels at scale 1. The frames are then not trimmed.
   *
   * @default none
   */
  readonly borders?: Borders
  /** Whether to cut off the clear border. */
  readonly trim: boolean
  /** Rings of repeated edge pixels around the frame, 0 to 16. */
  readonly extrude: number
  /**
   * Names of sequences to add, each a mirror image of this one, left to right. Their frames have the new name in place
   * of this one.
   *
   * @default none
   */
  readonly mirrors?: readonly string[]
  /** Clear pixels between frames, 0 to 64. Of two neighbours the larger padding counts. */
  readonly padding: number
  /** Whether the engine must scale by nearest neighbour. */
  readonly pixelArt: boolean
  /**
   * Further looks of the frames, which become layers of the atlas.
   *
   * @default none
   */
  readonly looks?: Looks | undefined
}

/**
 * Checks sequences before they are packed.
 *
 * @throws {AtlasError} `SW_FRAME_SIZE` if frames of a sequence differ in size. `SW_ATLAS_OPTION` for
 * duplicate names, a sequence without frames, played frames that do not exist, a wrong number of durations,
 * or extrude, padding and borders out of range.
 */
export function checkSequences(sequences: readonly FrameSequence[]): void {
  const refuse = (message: string, facts: Readonly<Record<string, unknown>>): never => {
    throw new AtlasError('SW_ATLAS_OPTION', { message, facts })
  }
  const isUpTo = (value: number, high: number): boolean => Number.isInteger(value) && value >= 0 && value <= high
  const names = new Set<string>()
  const claim = (name: string): void => {
    if (names.has(name)) refuse(`Expected every animation and frame to have a name of its own, found "${name}" twice.`, { name })
    names.add(name)
  }
  for (const { name, frames, play, durations, isStill, extrude, padding, borders } of sequences) {
    if (!isStill) claim(name)
    for (const frame of frames) claim(frame.name)
    if (frames.length === 0) refuse(`Expected at least one frame in "${name}", found none.`, { animation: name })
    const own = new Set(frames.map((frame) => frame.name))
    const missing = play.find((played) => !own.has(played))
    if (missing !== undefined) refuse(`Expected "${name}" to play its own frames, found "${missing}".`, { animation: name, frame: missing })
    if (durations !== undefined && durations.length !== play.length)
      refuse(`Expected a duration for each of the ${play.length} frames that "${name}" plays, found ${durations.length}.`, {
        animation: name,
      })
    if (!isUpTo(extrude, mostExtrude))
      refuse(`Expected extrude of "${name}" from 0 to ${mostExtrude} pixels, found ${extrude}.`, { animation: name, extrude })
    if (!isUpTo(padding, mostPadding))
      refuse(`Expected padding of "${name}" from 0 to ${mostPadding} pixels, found ${padding}.`, { animation: name, padding })
    const sides = Object.values(borders ?? {})
    if (!sides.every((side) => isUpTo(side, pageSide.most)))
      refuse(`Expected borders of "${name}" in whole pixels, 0 or more, found ${sides.join(', ')}.`, { animation: name, ...borders })
    checkOneSize(name, frames)
  }
}

/** Returns the untrimmed size of a frame, and the place of its bitmap within. */
export function canvasOf({ bitmap, canvas }: Frame): Canvas {
  return canvas ?? { x: 0, y: 0, width: bitmap.width, height: bitmap.height }
}

function checkOneSize(animation: string, frames: readonly Frame[]): void {
  const first = canvasOf(frames[0]!)
  const odd = frames.find((frame) => canvasOf(frame).width !== first.width || canvasOf(frame).height !== first.height)
  if (odd === undefined) return
  throw new AtlasError('SW_FRAME_SIZE', {
    message:
      `Expected all frames of "${animation}" to be ${first.width} × ${first.height} pixels like its first, ` +
      `found "${odd.name}" with ${canvasOf(odd).width} × ${canvasOf(odd).height}.`,
    facts: { animation, frame: odd.name, width: canvasOf(odd).width, height: canvasOf(odd).height },
  })
}
