import { type Bitmap, createBitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { shrink } from '../frames/shrink.ts'

/** Options of {@link makeContactSheet}. */
export interface ContactSheetOptions {
  /**
   * Frames per row.
   *
   * @default about the number of rows
   */
  readonly columns?: number
  /**
   * Longest side of a frame on the sheet, pixels; larger frames are shrunk.
   *
   * @default 128
   */
  readonly cell?: number
  /** Indices of frames that get a red border. */
  readonly flagged?: readonly number[]
}

const GAP = 4
const CHECK = 8

/**
 * Draws frames in a grid on a checkerboard, for a person to check.
 *
 * @throws {AtlasError} `SW_ATLAS_OPTION` if there are no frames.
 */
export function makeContactSheet(frames: readonly Bitmap[], options: ContactSheetOptions = {}): Bitmap {
  if (frames.length === 0) throw new AtlasError('SW_ATLAS_OPTION', { message: 'Expected frames for a contact sheet, found none.' })
  const shown = frames.map((frame) => fitCell(frame, options.cell ?? 128))
  const columns = Math.min(frames.length, options.columns ?? Math.ceil(Math.sqrt(frames.length)))
  const width = Math.max(...shown.map((frame) => frame.width)) + GAP
  const height = Math.max(...shown.map((frame) => frame.height)) + GAP
  const sheet = createBitmap(columns * width + GAP, Math.ceil(frames.length / columns) * height + GAP)
  sheet.data.fill(40)
  for (let at = 3; at < sheet.data.length; at += 4) sheet.data[at] = 255
  const flagged = new Set(options.flagged)
  for (const [index, frame] of shown.entries()) {
    const x = GAP + (index % columns) * width
    const y = GAP + Math.floor(index / columns) * height
    if (flagged.has(index)) fill(sheet, x - 2, y - 2, frame.width + 4, frame.height + 4, [230, 40, 40])
    drawOver(sheet, frame, x, y)
  }
  return sheet
}

function fitCell(frame: Bitmap, cell: number): Bitmap {
  const factor = Math.min(1, cell / Math.max(frame.width, frame.height))
  if (factor === 1) return frame
  return shrink(frame, Math.max(1, Math.round(frame.width * factor)), Math.max(1, Math.round(frame.height * factor)))
}

function fill(sheet: Bitmap, x: number, y: number, width: number, height: number, colour: readonly [number, number, number]): void {
  for (let row = y; row < y + height; row++)
    for (let column = x; column < x + width; column++) sheet.data.set(colour, (row * sheet.width + column) * 4)
}

function drawOver(sheet: Bitmap, frame: Bitmap, x: number, y: number): void {
  for (let row = 0; row < frame.height; row++) {
    for (let column = 0; column < frame.width; column++) {
      const from = (row * frame.width + column) * 4
      const to = ((y + row) * sheet.width + x + column) * 4
      const background = (Math.floor(row / CHECK) + Math.floor(column / CHECK)) % 2 === 0 ? 204 : 255
      const alpha = frame.data[from + 3]! / 255
      for (let channel = 0; channel < 3; channel++)
        sheet.data[to + channel] = Math.round(frame.data[from + channel]! * alpha + background * (1 - alpha))
    }
  }
}
