import type { Sharp } from 'sharp'
import { type Bitmap, createBitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import type { PageFormat } from '../format-abilities.ts'
import { CLOSE_ENOUGH, encodeIndexed, type PaletteMode } from '../png/palette.ts'
import { pictureInfo } from '../png/picture.ts'
import { decodePng, MAX_PIXELS, type PictureLimits } from '../png/read.ts'
import { encodePngAsync } from '../png/write.ts'
import { bleedColours } from './bleed.ts'
import { likeness } from './likeness.ts'
import { resizeNearest } from './nearest.ts'
import { encodeTexture, type TextureCodec } from './texture.ts'

/** How a page is written. */
export interface PageEncoding {
  readonly format: PageFormat
  /** PNG: zlib level, 0 to 9. @default {@link DEFAULT_LEVEL} */
  readonly level?: number
  /** WebP, AVIF: 1 to 100; read where `lossless` is false. @default 80 for WebP, 50 for AVIF */
  readonly quality?: number
  /** WebP: exact pixels. AVIF is never exact, so it is always lossy. @default true */
  readonly lossless?: boolean
  /** KTX2: what encodes it, handed in. */
  readonly texture?: TextureCodec
  /** PNG: write colours as indices into a palette where that is smaller. See {@link PaletteMode}. @default truecolour */
  readonly palette?: PaletteMode
}

/** zlib level of PNGs that are given none: higher ones take several times as long for a few hundredths of the bytes. */
export const DEFAULT_LEVEL = 6

type SharpModule = typeof import('sharp')['default']

let loading: Promise<SharpModule> | undefined

// Loaded at first use: the import costs more than most warm builds do.
function loadSharp(): Promise<SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    // Pages and frames are the unit of work; threads inside one cost more than they gain.
    sharp.concurrency(1)
    return sharp
  })
  return loading
}

/** PNGs with these faults have sound pixels; a picture of the user's own is read in spite of them. */
const HARMLESS_PNG_RULES: ReadonlySet<unknown> = new Set([
  'crc-ancillary',
  'trailing-bytes',
  'palette-index',
  'trns',
  'plte-length',
  'plte-too-long',
])

/**
 * Reads a PNG, JPEG or WebP picture, as references are. An EXIF turn is applied; of an animation the first picture is read.
 *
 * PNGs go through the own strict decoder; only a PNG whose fault cannot touch its pixels is handed to sharp.
 *
 * @throws {AtlasError} `SW_IMAGE` for another format, a damaged file, or one over the limit; `SW_PNG` for a damaged PNG.
 */
export async function readPicture(bytes: Uint8Array, limits: PictureLimits = {}): Promise<Bitmap> {
  const info = pictureInfo(bytes)
  const maxPixels = limits.maxPixels ?? MAX_PIXELS
  if (info.width * info.height > maxPixels) {
    throw new AtlasError('SW_IMAGE', {
      message: `Expected at most ${maxPixels} pixels, found ${info.width} × ${info.height}. Use a smaller picture.`,
      facts: { ...info, maxPixels },
    })
  }
  if (info.format === 'png') {
    try {
      return decodePng(bytes, limits)
    } catch (error) {
      if (!(error instanceof AtlasError && HARMLESS_PNG_RULES.has(error.facts.rule))) throw error
    }
  }
  return readBySharp(bytes, info, maxPixels)
}

/**
 * Reads a page that was written before.
 *
 * @throws {AtlasError} `SW_IMAGE` or `SW_PNG` for bytes that are none.
 */
export async function readPage(bytes: Uint8Array, format: Exclude<PageFormat, 'ktx2'>): Promise<Bitmap> {
  return format === 'png' ? decodePng(bytes) : readBySharp(bytes, { format }, MAX_PIXELS)
}

