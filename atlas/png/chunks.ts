import { crc32 } from 'node:zlib'
import { AtlasError } from '../errors.ts'

/**
 * Throws for an invalid PNG.
 *
 * @param rule Stable name of the broken rule.
 * @throws {AtlasError} `SW_PNG`, always.
 */
export function refusePng(rule: string, message: string, facts: Readonly<Record<string, unknown>> = {}): never {
  throw new AtlasError('SW_PNG', { message: `The PNG breaks the rule "${rule}": ${message}`, facts: { rule, ...facts } })
}

/** The content of IHDR. */
export interface PngHeader {
  readonly width: number
  readonly height: number
  /** Bits a channel: 1, 2, 4, 8 or 16. */
  readonly depth: number
  /** 0 grey, 2 RGB, 3 palette, 4 grey + alpha, 6 RGBA. */
  readonly colourType: number
  readonly interlaced: boolean
}

/** The chunks that define the pixels. */
export interface PngParts {
  readonly header: PngHeader
  /** Three bytes a colour. */
  readonly palette?: Uint8Array | undefined
  /** The content of tRNS. */
  readonly transparency?: Uint8Array | undefined
  /** The content of every IDAT, in order. */
  readonly data: readonly Uint8Array[]
}

/** The first eight bytes of every PNG. */
export const PNG_SIGNATURE: Uint8Array = Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10)

const DEPTHS: Readonly<Record<number, readonly number[]>> = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] }
const MAX_SIDE = 0x7fffffff

/** The chunks read so far. */
interface Progress {
  header?: PngHeader
  palette?: Uint8Array
  transparency?: Uint8Array
  readonly data: Uint8Array[]
  /** Whether another chunk followed the last IDAT. */
  dataEnded: boolean
}

/**
 * Splits a PNG into its chunks and checks the order, the length and the CRC of each.
 *
 * @param maxPixels Largest width × height that is read.
 * @throws {AtlasError} `SW_PNG`
 */
export function readPngParts(bytes: Uint8Array, maxPixels: number): PngParts {
  if (bytes.length < 8 || Buffer.compare(bytes.subarray(0, 8), PNG_SIGNATURE) !== 0)
    refusePng('signature', `expected the eight bytes of a PNG, found ${Buffer.from(bytes.subarray(0, 8)).toString('hex') || 'nothing'}.`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const seen: Progress = { data: [], dataEnded: false }
  for (let at = 8; ; ) {
    if (at === bytes.length) refusePng('no-iend', 'expected IEND at the end, found the end of the file.')
    if (at + 12 > bytes.length) refusePng('truncated', `expected a chunk at byte ${at}, found ${bytes.length - at} bytes.`)
    const length = view.getUint32(at)
    const type = chunkType(bytes.subarray(at + 4, at + 8))
    const end = at + 12 + length
    if (length > MAX_SIDE) refusePng('chunk-length', `expected at most ${MAX_SIDE} bytes in ${type}, found ${length}.`)
    if (end > bytes.length) refusePng('truncated', `expected ${type} to end by byte ${bytes.length}, found it to end at ${end}.`)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) {
      const isCritical = (bytes[at + 4]! & 0x20) === 0
      refusePng(isCritical ? 'crc-critical' : 'crc-ancillary', `expected the CRC of ${type} at byte ${at} to match, found another.`, {
        chunk: type,
      })
    }
    const content = bytes.subarray(at + 8, end - 4)
    if (type === 'IEND') return finish(seen, content, bytes.length - end)
    take(seen, type, content, maxPixels)
    at = end
  }
}

function chunkType(bytes: Uint8Array): string {
  const type = String.fromCharCode(...bytes)
  if (!/^[A-Za-z]{4}$/.test(type)) refusePng('chunk-type', `expected a chunk name of four letters, found ${JSON.stringify(type)}.`)
  return type
}

function take(seen: Progress, type: string, content: Uint8Array, maxPixels: number): void {
  if (seen.header === undefined && type !== 'IHDR') refusePng('ihdr-not-first', `expected IHDR first, found ${type}.`)
  if (type !== 'IDAT' && seen.data.length > 0) seen.dataEnded = true
  if (type === 'IHDR') {
    if (seen.header !== undefined) refusePng('ihdr-twice', 'expected one IHDR, found two.')
    seen.header = readHeader(content, maxPixels)
  } else if (type === 'PLTE') seen.palette = readPalette(seen, content)
  else if (type === 'tRNS') seen.transparency = readTransparency(seen, content)
  else if (type === 'IDAT') {
    if (seen.dataEnded) refusePng('idat-split', 'expected consecutive IDAT chunks, found another chunk between them.')
    if (seen.header!.colourType === 3 && seen.palette === undefined)
      refusePng('plte-missing', 'expected a palette before the image data, found none.')
    seen.data.push(content)
  } else if (/^[A-Z]/.test(type)) refusePng('unknown-critical', `expected only chunks that are known or may be skipped, found ${type}.`)
}

