import { createTexture, ExtensionType, extensions, ImageSource, type Loader, type ResolvedAsset, Texture } from 'pixi.js'
import { fetchImage } from '../shared/swap.ts'

/**
 * Name of this package's parser for PixiJS's `Assets`. It has no test, so PixiJS never chooses it by itself.
 */
const parser = 'spritewright-image'

let isAdded = false

/**
 * The parser for pages of an encoding. PixiJS makes an `ImageBitmap` of every picture, and browsers round the
 * premultiplied pixels of a WebP bitmap differently: soft pixels become 1 of 255 darker. Pixels from an image
 * element are exact.
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

/** Side of the missing-texture picture, in pixels. */
const side = 32
let missing: Texture | undefined

/** The picture of a gone frame: a green frame and stroke on black, like Phaser's. It is made once. */
export function missingTexture(): Texture {
  missing ??= Texture.from(draw(), true)
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
