import { createHash } from 'node:crypto'
import type { Bitmap } from '../bitmap.ts'
import type { PagePicture } from '../compose.ts'
import { canvasOf, type Frame, type FrameSequence } from '../frame.ts'
import type { EarlierPages, PackedPlace } from '../packing/packer.ts'
import type { EarlierFrame } from './placed-frame.ts'
import { type TrimmedFrame, trim } from './trim.ts'

/** A trimmed frame of a sequence. Equal frames share one picture on the pages. */
export interface Piece {
  readonly frame: Frame
  readonly sequence: FrameSequence
  readonly trimmed: TrimmedFrame
  /** Index of the picture. */
  readonly picture: number
}

function cutFrame({ bitmap, canvas }: Frame, sequence: FrameSequence, align: number): TrimmedFrame {
  if (canvas !== undefined) return { bitmap, offsetX: canvas.x, offsetY: canvas.y }
  if (!sequence.trim) return { bitmap, offsetX: 0, offsetY: 0 }
  // Smooth scaling to a smaller scale spreads an edge by one pixel.
  const isSmoothed = align > 1 && !sequence.pixelArt
  return trim(bitmap, { align, margin: isSmoothed ? 2 * align : align })
}

/**
 * Trims the frames of a sequence and shares the pixels of equal frames, because the untrimmed frames of a large
 * project would not fit into memory.
 *
 * `makeAtlas` without `align` makes the same atlas from the result, but for the offset of the mirror image of a wholly
 * clear frame. Sequences with `trim: false` or with borders are not trimmed.
 */
export function cutSequence(sequence: FrameSequence): FrameSequence {
  if (!untrimmedSlices(sequence).trim) return sequence
  const known = new Map<string, Bitmap>()
  const frames = sequence.frames.map((frame) => {
    const { width, height } = canvasOf(frame)
    const { bitmap: cut, offsetX: x, offsetY: y } = cutFrame(frame, sequence, 1)
    const key = pictureDigest(cut)
    const bitmap = known.get(key) ?? cut
    known.set(key, bitmap)
    return { ...frame, bitmap, canvas: { x, y, width, height } }
  })
  return { ...sequence, frames }
}

/**
 * Cuts frames and finds equal frames.
 *
 * @returns The pieces, their pictures, and for each sequence the pictures of its frames.
 */
export function cutPieces(
  sequences: readonly FrameSequence[],
  align: number,
): { pieces: readonly Piece[]; pictures: readonly PagePicture[]; picturesOf: readonly (readonly number[])[] } {
  const pictures: PagePicture[] = []
  const known = new Map<string, number>()
  const cut = sequences.map((sequence) =>
    sequence.frames.map((frame): Piece => {
      const trimmed = cutFrame(frame, sequence, align)
      const { bitmap } = trimmed
      const { extrude, looks } = sequence
      const key = `${extrude} ${pictureDigest(bitmap)} ${JSON.stringify(looks)}`
      const picture = known.get(key) ?? pictures.push({ bitmap, extrude, looks }) - 1
      known.set(key, picture)
      return { frame, sequence, trimmed, picture }
    }),
  )
  return { pieces: cut.flat(), pictures, picturesOf: cut.map((pieces) => pieces.map(({ picture }) => picture)) }
}

/** Earlier places of the present pictures. The first frame that shows a picture decides. */
export function earlierPlaces(
  earlier: readonly EarlierFrame[],
  sequences: readonly FrameSequence[],
  pieces: readonly Piece[],
  pictures: readonly PagePicture[],
  align: number,
): EarlierPages {
  const frames = new Map(earlier.map((frame) => [frame.name, frame]))
  const groupOf = new Map(sequences.map((sequence, group) => [sequence, group]))
  const pages: { positions: Map<number, PackedPlace>; groups: number[] }[] = []
  for (const { frame, sequence, trimmed, picture } of pieces) {
    const before = frames.get(frame.name)
    if (before?.width !== trimmed.bitmap.width || before.height !== trimmed.bitmap.height) continue
    const { extrude } = pictures[picture]!
    while (pages.length <= before.page) pages.push({ positions: new Map(), groups: [] })
    const { positions, groups } = pages[before.page]!
    const x = (before.x - extrude) / align
    const y = (before.y - extrude) / align
    const isOnGrid = Number.isInteger(x) && Number.isInteger(y)
    if (isOnGrid && !positions.has(picture)) positions.set(picture, { x, y, isTurned: before.isTurned ?? false })
    const group = groupOf.get(sequence)!
    if (groups.at(-1) !== group) groups.push(group)
  }
  return pages
}

/** A nine-slice is cut by its borders on the page, so its frames must not be trimmed. */
export function untrimmedSlices(sequence: FrameSequence): FrameSequence {
  return sequence.borders === undefined ? sequence : { ...sequence, trim: false }
}

const known = new WeakMap<Bitmap, string>()

/** Returns a hash of a picture's size and pixels. It is cached, since pixels never change in place. */
export function pictureDigest(bitmap: Bitmap): string {
  const before = known.get(bitmap)
  if (before !== undefined) return before
  const digest = `${bitmap.width}x${bitmap.height} ${createHash('sha256').update(bitmap.data).digest('base64')}`
  known.set(bitmap, digest)
  return digest
}
