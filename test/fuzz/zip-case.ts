import { crc32, deflateRawSync } from 'node:zlib'
import { type Chance, damage, oddValue } from './chance.ts'

/** A header field: its offset in the local header and in the directory, and its width. */
const fields = [
  { name: 'version', local: 4, central: 6, bits: 16 },
  { name: 'flags', local: 6, central: 8, bits: 16 },
  { name: 'method', local: 8, central: 10, bits: 16 },
  { name: 'time', local: 10, central: 12, bits: 32 },
  { name: 'crc', local: 14, central: 16, bits: 32 },
  { name: 'packed', local: 18, central: 20, bits: 32 },
  { name: 'size', local: 22, central: 24, bits: 32 },
  { name: 'nameLength', local: 26, central: 28, bits: 16 },
  { name: 'extraLength', local: 28, central: 30, bits: 16 },
  { name: 'commentLength', local: undefined, central: 32, bits: 16 },
  { name: 'disk', local: undefined, central: 34, bits: 16 },
  { name: 'mode', local: undefined, central: 38, bits: 32 },
  { name: 'offset', local: undefined, central: 42, bits: 32 },
] as const

const names = [
  'frame_0.png',
  'frames/frame_0001.png',
  'frames/',
  'sheet.png',
  'atlas.json',
  '../up.png',
  '/root.png',
  'a\\b.png',
  'A.PNG',
  'a.png',
  'ä.png',
  'con',
  'x'.repeat(300),
]

/** An archive from a seed. It is mostly sound, with wrong values in its headers, its layout, or its bytes. */
export function zipCase(chance: Chance): Uint8Array {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  const count = chance.under(5)
  let offset = 0
  if (chance.is(0.03)) offset += push(parts, chance.bytes(chance.under(40)))
  for (let index = 0; index < count; index++) {
    const { local, central } = entry(chance, offset)
    offset += push(parts, local)
    if (chance.is(0.97)) directory.push(central)
    if (chance.is(0.03)) directory.push(central)
    if (chance.is(0.03)) offset += push(parts, chance.bytes(chance.under(20)))
  }
  if (chance.is(0.1)) directory.reverse()
  const middle = Buffer.concat(directory)
  const whole = new Uint8Array(Buffer.concat([...parts, middle, ending(chance, directory.length, middle.length, offset)]))
  return chance.is(0.25) ? damage(chance, whole) : whole
}

function push(parts: Uint8Array[], bytes: Uint8Array): number {
  parts.push(bytes)
  return bytes.length
}

function entry(chance: Chance, offset: number): { local: Uint8Array; central: Uint8Array } {
  const name = new TextEncoder().encode(chance.is(0.6) ? `frames/${offset}.png` : chance.pick(names))
  const content = chance.is(0.05)
    ? new Uint8Array(2_000_000)
    : chance.is(0.3)
      ? chance.bytes(chance.under(300))
      : new Uint8Array(chance.under(300)).fill(7)
  const method = chance.is(0.5) ? 8 : 0
  const packed = method === 8 ? new Uint8Array(deflateRawSync(content)) : content
  const hasDescriptor = chance.is(0.15)
  const flags = (hasDescriptor ? 8 : 0) | (chance.is(0.3) ? 0x800 : 0)
  const extra = chance.is(0.15) ? extraFields(chance, content.length, packed.length) : new Uint8Array()
  const honest: Record<string, number> = {
    version: 20,
    flags,
    method,
    time: 0x21,
    crc: crc32(content),
    packed: packed.length,
    size: content.length,
    nameLength: name.length,
    extraLength: extra.length,
    commentLength: 0,
    disk: 0,
    mode: (chance.pick([0, 0o100644, 0o040755, 0o120777]) << 16) >>> 0,
    offset,
  }
  const inLocal = hasDescriptor && chance.is(0.8) ? { ...honest, crc: 0, packed: 0, size: 0 } : honest
  const local = header(chance, 30, 0x04034b50, 'local', inLocal)
  const central = header(chance, 46, 0x02014b50, 'central', honest)
  const descriptor = hasDescriptor ? describe(chance, honest) : new Uint8Array()
  const data = chance.is(0.05) ? damage(chance, packed) : packed
  const otherName = chance.is(0.03) ? damage(chance, name) : name
  return {
    local: new Uint8Array(Buffer.concat([local, otherName, extra, data, descriptor])),
    central: new Uint8Array(Buffer.concat([central, name, extra])),
  }
}

function header(
  chance: Chance,
  length: number,
  signature: number,
  kind: 'local' | 'central',
  values: Readonly<Record<string, number>>,
): Uint8Array {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, signature, true)
  for (const field of fields) {
    const at = field[kind]
    if (at === undefined) continue
    const honest = values[field.name]!
    const value = chance.is(0.01) ? oddValue(chance, field.bits, honest) : honest
    if (field.bits === 16) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
  }
  return bytes
}

function describe(chance: Chance, { crc = 0, packed = 0, size = 0 }: Readonly<Record<string, number>>): Uint8Array {
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  for (const [index, value] of [0x08074b50, crc, packed, size].entries())
    view.setUint32(index * 4, chance.is(0.03) ? oddValue(chance, 32, value) : value, true)
  return chance.is(0.2) ? bytes.subarray(4) : bytes
}

function extraFields(chance: Chance, size: number, packed: number): Uint8Array {
  const body = chance.is(0.5) ? new Uint8Array(16) : chance.bytes(chance.under(24))
  if (body.length === 16) {
    new DataView(body.buffer).setUint32(0, size, true)
    new DataView(body.buffer).setUint32(8, packed, true)
  }
  const head = new Uint8Array(4)
  new DataView(head.buffer).setUint16(0, chance.pick([1, 0x7075, 0x5455, 0x9901, 0xcafe]), true)
  new DataView(head.buffer).setUint16(2, chance.is(0.1) ? oddValue(chance, 16, body.length) : body.length, true)
  return new Uint8Array(Buffer.concat([head, body]))
}

function ending(chance: Chance, count: number, size: number, offset: number): Uint8Array {
  const comment = chance.is(0.05) ? chance.bytes(chance.under(30)) : new Uint8Array()
  const bytes = new Uint8Array(22 + comment.length)
  const view = new DataView(bytes.buffer)
  const odd = (bits: 16 | 32, honest: number): number => (chance.is(0.02) ? oddValue(chance, bits, honest) : honest)
  view.setUint32(0, 0x06054b50, true)
  view.setUint16(4, odd(16, 0), true)
  view.setUint16(6, odd(16, 0), true)
  view.setUint16(8, odd(16, count), true)
  view.setUint16(10, odd(16, count), true)
  view.setUint32(12, odd(32, size), true)
  view.setUint32(16, odd(32, offset), true)
  view.setUint16(20, odd(16, comment.length), true)
  bytes.set(comment, 22)
  return bytes
}
