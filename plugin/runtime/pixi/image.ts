import { createTexture, ExtensionType, extensions, ImageSource, type Loader, type ResolvedAsset, type Texture } from 'pixi.js'
import { fetchImage } from '../shared/image.ts'

/** Name of a parser for PixiJS's `Assets` that is never chosen by itself. */
const parser = 'spritewright-image'

let isAdded = false

/**
 * The parser for pages of an encoding. PixiJS makes an `ImageBitmap` of every picture, for which browsers premultiply WebP by another rounding than PNG: soft pixels come out 1 of 255 darker.
 * Uploaded from an image element they are exact.
 */
export function parserOf(format: string | undefined): string {
  if (format === 'ktx2') return 'ktx2'
  if (format !== 'webp') return 'texture'
  if (!isAdded) extensions.add({ extension: { type: ExtensionType.LoadParser, name: parser }, id: parser, name: parser, load, unload })
  isAdded = true
  return parser
}

async function load(url: string, asset: ResolvedAsset, loader: Loader): Promise<Texture> {
  const resource = await fetchImage(url)
  return createTexture(new ImageSource({ resource, alphaMode: 'premultiply-alpha-on-upload', ...asset.data }), loader, url)
}

async function unload(texture: Texture): Promise<void> {
  texture.destroy(true)
}
