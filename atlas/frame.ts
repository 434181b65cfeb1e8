import type { Bitmap } from './bitmap.ts'
import { AtlasError } from './errors.ts'
import { mostExtrude, mostPadding, pageSide } from './limits.ts'

/** An untrimmed frame of which only a part is kept. */
export interface Canvas {
  /** Left edge of the part. */
  readonly x: number
  /** Top edge of the part. */
  readonly y: number
  /** Of the whole frame. */
  readonly width: number
  readonly height: number
}

/** One picture of an animation as it goes into an atlas. All frames of one animation have one size. */
export interface Frame {
  /** `sprite/animation/0000`: the name in every engine, unique in a project. */
  readonly name: string
  /** The whole, untrimmed picture; with `canvas` what was cut out of it. */
  readonly bitmap: Bitmap
  /** Where a picture that is cut already stands in its untrimmed frame, pixels. @default the bitmap is the whole frame */
  readonly canvas?: Canvas
  /** How long it is shown, milliseconds. */
  readonly durationMs: number
}

/** What a nine-slice keeps unstretched at each side of a frame, pixels, 0 or more. */
export interface Borders {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Frames in playing order and how to play them. An animation never spans two pages. */
export interface FrameSequence {
  /** `sprite/animation`. */
  readonly name: string
  /** Name of the sprite. */
  readonly sprite: string
  /** The pictures, each once, in the order of their names. */
  readonly frames: readonly Frame[]
  /** Names of frames in playing order; a name may come more than once. */
  readonly play: readonly string[]
  /** Milliseconds of each played frame, as many as `play` has. @default `durationMs` of the frame played */
  readonly durations?: readonly number[]
  /** Frames a second; durations rule where they differ. */
  readonly fps: number
  readonly loop: boolean
  /** There and back, ends once. */
  readonly yoyo: boolean
  /** 0 to 1 of the untrimmed frame; only where the author set it. */
  readonly anchor?: { readonly x: number; readonly y: number }
  /** For nine-slices: borders in pixels at scale 1; the frames are then not trimmed. @default none */
  readonly borders?: Borders
  /** Cut the clear border off. */
  readonly trim: boolean
  /** Rings of repeated edge pixels around the frame, 0 to 16. */
  readonly extrude: number
  /** Clear pixels between frames, 0 to 64; the larger of two neighbours counts. */
  readonly padding: number
  /** Nearest-neighbour in the engine. */
  readonly pixelArt: boolean
}

/**
 * Refuses sequences that no atlas can hold.
 *
 * @throws {AtlasError} `SW_FRAME_SIZE` for frames of different size in a sequence, `SW_ATLAS_OPTION` for names that come twice, no frames, played frames that are
 * not there, another number of durations, or extrude, padding and borders out of range.
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
  for (const { name, frames, play, durations, extrude, padding, borders } of sequences) {
    claim(name)
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

/** The untrimmed frame, and where the bitmap stands in it. */
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
