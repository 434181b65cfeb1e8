import { Assets, createTexture, ExtensionType, extensions, ImageSource, type Loader, type ResolvedAsset, Texture } from 'pixi.js'
import { fetchImage } from '../shared/swap.ts'

/**
 * Name of this package's parser for PixiJS's `Assets`. It has no test, so PixiJS never chooses it by itself.
 */
const parser = 'spritewright-image'

let isAdded = false

/** The names of PixiJS's own loaders: as parsers have them since 8.13, and before. */
const loaders = { texture: 'loadTextures', ktx2: 'loadKTX2' } as const

/**
 * The options that make `Assets` load a page of an encoding. PixiJS makes an `ImageBitmap` of every picture,
 * and browsers round the premultiplied pixels of a WebP bitmap differently: soft pixels become 1 of 255
 * darker. Pixels from an image element are exact. A worker has no such element.
 */
export function loaderFor(format: string | undefined): { readonly parser: string } | { readonly loadParser: string } {
  const isOwn = format === 'webp' && typeof Image !== 'undefined'
  if (isOwn) {
    if (!isAdded) extensions.add({ extension: { type: ExtensionType.LoadParser, name: parser }, id: parser, name: parser, load, unload })
    isAdded = true
  }
  const id = format === 'ktx2' ? 'ktx2' : 'texture'
  const hasIds = Assets.loader.parsers.some((one) => one.id === 'texture')
  if (isOwn) return hasIds ? { parser } : { loadParser: parser }
  return hasIds ? { parser: id } : { loadParser: loaders[id] }
}

/** Whether the game has imported PixiJS's loader of KTX2. */
export function canLoadKtx2(): boolean {
  return Assets.loader.parsers.some(({ id, name }) => id === 'ktx2' || name === loaders.ktx2)
}

async function load(url: string, asset: ResolvedAsset, loader: Loader): Promise<Texture> {
  const resource = await fetchImage(url)
  return createTexture(new ImageSource({ resource, alphaMode: 'premultiply-alpha-on-upload', ...asset.data }), loader, url)
}

async function unload(texture: Texture): Promise<void> {
  texture.destroy(true)
}

/** Side of the missing-texture picture, in pixels. */
const side = 32
let missing: Texture | undefined

/** The picture of a gone frame: a green frame and stroke on black, like Phaser's. */
export function missingTexture(): Texture {
  // The game may have destroyed it with a sprite.
  if (missing?.source?.destroyed !== false) missing = Texture.from(draw(), true)
  return missing
}

function draw(): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = side
  canvas.height = side
  const context = canvas.getContext('2d')
  if (!context) return canvas
  context.fillRect(0, 0, side, side)
  context.strokeStyle = '#0f0'
  context.strokeRect(0.5, 0.5, side - 1, side - 1)
  context.moveTo(0, 0)
  context.lineTo(side, side)
  context.stroke()
  return canvas
}
