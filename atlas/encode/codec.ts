import type { Sharp } from 'sharp'
import { type Bitmap, createBitmap } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import type { PageFormat } from '../format-abilities.ts'
import { encodeIndexed, type PaletteMode } from '../png/palette.ts'
import { pictureInfo, withPlainHeaders } from '../png/picture.ts'
import { decodePng, MAX_PIXELS, type PictureLimits } from '../png/read.ts'
import { encodePngAsync, encodeSmallest } from '../png/write.ts'
import { bleedColours } from './bleed.ts'
import type { ColourError } from './likeness.ts'
import { CLOSE_ENOUGH, isClose, reduceColours } from './reduce.ts'
import { encodeTexture, type TextureCodec } from './texture.ts'

/** The encoding of a page, with its settings. */
export interface PageEncoding {
  readonly format: PageFormat
  /**
   * PNG: zlib level, 0 to 9.
   *
   * @default 6
   */
  readonly level?: number
  /**
   * WebP and AVIF: quality, 1 to 100; ignored if `lossless` is true.
   *
   * @default 80 for WebP, 50 for AVIF
   */
  readonly quality?: number
  /**
   * WebP: exact pixels. AVIF is always lossy.
   *
   * @default true
   */
  readonly lossless?: boolean
  /** KTX2: the codec that encodes the page. */
  readonly texture?: TextureCodec
  /**
   * PNG: use a palette if the file gets smaller. See {@link PaletteMode}.
   *
   * @default truecolour
   */
  readonly palette?: PaletteMode
  /**
   * `best`: lossless WebP and PNG as small as this package can make them; the level is 9, and a PNG of at most
   * 256 colours gets an exact palette. It takes ten to twenty times as long.
   *
   * @default 'fast'
   */
  readonly effort?: 'fast' | 'best' | undefined
  /** Receives the reason why a PNG has no close palette although one was requested. */
  readonly warn?: ((why: string) => void) | undefined
}

/** Default zlib level of PNGs. Higher levels take several times as long and save a few percent. */
export const DEFAULT_LEVEL = 6

type SharpModule = typeof import('sharp')['default']

let loading: Promise<SharpModule> | undefined

/** Loads sharp on first use: the import takes longer than most warm builds. */
export function loadSharp(): Promise<SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    // Pages and frames are processed in parallel, so more threads for one picture would slow all of them.
    sharp.concurrency(1)
    return sharp
  })
  return loading
}

/** Rules of PNG that do not affect the pixels. A picture of the user may break them. */
const HARMLESS_PNG_RULES: ReadonlySet<unknown> = new Set([
  'crc-ancillary',
  'trailing-bytes',
  'idat-leftover',
  'excess-data',
  'iend-not-empty',
  'palette-index',
  'trns',
  'trns-depth',
  'plte-length',
  'plte-too-long',
])

function isHarmless(error: unknown): boolean {
  return error instanceof AtlasError && (HARMLESS_PNG_RULES.has(error.facts.rule) || error.facts.chunk === 'IEND')
}

/** Returns the reason why a PNG cannot be read; `undefined` if it can be read, even with harmless faults. */
export function pngFault(bytes: Uint8Array): string | undefined {
  try {
    decodePng(bytes)
    return undefined
  } catch (error) {
    return isHarmless(error) ? undefined : (error as Error).message
  }
}

/**
 * Reads a PNG, JPEG or WebP picture, for references, and applies EXIF rotation. For an animation, reads the first
 * picture.
 *
 * The strict decoder of this package reads PNGs. If a PNG has a fault that cannot change the pixels, sharp reads it.
 *
 * @throws {AtlasError} `SW_IMAGE` for another format, a damaged file, or a picture over the limit; `SW_PNG`
 * for a damaged PNG.
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
      if (!isHarmless(error)) throw error
    }
  }
  return readBySharp(info.format === 'jpeg' ? withPlainHeaders(bytes) : bytes, info, maxPixels)
}

/**
 * Reads an encoded page.
 *
 * @throws {AtlasError} `SW_IMAGE` or `SW_PNG` for invalid bytes.
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
 * Encodes a page.
 *
 * A fast PNG has no row filters, because they make flat art larger. It gets a palette only if the mode allows one
 * and the file gets smaller. Before lossy encoding, clear pixels get the colour of visible neighbours.
 *
 * The same pixels give the same bytes on one version of zlib (PNG) or sharp (all others). A truecolour PNG
 * does not load sharp.
 *
 * @throws {AtlasError} `SW_ATLAS_OPTION` for KTX2 without a codec, or with more pixels than the codec takes.
 */
