import {
  type Atlas,
  type Bitmap,
  type EncodedPage,
  encodePages,
  inWholeBlocks,
  type Page,
  type PageEncoding,
  type PageFormat,
} from '../../atlas/index.ts'
import type { TextureSettings } from '../host/modules/textures.ts'
import { sha256 } from '../host/sha256.ts'
import type { BuiltLayer, BuiltPage, PackedAtlas, SheetOptions } from './model.ts'

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
 * Encodes the pages of an atlas and of its layers in every requested encoding. All of them share the frames and the
 * layout.
 */
export async function encodeSheet(packed: Atlas, options: SheetOptions, aids: EncodeAids = {}): Promise<PackedAtlas> {
  const atlas = options.encodings.includes('ktx2') ? inWholeBlocks(packed) : packed
  const { name, scale, pixelArt, frames } = atlas
  const lists = await encodeLists(atlas, atlas.pages, options, aids)
  const layers: BuiltLayer[] = []
  for (const layer of atlas.layers ?? [])
    layers.push({
      ...layer,
      ...(await encodeLists({ ...atlas, name: `${name}.${layer.name}` }, layer.pages, optionsOf(layer, options), aids)),
    })
  return { name, scale, pixelArt, frames, ...lists, ...(layers.length > 0 ? { layers } : {}) }
}

/** The options of a layer. Normal maps have one encoding without loss, which every engine reads. */
export function optionsOf({ kind }: Pick<BuiltLayer, 'kind'>, options: SheetOptions): SheetOptions {
  if (kind !== 'normals') return options
  return { ...options, encodings: [options.encodings[0] === 'webp' ? 'webp' : 'png'], quality: undefined, palette: undefined }
}

async function encodeLists(atlas: Atlas, drawn: readonly Page[], options: SheetOptions, aids: EncodeAids) {
  const [first = 'png', ...others] = options.encodings
  const { pages, alternates = [] } = await encodePages(
    { ...atlas, pages: drawn },
    {
      ...toEncoding(first, options, aids),
      also: others.map((format) => toEncoding(format, options, aids)),
      ...(aids.signal ? { signal: aids.signal } : {}),
    },
  )
  return {
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
