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
  /** Reads a part. @throws `SW_DISK` where the file was changed since it was opened. */
  part(index: number): Uint8Array
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
  const decode = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes)
  const length = Number.parseInt(decode(file.read(0, lead)) ?? '', 10)
  const head = Number.isSafeInteger(length) ? decode(file.read(lead, length)) : undefined
  if (head === undefined) {
    file.close()
    return undefined
  }
  const end = head.indexOf('\n')
  let next = lead + length
  const places = (JSON.parse(head.slice(0, end)) as readonly number[]).map((size) => {
    next += size
    return { at: next - size, size }
  })
  return {
    text: head.slice(end + 1),
    part: (index) => {
      const { at, size } = places[index] as { readonly at: number; readonly size: number }
      const bytes = file.read(at, size)
      if (bytes) return bytes
      throw new SpritewrightError('SW_DISK', {
        message: `Expected ${path} to stay as it was while it is read, found it changed. Build again: what is in it is made anew.`,
        facts: { file: path },
      })
    },
    close: () => file.close(),
  }
}
