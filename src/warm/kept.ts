import { SpritewrightError } from '../errors.ts'
import type { WarmFiles } from '../host/warm-files.ts'

/** What is kept of a run for the next one: a text, and bytes beside it. */
export interface Kept {
  readonly text: string
  readonly parts: readonly Uint8Array[]
}

/** What was kept, in its file: of many megabytes a run has one part at a time in its memory. */
export interface KeptFile {
  readonly text: string
  /**
   * Reads a part.
   *
   * @param isForNow Whether the next one that is read so may take its place: memory that was never used costs as much as what is read into it.
   * @throws `SW_DISK` where the file was changed since it was opened.
   */
  part(index: number, isForNow: boolean): Uint8Array
  close(): void
}

/** Digits of the length of what goes before the parts. */
const lead = 16

/** One file of it: a length, so many bytes of a line with the lengths of the parts and the text, then the parts, one after the other. */
export function packKept({ text, parts }: Kept): Uint8Array {
  const head = new TextEncoder().encode(`${JSON.stringify(parts.map((part) => part.length))}\n${text}`)
  return Buffer.concat([new TextEncoder().encode(String(head.length).padStart(lead)), head, ...parts])
}

/** Opens what {@link packKept} packed; undefined where it cannot be read. */
export function openKept(files: Pick<WarmFiles, 'open'>, path: string): KeptFile | undefined {
  const file = files.open(path)
  if (!file) return undefined
  const decode = (at: number, length: number): string => {
    const bytes = new Uint8Array(length)
    return file.read(at, bytes) ? new TextDecoder().decode(bytes) : ''
  }
  const length = Number.parseInt(decode(0, lead), 10) || 0
  const head = decode(lead, length)
  const end = head.indexOf('\n')
  if (end < 0) {
    file.close()
    return undefined
  }
  const sizes = JSON.parse(head.slice(0, end)) as readonly number[]
  let next = lead + length
  const starts = sizes.map((size) => {
    next += size
    return next - size
  })
  let window = new Uint8Array()
  const room = (size: number): Uint8Array => {
    if (window.length < size) window = new Uint8Array(Math.max(...sizes))
    return window.subarray(0, size)
  }
  return {
    text: head.slice(end + 1),
    part: (index, isForNow) => {
      const size = sizes[index] as number
      const bytes = isForNow ? room(size) : new Uint8Array(size)
      if (file.read(starts[index] as number, bytes)) return bytes
      throw new SpritewrightError('SW_DISK', {
        message: `Expected ${path} to stay as it was while it is read, found it changed. Build again: what is in it is made anew.`,
        facts: { file: path },
      })
    },
    close: () => file.close(),
  }
}
