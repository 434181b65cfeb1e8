import { crc32, deflateRawSync } from 'node:zlib'

/**
 * A ZIP of deflated files, as most services send it.
 *
 * @param {readonly (readonly [name: string, bytes: Uint8Array])[]} files
 */
export function writeZip(files) {
  const parts = []
  const directory = []
  let at = 0
  for (const [name, bytes] of files) {
    const label = Buffer.from(name)
    const packed = deflateRawSync(bytes, { level: 6 })
    const fields = Buffer.alloc(26)
    // Version 2.0, deflated, 1 January 1980.
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt16LE(0x21, 8)
    fields.writeUInt32LE(crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(bytes.length, 18)
    fields.writeUInt16LE(label.length, 22)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), fields, label, packed)
    const central = Buffer.alloc(14)
    central.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02', 'latin1'), Buffer.from([20, 0]), fields, central, label)
    at += 30 + label.length + packed.length
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(size, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06', 'latin1'), end])
}
