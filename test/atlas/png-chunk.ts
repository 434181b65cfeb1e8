import { crc32 } from 'node:zlib'

/** A chunk of a PNG with its length and CRC. */
export function pngChunk(type: string, content: Iterable<number>): Uint8Array {
  const named = Buffer.from([...Buffer.from(type, 'latin1'), ...content])
  const framed = Buffer.concat([Buffer.alloc(4), named, Buffer.alloc(4)])
  framed.writeUInt32BE(named.length - 4, 0)
  framed.writeUInt32BE(crc32(named), 4 + named.length)
  return framed
}
