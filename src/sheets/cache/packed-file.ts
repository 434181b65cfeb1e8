/**
 * A file of a JSON head and bytes: the length of the head (32 bits), the head, and the bytes from the next
 * multiple of four. Pixels stay aligned.
 */
export function packFile(head: unknown, parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, text.length)
  return [length, text, new Uint8Array(gap(text.length)), ...parts]
}

/** Checks the shape of a value. Returns `undefined` for a value of another shape. */
export type Reader<Shape> = (value: unknown) => Shape | undefined

/**
 * Reads a file of {@link packFile}: its head, and a view on the bytes after the head. Returns `undefined` if the
 * head is damaged or not of the expected shape.
 */
export function unpackFile<Head>(file: Uint8Array, read: Reader<Head>): { readonly head: Head; readonly bytes: Uint8Array } | undefined {
  const length = file.length < 4 ? 0 : new DataView(file.buffer, file.byteOffset).getUint32(0)
  const start = 4 + length + gap(length)
  if (start > file.length) return undefined
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(file.subarray(4, 4 + length)))
  } catch {
    return undefined
  }
  const head = read(value)
  return head === undefined ? undefined : { head, bytes: file.subarray(start) }
}

/** Bytes up to the next multiple of four. */
function gap(length: number): number {
  return (4 - (length % 4)) % 4
}
