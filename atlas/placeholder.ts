import { type Bitmap, blit, createBitmap } from './bitmap.ts'
import { resizeNearest } from './nearest.ts'

/** What a stand-in must look like from outside. */
export interface PlaceholderOptions {
  /** Number of frames, 1 or more: as many as are asked for. */
  readonly frames: number
  /** Pixels. @default the reference's, or 128 */
  readonly width?: number
  /** Pixels. @default the reference's, or 128 */
  readonly height?: number
  /** Gives the colour, so that sprites can be told apart; e.g. `hero/walk`. */
  readonly label: string
}

/** Part of the frame's sides that the figure takes at rest. */
const REST = 0.86
/** How far it squashes and stretches. */
const SWING = 0.08
const DEFAULT_SIDE = 128

/**
 * Makes a moving stand-in for frames that have not been bought: the reference (or a plain figure) breathes once in a loop, on its feet, with a coloured mark in
 * the corner that tells it from the real thing. Free, and the same each time.
 */
export function makePlaceholder(reference: Bitmap | undefined, options: PlaceholderOptions): Bitmap[] {
  const width = options.width ?? reference?.width ?? DEFAULT_SIDE
  const height = options.height ?? reference?.height ?? DEFAULT_SIDE
  const colour = colourOf(options.label)
  const figure = reference ?? drawFigure(width, height, colour)
  const fit = Math.min(width / figure.width, height / figure.height) * REST
  return Array.from({ length: options.frames }, (_, index) => {
    const swing = 1 + SWING * Math.sin((2 * Math.PI * index) / options.frames)
    const frame = createBitmap(width, height)
    const figureWidth = within((figure.width * fit) / swing, width)
    const figureHeight = within(figure.height * fit * swing, height)
    const pose = resizeNearest(figure, figureWidth, figureHeight)
    blit(frame, pose, Math.floor((width - figureWidth) / 2), height - figureHeight)
    drawMark(frame, colour)
    return frame
  })
}

function within(side: number, limit: number): number {
  return Math.min(limit, Math.max(1, Math.round(side)))
}

type Colour = readonly [number, number, number]

/** A bright colour from a text (FNV-1a, then a hue). */
function colourOf(label: string): Colour {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(label)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  const hue = hash % 360
  const channel = (turn: number): number => {
    const distance = Math.abs(((((hue + turn) % 360) + 360) % 360) - 180)
    return Math.round(70 + 170 * Math.min(1, Math.max(0, (distance - 60) / 60)))
  }
  return [channel(0), channel(240), channel(120)]
}

function setPixel(bitmap: Bitmap, x: number, y: number, [red, green, blue]: Colour): void {
  bitmap.data.set([red, green, blue, 255], (y * bitmap.width + x) * 4)
}

/** An egg with a darker rim. */
function drawFigure(width: number, height: number, colour: Colour): Bitmap {
  const figure = createBitmap(width, height)
  const rim: Colour = [colour[0] >> 1, colour[1] >> 1, colour[2] >> 1]
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const distance = Math.hypot(((x + 0.5) / width) * 2 - 1, ((y + 0.5) / height) * 2 - 1)
      if (distance <= 1) setPixel(figure, x, y, distance > 0.85 ? rim : colour)
    }
  }
  return figure
}

/** A striped corner, top left. */
function drawMark(frame: Bitmap, colour: Colour): void {
  const side = Math.min(frame.width, frame.height, Math.max(3, Math.round(Math.min(frame.width, frame.height) / 8)))
  const stripe = Math.max(1, side >> 2)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x + y < side; x++) setPixel(frame, x, y, Math.floor((x + y) / stripe) % 2 === 0 ? colour : [255, 255, 255])
  }
}