export async function encodePage(bitmap: Bitmap, encoding: PageEncoding): Promise<Uint8Array> {
  const lossless = encoding.lossless ?? true
  const isBest = encoding.effort === 'best'
  if (encoding.format === 'ktx2') return encodeTexture(bitmap, encoding.texture)
  if (encoding.format === 'png') {
    const level = isBest ? 9 : (encoding.level ?? DEFAULT_LEVEL)
    const plain = await (isBest ? encodeSmallest(bitmap) : encodePngAsync(bitmap, level))
    const indexed = await encodePalette(bitmap, encoding, level)
    return indexed !== undefined && indexed.length < plain.length ? indexed : plain
  }
  const image = await sharpOf(lossless && encoding.format === 'webp' ? bitmap : bleedColours(bitmap))
  if (encoding.format === 'webp') {
    // Effort 4 is the best trade for lossy WebP: 6 takes ten times as long and saves a tenth of the bytes.
    const options = lossless ? { lossless, effort: isBest ? 6 : 0 } : { quality: encoding.quality ?? 80, effort: 4 }
    return bytesOf(await image.webp(options).toBuffer())
  }
  return bytesOf(await image.avif({ quality: encoding.quality ?? 50, effort: 2, chromaSubsampling: '4:4:4' }).toBuffer())
}

/** Returns `undefined` without a mode, or if no palette stays within the error of the mode. */
async function encodePalette(bitmap: Bitmap, { effort, warn, ...encoding }: PageEncoding, level: number): Promise<Uint8Array | undefined> {
  const palette = encoding.palette ?? (effort === 'best' ? 'exact' : undefined)
  if (palette === undefined) return undefined
  const exact = await encodeIndexed(bitmap, level)
  if (exact !== undefined || palette === 'exact') return exact
  const reduced = reduceColours(bitmap)
  if (isClose(reduced.error)) return encodeIndexed(reduced.bitmap, level)
  const words = ({ mean, most, worst }: ColourError): string =>
    `${mean.toFixed(3)} on average, ${most.toFixed(3)} for 99 of 100 pixels and ${worst.toFixed(3)} for any`
  warn?.(
    `Expected an OKLab error of at most ${words(CLOSE_ENOUGH)} with 256 colours, found ${words(reduced.error)}. The page keeps all its colours. To make it smaller, put its sprites into several atlases, or use WebP with a quality.`,
  )
  return undefined
}

/**
 * Scales to exactly `width` × `height`. `lanczos` works on premultiplied colour, so that clear pixels do not
 * affect edges. `nearest` copies pixels and does not load sharp.
 *
 * @throws {AtlasError} `SW_FRAME_SIZE` for sides under 1.
 */
export async function resize(bitmap: Bitmap, width: number, height: number, kernel: 'nearest' | 'lanczos'): Promise<Bitmap> {
  if (width === bitmap.width && height === bitmap.height) return bitmap
  if (kernel === 'nearest') return resizeNearest(bitmap, width, height)
  createBitmap(width, height)
  const image = await sharpOf(bitmap)
  // sharp premultiplies automatically for a resize.
  const data = await image.resize({ width, height, fit: 'fill', kernel: 'lanczos3' }).raw({ depth: 'uchar' }).toBuffer()
  return createBitmap(width, height, bytesOf(data))
}

/**
 * Scales by nearest neighbour: each pixel copies the source pixel under its centre, so no new colours appear.
 *
 * @throws {AtlasError} `SW_FRAME_SIZE` for sides under 1.
 */
function resizeNearest(bitmap: Bitmap, width: number, height: number): Bitmap {
  const scaled = createBitmap(width, height)
  const columns = Int32Array.from({ length: width }, (_, x) => Math.floor(((x + 0.5) * bitmap.width) / width) * 4)
  for (let y = 0; y < height; y++) {
    const row = Math.floor(((y + 0.5) * bitmap.height) / height) * bitmap.width * 4
    for (let x = 0; x < width; x++) {
      const from = row + columns[x]!
      const to = (y * width + x) * 4
      scaled.data[to] = bitmap.data[from]!
      scaled.data[to + 1] = bitmap.data[from + 1]!
      scaled.data[to + 2] = bitmap.data[from + 2]!
      scaled.data[to + 3] = bitmap.data[from + 3]!
    }
  }
  return scaled
}

async function sharpOf(bitmap: Bitmap): Promise<Sharp> {
  const sharp = await loadSharp()
  return sharp(bitmap.data, { raw: { width: bitmap.width, height: bitmap.height, channels: 4 } })
}

function bytesOf(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}
