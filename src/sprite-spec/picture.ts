import { sizeIn, sniffFormat } from '../../atlas/png/picture.ts'

/** Format and size of a picture, read from its first bytes. */
export interface PictureHeader {
  readonly contentType: 'image/png' | 'image/jpeg' | 'image/webp'
  /** Pixels, at least 1. */
  readonly width: number
  readonly height: number
}

/** A picture's header, or a description of the bytes if they are no supported picture. */
export type SniffedPicture = { readonly header: PictureHeader } | { readonly found: string }

/**
 * Recognises PNG, JPEG and WebP by their signature and reads width and height from the header. Decodes
 * nothing.
 */
export function sniffPicture(bytes: Uint8Array): SniffedPicture {
  if (bytes.length === 0) return { found: 'an empty file' }
  const format = sniffFormat(bytes)
  if (format === undefined) return { found: describeOther(bytes) }
  const size = sizeIn(bytes, format)
  if (!size) return { found: `a ${{ png: 'PNG', jpeg: 'JPEG', webp: 'WebP' }[format]} file whose header is cut off or damaged` }
  return { header: { contentType: `image/${format}`, ...size } }
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
