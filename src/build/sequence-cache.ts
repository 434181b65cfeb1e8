import type { Bitmap, FrameSequence } from '../../atlas/index.ts'
import type { SequenceReport } from './frames.ts'

type FrameHead = Omit<FrameSequence['frames'][number], 'bitmap'> & {
  readonly width: number
  readonly height: number
  /** First byte of its pixels; frames that look alike share them. */
  readonly at: number
}
type Head = Omit<SequenceReport, 'sequence'> & {
  readonly sequence: Omit<FrameSequence, 'frames'> & { readonly frames: readonly FrameHead[] }
}

/** What was found out about an animation as bytes: length of the head, head, then RGBA of its frames, each on a multiple of four bytes. */
export function packSequence({ sequence, ...rest }: SequenceReport): Uint8Array {
  const parts: Uint8Array[] = []
  const places = new Map<string, number>()
  let end = 0
  const place = (bitmap: Bitmap): number => {
    const same = parts.findIndex((part) => Buffer.compare(part, bitmap.data) === 0)
    const key = `${bitmap.width} ${same}`
    const known = same < 0 ? undefined : places.get(key)
    if (known !== undefined) return known
    const at = end
    places.set(`${bitmap.width} ${parts.push(bitmap.data) - 1}`, at)
    end += bitmap.data.length
    return at
  }
  const frames = sequence.frames.map(
    ({ bitmap, ...frame }): FrameHead => ({ ...frame, width: bitmap.width, height: bitmap.height, at: place(bitmap) }),
  )
  const head: Head = { ...rest, sequence: { ...sequence, frames } }
  const text = new TextEncoder().encode(JSON.stringify(head))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, text.length)
  return Buffer.concat([length, text, new Uint8Array(gap(text.length)), ...parts])
}

/** What {@link packSequence} packed; the pixels are views on the bytes. */
export function unpackSequence(bytes: Uint8Array): SequenceReport {
  const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const { sequence, ...rest } = JSON.parse(new TextDecoder().decode(bytes.subarray(4, end))) as Head
  const start = end + gap(end - 4)
  const frames = sequence.frames.map(({ width, height, at, ...frame }) => {
    const data = bytes.subarray(start + at, start + at + width * height * 4)
    return { ...frame, bitmap: { width, height, data } }
  })
  return { ...rest, sequence: { ...sequence, frames } }
}

/** Bytes up to the next multiple of four behind the head. */
function gap(headLength: number): number {
  return (4 - (headLength % 4)) % 4
}
