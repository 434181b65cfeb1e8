import { type Bitmap, createBitmap } from '../bitmap.ts'
import { clearBackdrop } from '../frames/backdrop.ts'
import { visibleBox } from '../frames/trim.ts'
import { type Colour, drawFigure, wordColour } from './figure.ts'

/** Options of {@link makePlaceholder}. */
export interface PlaceholderOptions {
  /** Number of frames, 1 or more. */
  readonly frames: number
  /**
   * Pixels.
   *
   * @default the reference's, or 128; no side longer than 512
   */
  readonly width?: number
  /**
   * Pixels.
   *
   * @default the reference's, or 128; no side longer than 512
   */
  readonly height?: number
  /** Text that selects the colour of the mark, to distinguish animations; e.g. `hero/walk`. */
  readonly label: string
  /**
   * Description of the sprite, which selects the figure if there is no reference.
   *
   * @default the label
   */
  readonly prompt?: string
  /**
   * `remove` clears a flat backdrop of the reference; `keep` fills the whole frame.
   *
   * @default 'remove'
   */
  readonly background?: 'remove' | 'keep'
  /**
   * Whether stripes at the figure's upper left corner mark it as a placeholder.
   *
   * @default true
   */
  readonly isMarked?: boolean
}

const DEFAULT_SIDE = 128
const LONGEST_SIDE = 512
/** Amplitude of the figure's squash and of the zoom of a kept background, as shares of the size. */
const SWING = 0.1
const ZOOM = 0.06

/**
 * Makes moving placeholder frames for an animation that is not bought yet.
 *
 * The first frame is the unchanged reference, or a figure drawn from the prompt. The figure then squashes and
 * stretches once per cycle, with its feet in place. The stripes of the mark move by one stripe per cycle, which
 * makes frame times visible. A placeholder is free, and equal input gives equal frames.
 */
export function makePlaceholder(reference: Bitmap | undefined, options: PlaceholderOptions): Bitmap[] {
  const { frames, label, prompt = label, background = 'remove', isMarked = true } = options
  const { width, height } = sizeOf(reference, options)
  const isKept = background === 'keep'
  const picture = reference ? (isKept ? reference : clearBackdrop(reference)) : drawFigure(prompt, width, height, isKept)
  const colour = wordColour(label, '')
  const feet = isKept ? picture.height / 2 : lowest(picture)
  const poses = Array.from({ length: frames }, (_, index) => {
    const swing = (1 - Math.cos((2 * Math.PI * index) / frames)) / 2
    const tall = isKept ? 1 + ZOOM * swing : 1 - SWING * swing
    const frame = createBitmap(width, height)
    drawPose(frame, picture, { wide: isKept ? tall : 1 / tall, tall, feet, isCovering: isKept })
    return frame
  })
  const { left, top } = visibleBox(poses[0] as Bitmap, 0) ?? { left: 0, top: 0 }
  if (isMarked) for (const [index, frame] of poses.entries()) drawMark(frame, { left, top }, colour, index / frames)
  return poses
}

function sizeOf(reference: Bitmap | undefined, options: PlaceholderOptions): { readonly width: number; readonly height: number } {
  const width = options.width ?? reference?.width ?? DEFAULT_SIDE
  const height = options.height ?? reference?.height ?? DEFAULT_SIDE
  if (options.width !== undefined && options.height !== undefined) return { width, height }
  const shrunk = Math.min(1, LONGEST_SIDE / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * shrunk)), height: Math.max(1, Math.round(height * shrunk)) }
}

/** The row after the last visible one. */
function lowest({ width, height, data }: Bitmap): number {
  for (let at = width * height - 1; at >= 0; at--) if ((data[at * 4 + 3] as number) > 0) return Math.floor(at / width) + 1
  return height
}

interface Pose {
  /** Scale factors of the sides, around the middle of the feet. */
  readonly wide: number
  readonly tall: number
  /** Row of the picture that keeps its place. */
  readonly feet: number
  /** Whether the picture covers the frame; if not, it fits inside. */
  readonly isCovering: boolean
}

/** Draws the picture into the frame by nearest neighbour. Pixels outside of the frame are cut off. */
function drawPose(frame: Bitmap, picture: Bitmap, { wide, tall, feet, isCovering }: Pose): void {
  const pick = isCovering ? Math.max : Math.min
  const fit = pick(frame.width / picture.width, frame.height / picture.height)
  const columns = Array.from({ length: frame.width }, (_, x) => Math.floor(picture.width / 2 + (x + 0.5 - frame.width / 2) / (fit * wide)))
  // If the proportions differ, the picture stands on the bottom of the frame.
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

/**
 * Draws a striped corner.
 *
 * @param at Place of the mark, near the figure. The corner of the frame may be far from the figure.
 * @param phase Position in the cycle, 0 to 1.
 */
function drawMark(frame: Bitmap, at: { readonly left: number; readonly top: number }, colour: Colour, phase: number): void {
  const shortest = Math.min(frame.width, frame.height)
  const side = Math.min(shortest, Math.max(3, Math.round(shortest / 8)))
  const stripe = Math.max(1, side / 4)
  for (let y = 0; y < Math.min(side, frame.height - at.top); y++)
    for (let x = 0; x < Math.min(side - y, frame.width - at.left); x++) {
      const isColoured = Math.floor((x + y) / stripe + 2 * (1 - phase)) % 2 === 0
      const place = (at.top + y) * frame.width + at.left + x
      frame.data.set([...(isColoured ? colour : ([255, 255, 255] as const)), 255], place * 4)
    }
}
