import type { Reader } from './cache-schema.ts'

/** A file of a JSON head and bytes behind it: length of the head, head, up to the next multiple of four, then the parts. Parts that are whole pixels stay aligned. */
export function packHeaded(head: unknown, parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, text.length)
  return [length, text, new Uint8Array(gap(text.length)), ...parts]
}

/** The head of such a file, and where its parts begin; undefined where it is not of the shape that is expected. */
export function readHeaded<Head>(bytes: Uint8Array, reader: Reader<Head>): { readonly head: Head; readonly start: number } | undefined {
  const length = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  const start = 4 + length + gap(length)
  if (start > bytes.length) return undefined
  const head = readJson(bytes.subarray(4, 4 + length), reader)
  return head === undefined ? undefined : { head, start }
}

/** A JSON text of a shape; undefined for anything else. */
export function readJson<Shape>(bytes: Uint8Array, reader: Reader<Shape>): Shape | undefined {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
  return reader(value)
}

/** Bytes up to the next multiple of four. */
function gap(length: number): number {
  return (4 - (length % 4)) % 4
}
