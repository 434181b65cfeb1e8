import { type Bitmap, type FrameSequence, KeptBitmap, noteDigest, pictureDigest } from '../../atlas/index.ts'
import type { SequenceReport } from './frames.ts'
import { packHeaded, readHeaded } from './headed.ts'

interface FrameHead {
  readonly frame: Omit<FrameSequence['frames'][number], 'bitmap'>
  readonly width: number
  readonly height: number
  /** First byte of its pixels; frames that look alike share them. */
  readonly at: number
  /** Tells its pixels apart from others. */
  readonly digest: string
}

/** Everything that was found out about an animation but its pixels. */
export type SequenceHead = Omit<SequenceReport, 'sequence'> & {
  readonly sequence: Omit<FrameSequence, 'frames'> & { readonly frames: readonly FrameHead[] }
}

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

/** What {@link packSequence} packed; the pixels are one view on the bytes. */
export function unpackSequence(bytes: Uint8Array): SequenceParts {
  const { head, start } = readHeaded<SequenceHead>(bytes)
  return { head, pixels: [bytes.subarray(start)] }
}

/** A report of a head and all of its pixels. */
export function toReport(head: SequenceHead, pixels: Uint8Array): SequenceReport {
  return fromHead(head, ({ width, height, at, digest }) => {
    const bitmap = { width, height, data: pixels.subarray(at, at + width * height * 4) }
    noteDigest(bitmap, digest)
    return bitmap
  })
}

/** A report of a head alone. @param read Gives all of its pixels, once one of its pictures is drawn. */
export function toKnownReport(head: SequenceHead, read: () => Promise<Uint8Array>): SequenceReport {
  let reading: Promise<Uint8Array> | undefined
  return fromHead(head, ({ width, height, at, digest }) => {
    return new KeptBitmap(width, height, digest, async () => {
      reading ??= read()
      return (await reading).subarray(at, at + width * height * 4)
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
