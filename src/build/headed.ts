/** A file of a JSON head and bytes behind it: length of the head, head, up to the next multiple of four, then the parts. Parts that are whole pixels stay aligned. */
export function packHeaded(head: unknown, parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const text = new TextEncoder().encode(JSON.stringify(head))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, text.length)
  return [length, text, new Uint8Array(gap(text.length)), ...parts]
}

/** The head of such a file, and where its parts begin. */
export function readHeaded<Head>(bytes: Uint8Array): { readonly head: Head; readonly start: number } {
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + lengthOfHead(bytes)))) as Head
  return { head, start: startOfParts(bytes) }
}

/** Where the parts of such a file begin, without reading its head. */
export function startOfParts(bytes: Uint8Array): number {
  const length = lengthOfHead(bytes)
  return 4 + length + gap(length)
}

function lengthOfHead(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
}

/** Bytes up to the next multiple of four. */
function gap(length: number): number {
  return (4 - (length % 4)) % 4
}
