import { type Bitmap, createBitmap } from '../../bitmap.ts'
import { inflateExactly } from '../../inflate.ts'
import { type BlendMode, multiply8 } from './blend.ts'
import type { AsepriteBudget } from './budget.ts'
import { refuseAseprite } from './refuse.ts'
import type { Cel, Layer, Moment, Sprite, StoredImage, TileMasks, Tileset } from './sprite.ts'

/** Steps of sorting a layer of a frame. */
const LAYER_STEPS = 16

/** A picture to draw, in unpacked colours. Its pixel (x, y) is at `start + x * stepX + y * stepY`. */
interface Stamp {
  readonly colours: Uint32Array
  readonly start: number
  readonly stepX: number
  readonly stepY: number
  readonly width: number
  readonly height: number
}

/**
 * Draws frames as Aseprite's editor shows them: indexed and grey sprites are blended as RGBA too. (Its export of such
 * sprites to a PNG ignores opacity and modes, because a palette cannot express them.)
 *
 * @see Aseprite, `src/render/render.cpp`, `src/doc/render_plan.cpp`.
 */
export class Painter {
  readonly #sprite: Sprite
  readonly #budget: AsepriteBudget
  /** By parent. */
  readonly #children = new Map<Layer | undefined, Layer[]>()
  readonly #unpacked = new Map<StoredImage, { readonly colours: Uint32Array; readonly palette: Uint32Array }>()
  /** The canvas, and a further canvas for each level of groups. */
  readonly #canvases: Uint32Array[] = []

  constructor(sprite: Sprite, budget: AsepriteBudget) {
    this.#sprite = sprite
    this.#budget = budget
    for (const layer of sprite.layers) {
      const parent = sprite.header.composesGroups ? layer.parent : undefined
      const siblings = this.#children.get(parent)
      if (siblings === undefined) this.#children.set(parent, [layer])
      else siblings.push(layer)
    }
  }

  /** @throws {AtlasError} `SW_ASEPRITE` */
  draw(moment: Moment): Bitmap {
    const { width, height } = this.#sprite.header
    const canvas = this.#canvas(0, this.#backdrop(moment))
    this.#drawLayers(0, undefined, moment)
    const bitmap = createBitmap(width, height)
    const view = new DataView(bitmap.data.buffer)
    for (let at = 0; at < canvas.length; at++) view.setUint32(4 * at, canvas[at]!, true)
    return bitmap
  }

  /** The colour of the backdrop. An indexed background has no clear pixels, so its clear index has a colour too. */
  #backdrop({ palette }: Moment): number {
    const { header, layers } = this.#sprite
    const isOpaque = header.pixelBytes === 1 && layers[0]?.isBackground === true && layers[0].isVisible
    return isOpaque ? (palette[header.clearIndex] ?? 0) : 0
  }

  #canvas(level: number, colour: number): Uint32Array {
    const { width, height } = this.#sprite.header
    this.#budget.work(width * height)
    const known = this.#canvases[level]
    if (known !== undefined) return known.fill(colour)
    this.#budget.keep(width * height)
    const canvas = new Uint32Array(width * height).fill(colour)
    this.#canvases[level] = canvas
    return canvas
  }

  #drawLayers(level: number, parent: Layer | undefined, moment: Moment): void {
    const layers = this.#children.get(parent) ?? []
    this.#budget.work(LAYER_STEPS * layers.length)
    const items = layers.map((layer, place) => ({ layer, place, cel: moment.cels.get(layer.index) }))
    const rank = ({ layer, place, cel }: (typeof items)[number]): number => (layer.isBackground ? -Infinity : place + (cel?.zIndex ?? 0))
    const shown = items.filter(
      ({ layer, cel }) => layer.isVisible && !layer.isReference && (cel !== undefined || this.#children.has(layer)),
    )
    shown.sort((a, b) => rank(a) - rank(b) || (a.cel?.zIndex ?? 0) - (b.cel?.zIndex ?? 0))
    for (const { layer, cel } of shown)
      if (cel === undefined) this.#drawGroup(level, layer, moment)
      else if (cel.image.masks === undefined) this.#drawImage(level, layer, cel, moment)
      else this.#drawTiles(level, layer, cel, cel.image.masks, moment)
  }

  #drawGroup(level: number, group: Layer, moment: Moment): void {
    const { width, height } = this.#sprite.header
    const colours = this.#canvas(level + 1, 0)
    this.#drawLayers(level + 1, group, moment)
    this.#stamp(level, { colours, start: 0, stepX: 1, stepY: width, width, height }, 0, 0, group.opacity, group.mode)
  }

  #drawImage(level: number, layer: Layer, { image, x, y, opacity }: Cel, { palette }: Moment): void {
    const { width, height } = image
    const stamp = { colours: this.#unpack(image, palette), start: 0, stepX: 1, stepY: width, width, height }
    this.#stamp(level, stamp, x, y, multiply8(opacity, layer.opacity), layer.mode)
  }

  #drawTiles(level: number, layer: Layer, cel: Cel, masks: TileMasks, { palette }: Moment): void {
    const { image, x, y } = cel
    const tileset =
      this.#sprite.tilesets.get(layer.tileset) ??
      refuseAseprite('tileset', `expected tileset ${layer.tileset} of layer ${layer.index}, found none.`)
    const { width, height } = this.#sprite.header
    const tileWidth = tileset.image.width
    const { tileHeight } = tileset
    const tiles = this.#unpack(image, palette)
    const colours = this.#unpack(tileset.image, palette)
    const opacity = multiply8(cel.opacity, layer.opacity)
    const right = Math.min(image.width, Math.ceil((width - x) / tileWidth))
    const bottom = Math.min(image.height, Math.ceil((height - y) / tileHeight))
    for (let row = Math.max(0, Math.floor(-y / tileHeight)); row < bottom; row++)
      for (let column = Math.max(0, Math.floor(-x / tileWidth)); column < right; column++) {
        this.#budget.work(8)
        const stamp = toStamp(tiles[row * image.width + column]!, masks, tileset, colours)
        if (stamp !== undefined) this.#stamp(level, stamp, x + column * tileWidth, y + row * tileHeight, opacity, layer.mode)
      }
  }

  /** Colours of an image in this palette, or its tiles. */
  #unpack(image: StoredImage, palette: Uint32Array): Uint32Array {
    const known = this.#unpacked.get(image)
    if (known !== undefined && (image.unitBytes > 1 || known.palette === palette)) return known.colours
    const size = image.width * image.height
    if (known === undefined) this.#budget.keep(size)
    this.#budget.work(size + image.bytes.length)
    const colours = toColours(rawBytes(image, size * image.unitBytes), image.unitBytes, palette, this.#sprite.header.clearIndex)
    this.#unpacked.set(image, { colours, palette })
    return colours
  }

  #stamp(
    level: number,
    { colours, start, stepX, stepY, width, height }: Stamp,
    x: number,
    y: number,
    opacity: number,
    mode: BlendMode,
  ): void {
    const canvas = this.#canvases[level]!
    const { header } = this.#sprite
    const [left, top] = [Math.max(0, -x), Math.max(0, -y)]
    const [right, bottom] = [Math.min(width, header.width - x), Math.min(height, header.height - y)]
    if (left >= right || top >= bottom) return
    this.#budget.work((right - left) * (bottom - top) * mode.steps)
    const { blend } = mode
    for (let row = top; row < bottom; row++) {
      const line = (y + row) * header.width + x
      for (let column = left; column < right; column++) {
        const colour = colours[start + column * stepX + row * stepY]!
        if (colour !== 0) canvas[line + column] = blend(canvas[line + column]!, colour, opacity)
      }
    }
  }
}

