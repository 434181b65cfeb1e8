import { crc32, deflateSync } from 'node:zlib'
import { type Chance, damage, oddValue } from './chance.ts'

const channels: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
const depths: Readonly<Record<number, readonly number[]>> = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] }
/** The passes of an interlaced PNG: left, top, and the steps to the right and down. */
export const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

/**
 * A PNG from a seed: any colour type and depth, any row filters, interlaced or not. It is mostly sound, with
 * wrong values in its header, chunks, rows or bytes.
 */
export function pngCase(chance: Chance): Uint8Array {
  const colourType = chance.pick([0, 2, 3, 4, 6])
  const depth = chance.pick(depths[colourType]!)
  const width = 1 + chance.under(20)
  const height = 1 + chance.under(20)
  const isInterlaced = chance.is(0.3)
  const colours = 1 + chance.under(Math.min(256, 2 ** depth))
  const rows = imageData(chance, {
    bits: channels[colourType]! * depth,
    width,
    height,
    isInterlaced,
    limit: colourType === 3 && depth === 8 ? colours : 256,
  })
  const chunks: Uint8Array[] = [chunk(chance, 'IHDR', ihdr(chance, [width, height], [depth, colourType, 0, 0, isInterlaced ? 1 : 0]))]
  if (chance.is(0.1))
    chunks.push(chunk(chance, chance.pick(['tEXt', 'gAMA', 'iCCP', 'zzZz', 'AAAA', 'acTL']), chance.bytes(chance.under(30))))
  if (colourType === 3 || chance.is(0.03)) chunks.push(chunk(chance, 'PLTE', chance.bytes(3 * colours + (chance.is(0.03) ? 1 : 0))))
  const clear = { 0: 2, 2: 6, 3: chance.under(colours + 1) }[colourType] ?? 4
  if ((colourType < 4 && chance.is(0.3)) || chance.is(0.02)) chunks.push(chunk(chance, 'tRNS', keyed(chance, clear, depth)))
  chunks.push(...dataChunks(chance, rows))
  if (chance.is(0.05)) chunks.splice(1 + chance.under(chunks.length - 1), 0, chance.pick(chunks))
  if (chance.is(0.03)) chunks.splice(chance.under(chunks.length), 1)
  if (chance.is(0.98)) chunks.push(chunk(chance, 'IEND', new Uint8Array(chance.is(0.02) ? 1 : 0)))
  const whole = new Uint8Array(Buffer.concat([Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10), ...chunks]))
  return chance.is(0.15) ? damage(chance, whole) : whole
}

function keyed(chance: Chance, length: number, depth: number): Uint8Array {
  const key = chance.bytes(length)
  // Values within small depths, so that the picture contains the key colour.
  return length === 2 || length === 6
    ? key.map((value, index) => (index % 2 === 1 ? value & (2 ** Math.min(8, depth) - 1) : depth === 16 ? value : 0))
    : key
}

function ihdr(chance: Chance, sides: readonly number[], rest: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(13)
  const view = new DataView(bytes.buffer)
  for (const [index, side] of sides.entries()) view.setUint32(index * 4, chance.is(0.02) ? oddValue(chance, 32, side) : side)
  for (const [index, value] of rest.entries()) bytes[8 + index] = chance.is(0.01) ? oddValue(chance, 8, value) : value
  return bytes
}

interface Rows {
  /** Bits a pixel. */
  readonly bits: number
  readonly width: number
  readonly height: number
  readonly isInterlaced: boolean
  /** Bytes are drawn below this limit. */
  readonly limit: number
}

/** Rows with their filter bytes. */
function imageData(chance: Chance, { bits, width, height, isInterlaced, limit }: Rows): Uint8Array {
  const passes = isInterlaced ? adam7 : ([[0, 0, 1, 1]] as const)
  // A palette's indices must be valid after the filters are undone, so these pictures mostly have no filters.
  const filters = limit < 256 ? [0] : [0, 1, 2, 3, 4]
  const rows = passes.flatMap(([x, y, stepX, stepY]) => {
    const across = Math.ceil((width - x) / stepX)
    const down = Math.ceil((height - y) / stepY)
    if (across <= 0 || down <= 0) return []
    return Array.from({ length: down }, () => {
      const row = new Uint8Array(1 + Math.ceil((across * bits) / 8))
      for (let at = 1; at < row.length; at++) row[at] = chance.under(limit)
      row[0] = chance.is(0.002) ? 5 + chance.under(250) : chance.pick(filters)
      return row
    })
  })
  const whole = new Uint8Array(Buffer.concat(rows))
  return chance.is(0.03) ? damage(chance, whole) : whole
}

function dataChunks(chance: Chance, rows: Uint8Array): Uint8Array[] {
  const honest = new Uint8Array(deflateSync(rows, { level: chance.pick([0, 1, 9]) }))
  const packed = chance.is(0.03) ? damage(chance, honest) : honest
  const cut = chance.is(0.3) ? chance.under(packed.length + 1) : packed.length
  return [packed.subarray(0, cut), packed.subarray(cut)]
    .filter((part) => part.length > 0 || chance.is(0.1))
    .map((part) => chunk(chance, 'IDAT', part))
}

function chunk(chance: Chance, type: string, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(content.length + 12)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, chance.is(0.003) ? oddValue(chance, 32, content.length) : content.length)
  bytes.set(Buffer.from(type, 'latin1'), 4)
  bytes.set(content, 8)
  const sum = crc32(bytes.subarray(4, content.length + 8))
  view.setUint32(content.length + 8, chance.is(0.01) ? oddValue(chance, 32, sum) : sum)
  return bytes
}
