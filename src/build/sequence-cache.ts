import { type Bitmap, type FrameSequence, noteDigest, pictureDigest } from '../../atlas/index.ts'
import type { SequenceReport } from './frames.ts'
import { packHeaded, readHeaded } from './headed.ts'

type FrameHead = Omit<FrameSequence['frames'][number], 'bitmap'> & {
  readonly width: number
  readonly height: number
  /** First byte of its pixels; frames that look alike share them. */
  readonly at: number
  /** Tells its pixels apart from others. */
  readonly digest: string
}
type Head = Omit<SequenceReport, 'sequence'> & {
  readonly sequence: Omit<FrameSequence, 'frames'> & { readonly frames: readonly FrameHead[] }
}

/** What was found out about an animation as parts of a file: behind the head RGBA of its pictures. */
export function packSequence({ sequence, ...rest }: SequenceReport): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  const places = new Map<Bitmap, number>()
  let end = 0
  // Equal pictures of a cut sequence are one.
  const place = (bitmap: Bitmap): number => {
    const known = places.get(bitmap)
    if (known !== undefined) return known
    const at = end
    places.set(bitmap, at)
    parts.push(bitmap.data)
    end += bitmap.data.length
    return at
  }
  const frames = sequence.frames.map(
    ({ bitmap, ...frame }): FrameHead => ({
      ...frame,
      width: bitmap.width,
      height: bitmap.height,
      at: place(bitmap),
      digest: pictureDigest(bitmap),
    }),
  )
  const head: Head = { ...rest, sequence: { ...sequence, frames } }
  return packHeaded(head, parts)
}

/** What {@link packSequence} packed; the pixels are views on the bytes. */
export function unpackSequence(bytes: Uint8Array): SequenceReport {
  const { head, start } = readHeaded<Head>(bytes)
  const { sequence, ...rest } = head
  const pictures = new Map<number, Bitmap>()
  const frames = sequence.frames.map(({ width, height, at, digest, ...frame }) => {
    const bitmap = pictures.get(at) ?? { width, height, data: bytes.subarray(start + at, start + at + width * height * 4) }
    noteDigest(bitmap, digest)
    pictures.set(at, bitmap)
    return { ...frame, bitmap }
  })
  return { ...rest, sequence: { ...sequence, frames } }
}
