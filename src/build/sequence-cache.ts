import { type Bitmap, KeptBitmap, noteDigest, pictureDigest } from '../../atlas/index.ts'
import { type FrameHead, readSequenceHead, type SequenceHead } from './cache-schema.ts'
import type { SequenceReport } from './frames.ts'
import { packHeaded, readHeaded } from './headed.ts'

/** What was found out about an animation, apart from the RGBA of its pictures. */
export interface SequenceParts {
  readonly head: SequenceHead
  /** One after the other, each picture once. */
  readonly pixels: readonly Uint8Array[]
}

/** Takes a report apart to be kept. */
export function toParts({ sequence, ...rest }: SequenceReport): SequenceParts {
  const pixels: Uint8Array[] = []
  const places = new Map<Bitmap, number>()
  let end = 0
  // Equal pictures of a cut sequence are one.
  const place = (bitmap: Bitmap): number => {
    const known = places.get(bitmap)
    if (known !== undefined) return known
    const at = end
    places.set(bitmap, at)
    pixels.push(bitmap.data)
    end += bitmap.data.length
    return at
  }
  const frames = sequence.frames.map(
    ({ bitmap, ...frame }): FrameHead => ({
      frame,
      width: bitmap.width,
      height: bitmap.height,
      at: place(bitmap),
      digest: pictureDigest(bitmap),
    }),
  )
  return { head: { ...rest, sequence: { ...sequence, frames } }, pixels }
}

/** Parts as those of a file: the head, and behind it the pixels. */
export function packSequence({ head, pixels }: SequenceParts): readonly Uint8Array[] {
  return packHeaded(head, pixels)
}

/** What {@link packSequence} packed; the pixels are one view on the bytes. Undefined where the bytes hold anything else. @param name Of the sequence that is expected. */
export function unpackSequence(bytes: Uint8Array, name: string): { readonly head: SequenceHead; readonly pixels: Uint8Array } | undefined {
  const packed = readHeaded(bytes, readSequenceHead)
  if (!packed) return undefined
  const { head } = packed
  const pixels = bytes.subarray(packed.start)
  return isSequenceOf(head, name) && covers(pixels, head) ? { head, pixels } : undefined
}

/** Whether a head tells of one sequence and of frames that it has. */
export function isSequenceOf({ sequence }: SequenceHead, name: string): boolean {
  const names = new Set(sequence.frames.map(({ frame }) => frame.name))
  return (
    sequence.name === name &&
    `${sequence.sprite}/` === name.slice(0, name.indexOf('/') + 1) &&
    names.size === sequence.frames.length &&
    [...names].every((frame) => frame.startsWith(`${name}/`)) &&
    sequence.play.every((frame) => names.has(frame)) &&
    sequence.frames.every(liesOnCanvas)
  )
}

function liesOnCanvas({ frame: { canvas }, width, height }: FrameHead): boolean {
  return canvas === undefined || (canvas.x + width <= canvas.width && canvas.y + height <= canvas.height)
}

/** Whether pixels hold all pictures of a head. */
function covers(pixels: Uint8Array, { sequence }: SequenceHead): boolean {
  return sequence.frames.every(({ at, width, height }) => at + width * height * 4 <= pixels.length)
}

/** A report of a head and all of its pixels. */
export function toReport(head: SequenceHead, pixels: Uint8Array): SequenceReport {
  return fromHead(head, ({ width, height, at, digest }) => {
    const bitmap = { width, height, data: pixels.subarray(at, at + width * height * 4) }
    noteDigest(bitmap, digest)
    return bitmap
  })
}

/** A report of a head alone. @param read Gives all of its pixels, once one of its pictures is drawn. Fewer than the head tells of are refused. */
export function toKnownReport(head: SequenceHead, read: () => Promise<Uint8Array>): SequenceReport {
  let reading: Promise<Uint8Array> | undefined
  return fromHead(head, ({ width, height, at, digest }) => {
    return new KeptBitmap(width, height, digest, async () => {
      reading ??= read()
      const pixels = await reading
      if (!covers(pixels, head))
        throw new Error(
          `Expected the pixels of ${head.sequence.name} in the build cache, found fewer. Delete the folder of the build cache.`,
        )
      return pixels.subarray(at, at + width * height * 4)
    })
  })
}

function fromHead({ sequence, ...rest }: SequenceHead, toBitmap: (frame: FrameHead) => Bitmap): SequenceReport {
  const pictures = new Map<number, Bitmap>()
  const frames = sequence.frames.map((head) => {
    const bitmap = pictures.get(head.at) ?? toBitmap(head)
    pictures.set(head.at, bitmap)
    return { ...head.frame, bitmap }
  })
  return { ...rest, sequence: { ...sequence, frames } }
}
