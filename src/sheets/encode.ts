import { type Atlas, type Bitmap, type EncodedPage, encodePages, type PageEncoding, type PageFormat } from '../../atlas/index.ts'
import type { TextureSettings } from '../host/modules/textures.ts'
import { sha256 } from '../vault/objects.ts'
import type { BuiltPage, PackedAtlas, SheetOptions } from './model.ts'

/** Encodes KTX2. The caller provides the package and its threads. */
export type TextureEncoder = (picture: Bitmap, settings: TextureSettings) => Promise<Uint8Array>

/** Optional inputs of {@link encodeSheet}. */
export interface EncodeAids {
  /** Needed for KTX2. */
  readonly textures?: TextureEncoder | undefined
  /** Receives warnings about pages, in any order. */
  readonly warn?: ((message: string) => void) | undefined
  /** Aborts the encoding with its reason, before the next page. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Encodes the pages of an atlas in every requested encoding. All encodings share the frames and the layout.
 */
export async function encodeSheet(atlas: Atlas, options: SheetOptions, aids: EncodeAids = {}): Promise<PackedAtlas> {
  const [first = 'png', ...others] = options.encodings
  const { pages, alternates = [] } = await encodePages(atlas, {
    ...toEncoding(first, options, aids),
    also: others.map((format) => toEncoding(format, options, aids)),
    ...(aids.signal ? { signal: aids.signal } : {}),
  })
  return {
    name: atlas.name,
    scale: atlas.scale,
    pixelArt: atlas.pixelArt,
    frames: atlas.frames,
    pages: pages.map((page) => toBuiltPage(page, first)),
    ...(others.length === 0
      ? {}
      : { alternates: others.map((format, index) => (alternates[index] ?? []).map((page) => toBuiltPage(page, format))) }),
  }
}

function toEncoding(
  format: PageFormat,
  { level, palette, effort, quality = {}, ktx2: mode }: SheetOptions,
  { textures, warn }: EncodeAids,
): PageEncoding {
  if (format === 'png') return { format, level, effort, warn, ...(palette === undefined ? {} : { palette }) }
  const lossy = quality[format]
  if (format === 'ktx2') return { format, ...(textures ? { texture: (bitmap) => textures(bitmap, { mode, quality: lossy ?? 50 }) } : {}) }
  return { format, effort, lossless: lossy === undefined, ...(lossy === undefined ? {} : { quality: lossy }) }
}

function toBuiltPage({ bytes, width, height }: EncodedPage, format: PageFormat): BuiltPage {
  return { bytes, sha256: sha256(bytes), width, height, contentType: `image/${format}`, extension: format }
}