function readHeader(content: Uint8Array, maxPixels: number): PngHeader {
  if (content.length !== 13) refusePng('ihdr-length', `expected 13 bytes in IHDR, found ${content.length}.`)
  const view = new DataView(content.buffer, content.byteOffset, 13)
  const [width, height, depth, colourType] = [view.getUint32(0), view.getUint32(4), view.getUint8(8), view.getUint8(9)]
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
    refusePng('dimension', `expected sides from 1 to ${MAX_SIDE}, found ${width} × ${height}.`)
  if (!DEPTHS[colourType]?.includes(depth))
    refusePng('colour-type', `expected a valid colour type and depth, found ${colourType} with ${depth} bits.`)
  if (view.getUint8(10) !== 0 || view.getUint8(11) !== 0) refusePng('method', 'expected compression and filter method 0, found others.')
  if (view.getUint8(12) > 1) refusePng('interlace', `expected interlace method 0 or 1, found ${view.getUint8(12)}.`)
  if (width * height > maxPixels)
    refusePng('too-many-pixels', `expected at most ${maxPixels} pixels, found ${width} × ${height}.`, { width, height, maxPixels })
  return { width, height, depth, colourType, interlaced: view.getUint8(12) === 1 }
}

function readPalette(seen: Progress, content: Uint8Array): Uint8Array {
  const { colourType, depth } = seen.header!
  if (seen.palette !== undefined) refusePng('plte-twice', 'expected one palette, found two.')
  if (seen.data.length > 0) refusePng('plte-late', 'expected the palette before the image data, found it after.')
  if (seen.transparency !== undefined) refusePng('plte-late', 'expected the palette before tRNS, found it after.')
  if (colourType === 0 || colourType === 4) refusePng('plte-in-grey', 'expected no palette in a grey picture, found one.')
  if (content.length === 0 || content.length % 3 !== 0 || content.length > 768)
    refusePng('plte-length', `expected 1 to 256 colours of 3 bytes, found ${content.length} bytes.`)
  if (colourType === 3 && content.length / 3 > 2 ** depth)
    refusePng('plte-too-long', `expected at most ${2 ** depth} colours at ${depth} bits, found ${content.length / 3}.`)
  return content
}

function readTransparency(seen: Progress, content: Uint8Array): Uint8Array {
  const { colourType } = seen.header!
  if (seen.transparency !== undefined) refusePng('trns-twice', 'expected one tRNS, found two.')
  if (seen.data.length > 0) refusePng('trns-late', 'expected tRNS before the image data, found it after.')
  const isSound =
    colourType === 3
      ? seen.palette !== undefined && content.length <= seen.palette.length / 3
      : (colourType === 0 && content.length === 2) || (colourType === 2 && content.length === 6)
  if (!isSound) refusePng('trns', `expected a tRNS that fits colour type ${colourType}, found ${content.length} bytes.`)
  if (colourType !== 3) checkDepth(content, seen.header!.depth)
  return content
}

/**
 * Throws if a transparent colour has a value that the picture's depth cannot have. Some readers ignore its
 * high bits, so that the same picture has a hole there and none here.
 */
function checkDepth(key: Uint8Array, depth: number): void {
  for (let at = 0; at < key.length; at += 2) {
    const value = key[at]! * 256 + key[at + 1]!
    if (value >= 2 ** depth) refusePng('trns-depth', `expected a tRNS with values below ${2 ** depth} at ${depth} bits, found ${value}.`)
  }
}

function finish(seen: Progress, content: Uint8Array, rest: number): PngParts {
  if (seen.header === undefined) refusePng('ihdr-not-first', 'expected IHDR first, found IEND.')
  if (content.length > 0) refusePng('iend-not-empty', `expected an empty IEND, found ${content.length} bytes.`)
  if (seen.data.length === 0) refusePng('no-idat', 'expected image data, found none.')
  if (rest > 0) refusePng('trailing-bytes', `expected IEND to end the file, found ${rest} bytes after it.`)
  return { header: seen.header, data: seen.data, palette: seen.palette, transparency: seen.transparency }
}
