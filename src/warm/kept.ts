/** What is kept of a run for the next one: a text, and bytes beside it. */
export interface Kept {
  readonly text: string
  readonly parts: readonly Uint8Array[]
}

/** One file of it: a line with the lengths of text and parts, then these, one after the other. */
export function packKept({ text, parts }: Kept): Uint8Array {
  const content = [new TextEncoder().encode(text), ...parts]
  const line = new TextEncoder().encode(`${JSON.stringify(content.map((part) => part.length))}\n`)
  return Buffer.concat([line, ...content])
}

/** What {@link packKept} packed; parts are views on the bytes. */
export function unpackKept(bytes: Uint8Array): Kept {
  const start = bytes.indexOf(0x0a) + 1
  const lengths = JSON.parse(new TextDecoder().decode(bytes.subarray(0, start))) as readonly number[]
  let at = start
  const [text = new Uint8Array(), ...parts] = lengths.map((length) => {
    at += length
    return bytes.subarray(at - length, at)
  })
  return { text: new TextDecoder().decode(text), parts }
}
