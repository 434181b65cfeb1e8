/** Format and size of a picture, read from its first bytes. */
export interface PictureHeader {
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp'
  /** Pixels, at least 1. */
  readonly width: number
  readonly height: number
}

/** A picture's header, or a description of the bytes if they are not such a picture. */
export type SniffedPicture = { readonly header: PictureHeader } | { readonly found: string }

/**
 * Recognises PNG, JPEG and WebP by their signature and reads width and height from the header. Decodes
 * nothing.
 *
 * @see PNG (ISO/IEC 15948) 11.2.2 IHDR; JPEG (ITU-T T.81) B.2.2 frame header; WebP container specification,
 * RFC 9649.
 */
export function sniffPicture(bytes: Uint8Array): SniffedPicture {
  if (bytes.length === 0) return { found: 'an empty file' }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return toHeader('image/png', 'PNG', pngSize(bytes, view))
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return toHeader('image/jpeg', 'JPEG', jpegSize(bytes, view))
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 4) === 'WEBP') return toHeader('image/webp', 'WebP', webpSize(bytes, view))
  return { found: describeOther(bytes) }
}

interface Size {
  readonly width: number
  readonly height: number
}

function toHeader(contentType: PictureHeader['contentType'], kind: string, size: Size | undefined): SniffedPicture {
  if (!size || size.width < 1 || size.height < 1) return { found: `a ${kind} file whose header is cut off or damaged` }
  return { header: { contentType, ...size } }
}

function pngSize(bytes: Uint8Array, view: DataView): Size | undefined {
  if (bytes.length < 33 || view.getUint32(8) !== 13 || ascii(bytes, 12, 4) !== 'IHDR') return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function jpegSize(bytes: Uint8Array, view: DataView): Size | undefined {
  let at = 2
  while (at + 9 <= bytes.length) {
    const marker = bytes[at + 1] ?? 0
    // Between segments there may be stray bytes, fill bytes and markers without a length.
    if (bytes[at] !== 0xff || marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8) || marker === 0xff) at += 1
    else if (marker === 0xd9 || marker === 0xda) return undefined
    else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    } else at += 2 + Math.max(2, view.getUint16(at + 2))
  }
  return undefined
}

function webpSize(bytes: Uint8Array, view: DataView): Size | undefined {
  if (bytes.length < 30) return undefined
  const chunk = ascii(bytes, 12, 4)
  if (chunk === 'VP8X') return { width: 1 + uint24(bytes, 24), height: 1 + uint24(bytes, 27) }
  if (chunk === 'VP8L') {
    if (bytes[20] !== 0x2f) return undefined
    const bits = view.getUint32(21, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (chunk !== 'VP8 ' || !startsWith(bytes.subarray(23), [0x9d, 0x01, 0x2a])) return undefined
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}

function describeOther(bytes: Uint8Array): string {
  const text = ascii(bytes, 0, 256)
  const start = text.replace(/^(?:\xef\xbb\xbf)?\s+|^\xef\xbb\xbf/, '').toLowerCase()
  if (text.startsWith('GIF8')) return 'a GIF file'
  if (text.startsWith('BM')) return 'a BMP file'
  if (text.startsWith('8BPS')) return 'a Photoshop file'
  if (text.startsWith('%PDF')) return 'a PDF file'
  if (text.startsWith('PK\u0003\u0004')) return 'a ZIP file'
  if (startsWith(bytes, [0x49, 0x49, 0x2a, 0]) || startsWith(bytes, [0x4d, 0x4d, 0, 0x2a])) return 'a TIFF file'
  if (ascii(bytes, 4, 4) === 'ftyp') return /avi[fs]/.test(text.slice(8, 32)) ? 'an AVIF file' : 'an HEIF or MP4 file'
  if (start.startsWith('version https://git-lfs')) return 'a Git LFS pointer (run: git lfs pull)'
  if (start.startsWith('<svg') || (start.startsWith('<?xml') && start.includes('<svg'))) return 'an SVG file'
  if (start.startsWith('<!doctype html') || start.startsWith('<html')) return 'an HTML page'
  return /^[\t\n\r\x20-\x7e]*$/.test(text) ? 'a text file' : 'a file of another kind'
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return bytes.length >= signature.length && signature.every((byte, index) => bytes[index] === byte)
}

function ascii(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}

function uint24(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)
}
