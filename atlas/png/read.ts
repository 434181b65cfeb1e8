import { type Bitmap, createBitmap } from '../bitmap.ts'
import { inflateExactly } from '../inflate.ts'
import { type PngHeader, type PngParts, readPngParts, refusePng } from './chunks.ts'
import { unfilter } from './filters.ts'
import { channelsOf, toRgba } from './pixels.ts'

/** Largest picture that is read. */
export interface PictureLimits {
  /**
   * Width × height.
   *
   * @default 2 ** 26
   */
  readonly maxPixels?: number
  /**
   * PNG: most bytes that decoding takes at once, from the packed rows to the RGBA pixels.
   *
   * @default 512 MiB
   */
  readonly maxBytes?: number
}

/** Width × height of the largest picture that is read by default. */
export const MAX_PIXELS: number = 2 ** 26

const MAX_BYTES = 2 ** 29

/**
 * Decodes a PNG strictly, to straight-alpha RGBA8. It reads all colour types, depths and interlacing.
 *
 * Samples of fewer than 8 bits are scaled to 0 to 255; of 16 bits the high byte is used, as libpng's strip
 * does. Gamma, colour profiles and text are ignored (text is never unpacked). Of an animated PNG the still
 * picture is read.
 *
 * @throws {AtlasError} `SW_PNG`, with the stable name of the broken rule in `facts.rule`: damaged chunks of
 * any kind, chunks out of order, a missing end, bytes after it, too many pixels, too much memory for them (a
 * picture of 8192 × 8192 with 16 bits a channel), or image data longer or shorter than the picture.
 * @see W3C PNG (Third Edition).
 */
export function decodePng(bytes: Uint8Array, limits: PictureLimits = {}): Bitmap {
  const parts = readPngParts(bytes, limits.maxPixels ?? MAX_PIXELS)
  const { header } = parts
  const passes = passesOf(header)
  const total = passes.reduce((sum, pass) => sum + pass.height * (1 + rowBytes(header, pass.width)), 0)
  const bytesTaken = total + bytesBeside(header, passes)
  const maxBytes = limits.maxBytes ?? MAX_BYTES
  if (bytesTaken > maxBytes)
    refusePng(
      'too-much-memory',
      `expected to decode it in ${maxBytes} bytes, found it to take ${bytesTaken}: save it smaller, or with 8 bits a channel.`,
      { width: header.width, height: header.height, bytes: bytesTaken, maxBytes },
    )
  const raw = unpack(parts, total)
  if (areRowsPixels(header)) return createBitmap(header.width, header.height, unfilter(raw, header.height, header.width * 4, 4))
  const bitmap = createBitmap(header.width, header.height)
  let at = 0
  for (const pass of passes) {
    const stride = rowBytes(header, pass.width)
    const length = pass.height * (1 + stride)
    const rows = unfilter(
      raw.subarray(at, at + length),
      pass.height,
      stride,
      Math.max(1, (channelsOf(header.colourType) * header.depth) >> 3),
    )
    at += length
    if (pass.stepX === 1 && pass.stepY === 1) toRgba(parts, rows, pass.width * pass.height, pass.width, bitmap.data)
    else scatter(parts, rows, pass, bitmap)
  }
  return bitmap
}

interface Pass {
  readonly x: number
  readonly y: number
  readonly stepX: number
  readonly stepY: number
  readonly width: number
  readonly height: number
}

const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

function passesOf(header: PngHeader): readonly Pass[] {
  const { width, height } = header
  if (!header.interlaced) return [{ x: 0, y: 0, stepX: 1, stepY: 1, width, height }]
  return ADAM7.map(([x, y, stepX, stepY]) => ({
    x,
    y,
    stepX,
    stepY,
    width: Math.ceil((width - x) / stepX),
    height: Math.ceil((height - y) / stepY),
  })).filter((pass) => pass.width > 0 && pass.height > 0)
}

function rowBytes(header: PngHeader, width: number): number {
  return Math.ceil((width * channelsOf(header.colourType) * header.depth) / 8)
}

/** Whether the unfiltered rows already are RGBA pixels. This is the most common kind of PNG. */
function areRowsPixels({ colourType, depth, interlaced }: PngHeader): boolean {
  return colourType === 6 && depth === 8 && !interlaced
}

/** Bytes that decoding needs besides the unpacked rows: the pixels, and copies of the largest pass. */
function bytesBeside(header: PngHeader, passes: readonly Pass[]): number {
  if (areRowsPixels(header)) return 0
  const largestPass = Math.max(...passes.map(({ width, height }) => width * height))
  return 4 * header.width * header.height + largestPass * ((header.depth < 8 ? 1 : 0) + (header.interlaced ? 4 : 0))
}

function unpack(parts: PngParts, length: number): Uint8Array {
  const packed = parts.data.length === 1 ? parts.data[0]! : Buffer.concat(parts.data)
  return inflateExactly(packed, length, (rule, message) => refusePng(rule === 'zlib-leftover' ? 'idat-leftover' : rule, message))
}

function scatter(parts: PngParts, rows: Uint8Array, pass: Pass, bitmap: Bitmap): void {
  const rgba = new Uint8Array(pass.width * pass.height * 4)
  toRgba(parts, rows, pass.width * pass.height, pass.width, rgba)
  const source = new Uint32Array(rgba.buffer)
  const target = new Uint32Array(bitmap.data.buffer, bitmap.data.byteOffset, bitmap.data.length / 4)
  for (let row = 0; row < pass.height; row++) {
    const line = (pass.y + row * pass.stepY) * bitmap.width + pass.x
    for (let column = 0; column < pass.width; column++) target[line + column * pass.stepX] = source[row * pass.width + column]!
  }
}
