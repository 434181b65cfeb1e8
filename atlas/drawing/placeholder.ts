import { type Bitmap, createBitmap } from '../bitmap.ts'
import { clearBackdrop } from '../frames/backdrop.ts'
import { type Colour, drawFigure, wordColour } from './figure.ts'

/** What a stand-in must look like from outside. */
export interface PlaceholderOptions {
  /** Number of frames, 1 or more: as many as are asked for. */
  readonly frames: number
  /** Pixels. @default the reference's, or 128; no side longer than 512 */
  readonly width?: number
  /** Pixels. @default the reference's, or 128; no side longer than 512 */
  readonly height?: number
  /** Gives the mark its colour, so that animations can be told apart; e.g. `hero/walk`. */
  readonly label: string
  /** What the sprite is: decides what is drawn where there is no reference. @default the label */
  readonly prompt?: string
  /** `remove` takes a flat backdrop off the reference; `keep` fills the whole frame. @default 'remove' */
  readonly background?: 'remove' | 'keep'
  /** Whether a striped corner tells it from the real thing. @default true */
  readonly isMarked?: boolean
}

const DEFAULT_SIDE = 128
const LONGEST_SIDE = 512
/** How far the figure squashes, and how much closer a kept background comes. */
const SWING = 0.1
const ZOOM = 0.06

/**
 * Makes a moving stand-in for frames that have not been bought. The first frame is the reference as it is (or a figure drawn after the prompt); then it squashes and stretches once a round,
 * on its feet. The stripes of its mark move on by one each round: how long a frame is shown can be seen by them. Free, and the same each time.
 */
export function makePlaceholder(reference: Bitmap | undefined, options: PlaceholderOptions): Bitmap[] {
  const { frames, label, prompt = label, background = 'remove', isMarked = true } = options
  const { width, height } = sizeOf(reference, options)
  const isKept = background === 'keep'
  const picture = reference ? (isKept ? reference : clearBackdrop(reference)) : drawFigure(prompt, width, height, isKept)
  const colour = wordColour(label, '')
  const feet = isKept ? picture.height / 2 : lowest(picture)
  return Array.from({ length: frames }, (_, index) => {
    const turn = (1 - Math.cos((2 * Math.PI * index) / frames)) / 2
    const tall = isKept ? 1 + ZOOM * turn : 1 - SWING * turn
    const frame = createBitmap(width, height)
    drawPose(frame, picture, { wide: isKept ? tall : 1 / tall, tall, feet, isCovering: isKept })
    if (isMarked) drawMark(frame, colour, index / frames)
    return frame
  })
}

function sizeOf(reference: Bitmap | undefined, options: PlaceholderOptions): { readonly width: number; readonly height: number } {
  const width = options.width ?? reference?.width ?? DEFAULT_SIDE
  const height = options.height ?? reference?.height ?? DEFAULT_SIDE
  if (options.width !== undefined && options.height !== undefined) return { width, height }
  const shrunk = Math.min(1, LONGEST_SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * shrunk)), height: Math.max(1, Math.round(height * shrunk)) }
}

/** The row under the last one that shows anything. */
function lowest({ width, height, data }: Bitmap): number {
  for (let at = width * height - 1; at >= 0; at--) if ((data[at * 4 + 3] as number) > 0) return Math.floor(at / width) + 1
  return height
}

interface Stance {
  /** Factors on the sides, about the middle of the feet. */
  readonly wide: number
  readonly tall: number
  /** Row of the picture that stays where it is. */
  readonly feet: number
  /** Whether the picture fills the frame; else it fits inside. */
  readonly isCovering: boolean
}

/** Draws the picture into the frame, by the nearest pixel; what lies outside is cut off. */
function drawPose(frame: Bitmap, picture: Bitmap, { wide, tall, feet, isCovering }: Stance): void {
  const pick = isCovering ? Math.max : Math.min
  const fit = pick(frame.width / picture.width, frame.height / picture.height)
  const columns = Array.from({ length: frame.width }, (_, x) => Math.floor(picture.width / 2 + (x + 0.5 - frame.width / 2) / (fit * wide)))
  // The picture stands on the bottom of the frame where it is shaped otherwise.
  const ground = isCovering ? frame.height / 2 : frame.height - (picture.height - feet) * fit
  for (let y = 0; y < frame.height; y++) {
    const row = Math.floor(feet + (y + 0.5 - ground) / (fit * tall))
    if (row < 0 || row >= picture.height) continue
    for (const [x, column] of columns.entries()) {
      if (column < 0 || column >= picture.width) continue
      const from = (row * picture.width + column) * 4
      frame.data.set(picture.data.subarray(from, from + 4), (y * frame.width + x) * 4)
    }
  }
}

/** A striped corner, top left. @param turn How far the round has come, 0 to 1. */
function drawMark(frame: Bitmap, colour: Colour, turn: number): void {
  const shortest = Math.min(frame.width, frame.height)
  const side = Math.min(shortest, Math.max(3, Math.round(shortest / 8)))
  const stripe = Math.max(1, side / 4)
  for (let y = 0; y < side; y++)
    for (let x = 0; x + y < side; x++) {
      const isColoured = Math.floor((x + y) / stripe + 2 * (1 - turn)) % 2 === 0
      frame.data.set([...(isColoured ? colour : ([255, 255, 255] as const)), 255], (y * frame.width + x) * 4)
    }
}