function rawBytes({ bytes, isPacked }: StoredImage, length: number): Uint8Array {
  if (isPacked) return inflateExactly(bytes, length, refuseAseprite)
  if (bytes.length !== length)
    refuseAseprite(bytes.length < length ? 'short-data' : 'excess-data', `expected ${length} bytes of image data, found ${bytes.length}.`)
  return bytes
}

/** Returns one number for each pixel or tile. A pixel that draws nothing is 0. */
function toColours(raw: Uint8Array, unitBytes: number, palette: Uint32Array, clearIndex: number): Uint32Array {
  const colours = new Uint32Array(raw.length / unitBytes)
  const view = new DataView(raw.buffer, raw.byteOffset, raw.length)
  for (let at = 0; at < colours.length; at++)
    if (unitBytes === 4) colours[at] = view.getUint32(4 * at, true)
    else if (unitBytes === 2) colours[at] = (raw[2 * at]! * 0x010101) | (raw[2 * at + 1]! << 24)
    else colours[at] = raw[at] === clearIndex ? 0 : (palette[raw[at]!] ?? 0)
  return colours
}

/** Returns `undefined` for an empty tile. */
function toStamp(tile: number, masks: TileMasks, tileset: Tileset, colours: Uint32Array): Stamp | undefined {
  const { count, tileHeight: height, image } = tileset
  const { width } = image
  const has = (mask: number): boolean => (tile & mask) >>> 0 === mask
  const [isFlippedX, isFlippedY, isSwapped] = [has(masks.flipX), has(masks.flipY), has(masks.diagonal)]
  const id = (tile & masks.id) >>> (31 - Math.clz32(masks.id & -masks.id))
  if (tileset.isZeroEmpty ? id === 0 && !isFlippedX && !isFlippedY && !isSwapped : tile === 0xffffffff) return undefined
  if (id >= count) refuseAseprite('tile', `expected a tile below ${count}, found ${id}.`)
  if (isSwapped && width !== height) refuseAseprite('tile', `expected only square tiles to be turned, found one of ${width} × ${height}.`)
  const [stepX, stepY] = isSwapped ? [width, 1] : [1, width]
  const start = id * width * height + (isFlippedX ? (width - 1) * stepX : 0) + (isFlippedY ? (height - 1) * stepY : 0)
  return { colours, start, stepX: isFlippedX ? -stepX : stepX, stepY: isFlippedY ? -stepY : stepY, width, height }
}
