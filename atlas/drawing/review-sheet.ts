import { type Bitmap, blit, createBitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { makeContactSheet } from './contact-sheet.ts'
import { LETTER_HEIGHT, write } from './font.ts'
import { drawOnionSkins } from './onion.ts'

/** One animation on a review sheet, or pictures side by side. */
export interface ReviewedAnimation {
  /** Text above the frames. */
  readonly title: string
  /** In playing order, of one size; at least one. Pictures may have several sizes. */
  readonly frames: readonly Bitmap[]
  /** Lines of text under each frame, e.g. its index. */
  readonly captions: readonly (readonly string[])[]
  /** Indices of frames with a red border. */
  readonly flagged: readonly number[]
  /** Whether the first frame follows the last. */
  readonly isClosed: boolean
  /**
   * Whether the frames are separate pictures and no motion. Pictures get no onion skin.
   *
   * @default false
   */
  readonly arePictures?: boolean
}

/** Longest side of a frame on the sheet, pixels. */
const CELL = 128
const COLUMNS = 10
const SPACE = 8
const BACKGROUND = [40, 40, 40] as const
const PLAIN = [230, 230, 230] as const
const RED = [255, 110, 100] as const

/**
 * Draws a picture for a person to review frames. Each animation shows its frames in rows, flagged frames with a
 * red border. Below each row of a motion, the same frames follow as an onion skin: the previous frame in red and the
 * next frame in blue. A jump shows as double edges.
 *
 * @throws {AtlasError} `SW_ATLAS_OPTION` if there is nothing to show.
 */
export function makeReviewSheet(animations: readonly ReviewedAnimation[]): Bitmap {
  if (animations.length === 0) throw new AtlasError('SW_ATLAS_OPTION', { message: 'Expected animations for a review sheet, found none.' })
  const parts = animations.map(drawAnimation)
  const width = Math.max(...parts.map((part) => part.width)) + 2 * SPACE
  const sheet = createBackground(
    width,
    parts.reduce((sum, part) => sum + part.height + 2 * SPACE, 0),
  )
  let y = SPACE
  for (const part of parts) {
    blit(sheet, part, SPACE, y)
    y += part.height + 2 * SPACE
  }
  return sheet
}

function drawAnimation({ title, frames, captions, flagged, isClosed, arePictures = false }: ReviewedAnimation): Bitmap {
  const onion = arePictures ? [] : drawOnionSkins(frames, isClosed)
  const columns = Math.min(COLUMNS, frames.length)
  const rows: Bitmap[] = []
  for (let from = 0; from < frames.length; from += columns) {
    const to = Math.min(frames.length, from + columns)
    const own = flagged.flatMap((at) => (at >= from && at < to ? [at - from] : []))
    const options = { columns, cell: CELL, flagged: own }
    const row = makeContactSheet(frames.slice(from, to), options)
    rows.push(withCaptions(row, captions.slice(from, to), own))
    if (onion.length > 0) rows.push(makeContactSheet(onion.slice(from, to), { columns, cell: CELL }))
  }
  const head = 2 * LETTER_HEIGHT
  const whole = createBackground(
    Math.max(...rows.map((row) => row.width)),
    rows.reduce((sum, row) => sum + row.height, head),
  )
  write(whole, title, 4, 2, flagged.length > 0 ? RED : PLAIN, whole.width - 4)
  let y = head
  for (const row of rows) {
    blit(whole, row, 0, y)
    y += row.height
  }
  return whole
}

function withCaptions(row: Bitmap, captions: readonly (readonly string[])[], flagged: readonly number[]): Bitmap {
  const line = LETTER_HEIGHT + 3
  const whole = createBackground(row.width, row.height + line * Math.max(...captions.map((lines) => lines.length)) + 2)
  blit(whole, row, 0, 0)
  // The last row may have fewer frames than the others.
  const wide = (row.width - 4) / captions.length
  for (const [at, lines] of captions.entries())
    for (const [down, text] of lines.entries())
      write(whole, text, Math.round(at * wide) + 5, row.height + 1 + down * line, flagged.includes(at) ? RED : PLAIN, wide - 6)
  return whole
}

function createBackground(width: number, height: number): Bitmap {
  const bitmap = createBitmap(width, height)
  for (let at = 0; at < bitmap.data.length; at += 4) bitmap.data.set([...BACKGROUND, 255], at)
  return bitmap
}
