import { AtlasError } from '../errors.ts'

/** Width × height of the largest frame: 4096 × 4096. */
export const MAX_FRAME_PIXELS: number = 2 ** 24

/** A picture format that can be read. */
export type PictureFormat = 'png' | 'jpeg' | 'webp'

/** Format and size of a picture, from its header. */
export interface PictureInfo {
  readonly format: PictureFormat
  /** Pixels as stored: EXIF rotation is not applied. */
  readonly width: number
  readonly height: number
}

/**
 * Reads format and size from the header alone; nothing is decoded.
 *
 * @throws {AtlasError} `SW_IMAGE` for bytes that are not PNG, JPEG or WebP (`facts.rule` is `format`), or for
 * an incomplete header (`header`).
 */
export function pictureInfo(bytes: Uint8Array): PictureInfo {
  const format = sniffFormat(bytes)
  if (format === undefined) {
    throw new AtlasError('SW_IMAGE', {
      message: `Expected a PNG, JPEG or WebP picture, found ${describe(bytes)}. Save it in one of these formats.`,
      facts: { rule: 'format', bytes: bytes.length },
    })
  }
  const size = sizeIn(bytes, format)
  if (size === undefined) {
    throw new AtlasError('SW_IMAGE', {
      message: `Expected a whole ${format} picture, found a header without a size in ${bytes.length} bytes. The file is damaged or cut short.`,
      facts: { rule: 'header', format, bytes: bytes.length },
    })
  }
  return { format, ...size }
}

/** Returns the format that the signature names. Returns `undefined` if it cannot be read. */
export function sniffFormat(bytes: Uint8Array): PictureFormat | undefined {
  if (startsWith(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'png'
  if (startsWith(bytes, 0, '\xff\xd8\xff')) return 'jpeg'
  if (startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP')) return 'webp'
  return undefined
}

/**
 * Width and height in the header of a picture of this format, each at least 1. Returns `undefined` if the header is
 * incomplete.
 *
 * @see PNG (ISO/IEC 15948) 11.2.2 IHDR; JPEG (ITU-T T.81) B.2.2 frame header; WebP: RFC 9649.
 */
export function sizeIn(bytes: Uint8Array, format: PictureFormat): Size {
  const size = { png: pngSize, jpeg: jpegSize, webp: webpSize }[format](bytes)
  return size !== undefined && size.width >= 1 && size.height >= 1 ? size : undefined
}

function startsWith(bytes: Uint8Array, at: number, text: string): boolean {
  return bytes.length >= at + text.length && latin1(bytes, at, text.length) === text
}

function latin1(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}

function describe(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'an empty file'
  if (startsWith(bytes, 0, 'GIF8')) return 'a GIF'
  if (startsWith(bytes, 4, 'ftyp')) return 'an AVIF, HEIC or video file'
  if (startsWith(bytes, 0, 'PK')) return 'an archive'
  if (/^(?:\xef\xbb\xbf)?\s*<(?:svg|\?xml|!doctype)/i.test(latin1(bytes, 0, 64))) return 'an SVG or HTML text'
  return `bytes that begin with ${Buffer.from(bytes.subarray(0, 8)).toString('hex')}`
}

type Size = { readonly width: number; readonly height: number } | undefined

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function pngSize(bytes: Uint8Array): Size {
  const view = viewOf(bytes)
  if (bytes.length < 33 || view.getUint32(8) !== 13 || !startsWith(bytes, 12, 'IHDR')) return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** A segment of a JPEG: its marker is at `at` + 1, its content begins at `at` + 4. */
interface JpegSegment {
  readonly marker: number
  readonly at: number
  readonly end: number
}

/** The segments up to the end of the picture, past pixels and stray bytes; see ITU T.81, B.1.1. */
function* jpegSegments(bytes: Uint8Array): Generator<JpegSegment> {
  const view = viewOf(bytes)
  for (let at = 2; at + 4 <= bytes.length; ) {
    const marker = bytes[at + 1]!
    // Pixels, stray bytes, fill bytes, or a marker without a length.
    if (bytes[at] !== 0xff || marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8) || marker === 0xff) at += 1
    else if (marker === 0xd9) return
    else {
      const end = at + 2 + Math.max(2, view.getUint16(at + 2))
      yield { marker, at, end }
      at = end
    }
  }
}

function jpegSize(bytes: Uint8Array): Size {
  const view = viewOf(bytes)
  for (const { marker, at, end } of jpegSegments(bytes)) {
    const isFrame = marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame && at + 9 <= Math.min(end, bytes.length)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    if (marker === 0xda) return undefined
  }
  return undefined
}

/**
 * Returns a JPEG with the values of the standard in header fields that browsers ignore, e.g. those that some
 * phones write. A decoder warns of such fields as it does of damage, and only its first warning can be read.
 */
export function withPlainHeaders(jpeg: Uint8Array): Uint8Array {
  // `slice` of a Buffer does not copy.
  const bytes = new Uint8Array(jpeg)
  let last: JpegSegment | undefined
  let isSequential = false
  for (const segment of jpegSegments(jpeg)) {
    const { marker, at, end } = segment
    if (end > bytes.length) break
    // Stray bytes between segments become fill bytes.
    if (last?.marker !== 0xda) bytes.fill(0xff, last?.end ?? 2, at)
    isSequential ||= marker === 0xc0 || marker === 0xc1
    // A segment may be shorter than the standard says.
    if (marker === 0xda && isSequential && at + 7 < end) bytes.set([0, 63, 0], end - 3)
    if (marker === 0xe0 && startsWith(bytes, at + 4, 'JFIF\0') && at + 9 < end) bytes[at + 9] = 1
    if (marker === 0xee && startsWith(bytes, at + 4, 'Adobe') && at + 15 < end && bytes[at + 15]! > 2) bytes[at + 15] = 1
    last = segment
  }
  return bytes
}

// See RFC 9649: lossy (VP8), lossless (VP8L) and extended (VP8X) headers.
function webpSize(bytes: Uint8Array): Size {
  if (bytes.length < 30) return undefined
  const view = viewOf(bytes)
  const chunk = latin1(bytes, 12, 4)
  if (chunk === 'VP8 ' && startsWith(bytes, 23, '\x9d\x01\x2a')) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  if (chunk === 'VP8L' && bytes[20] === 0x2f) {
    const packed = view.getUint32(21, true)
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
  }
  if (chunk === 'VP8X') {
    return { width: (view.getUint32(24, true) & 0xffffff) + 1, height: (view.getUint16(27, true) | (bytes[29]! << 16)) + 1 }
  }
  return undefined
}