async function readBySharp(bytes: Uint8Array, info: { readonly format: string }, maxPixels: number): Promise<Bitmap> {
  const sharp = await loadSharp()
  try {
    const image = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'warning' }).autoOrient().toColourspace('srgb').ensureAlpha()
    const { data, info: size } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
    return createBitmap(size.width, size.height, bytesOf(data))
  } catch (cause) {
    throw new AtlasError('SW_IMAGE', {
      message: `Expected a sound ${info.format} picture, found: ${cause instanceof Error ? cause.message : String(cause)}`,
      facts: { ...info },
      cause,
    })
  }
}

/**
 * Writes a page. PNG without adaptive filters, which make flat art larger, and with a palette only where that keeps its promise and is smaller; WebP exact and fast. Before detail is lost, clear
 * pixels near visible ones take their colour. The same pixels give the same bytes on one version of zlib (PNG) and sharp (all others); a PNG in all its colours needs no sharp.
 *
 * @throws {AtlasError} `SW_ATLAS_OPTION` for KTX2 without a codec, or of more pixels than it takes.
 */
export async function encodePage(bitmap: Bitmap, encoding: PageEncoding): Promise<Uint8Array> {
  const lossless = encoding.lossless ?? true
  if (encoding.format === 'ktx2') return encodeTexture(bitmap, encoding.texture)
  if (encoding.format === 'png') {
    const { level = DEFAULT_LEVEL, palette } = encoding
    const plain = await encodePngAsync(bitmap, level)
    const indexed = palette === undefined ? undefined : await encodePalette(bitmap, palette, level)
    return indexed !== undefined && indexed.length < plain.length ? indexed : plain
  }
  const image = await sharpOf(lossless && encoding.format === 'webp' ? bitmap : bleedColours(bitmap))
  if (encoding.format === 'webp') {
    // Lossy effort 4 is the best trade; 6 takes ten times as long for a tenth of the bytes.
    const options = lossless ? { lossless, effort: 0 } : { quality: encoding.quality ?? 80, effort: 4 }
    return bytesOf(await image.webp(options).toBuffer())
  }
  return bytesOf(await image.avif({ quality: encoding.quality ?? 50, effort: 2, chromaSubsampling: '4:4:4' }).toBuffer())
}

/** Undefined where a palette cannot keep what the mode promises. */
async function encodePalette(bitmap: Bitmap, mode: PaletteMode, level: number): Promise<Uint8Array | undefined> {
  const exact = await encodeIndexed(bitmap, level)
  if (exact !== undefined || mode === 'exact') return exact
  const image = await sharpOf(bitmap)
  const close = bytesOf(await image.png({ compressionLevel: level, palette: true, colours: 256, dither: 0, effort: 7 }).toBuffer())
  return likeness(bitmap, decodePng(close)) >= CLOSE_ENOUGH ? close : undefined
}

/**
 * Scales to exactly `width` × `height`. `lanczos` works on premultiplied colour, so that clear pixels lend no colour to edges; `nearest` copies pixels and needs no sharp.
 *
 * @throws {AtlasError} `SW_FRAME_SIZE` for sides under 1.
 */
export async function resize(bitmap: Bitmap, width: number, height: number, kernel: 'nearest' | 'lanczos'): Promise<Bitmap> {
  if (width === bitmap.width && height === bitmap.height) return bitmap
  if (kernel === 'nearest') return resizeNearest(bitmap, width, height)
  createBitmap(width, height)
  const image = await sharpOf(bitmap)
  // sharp premultiplies around a resize of its own accord.
  const data = await image.resize({ width, height, fit: 'fill', kernel: 'lanczos3' }).raw({ depth: 'uchar' }).toBuffer()
  return createBitmap(width, height, bytesOf(data))
}

async function sharpOf(bitmap: Bitmap): Promise<Sharp> {
  const sharp = await loadSharp()
  return sharp(bitmap.data, { raw: { width: bitmap.width, height: bitmap.height, channels: 4 } })
}

function bytesOf(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}
