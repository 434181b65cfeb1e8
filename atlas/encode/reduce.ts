import { type Bitmap, createBitmap, pixelsOf } from '../bitmap.ts'
import { type ColourError, colourError, LOOK, putLook } from './likeness.ts'

/** Largest error of a reduced palette. Two flat areas side by side look different from about 0.02. */
export const CLOSE_ENOUGH: ColourError = { mean: 0.01, most: 0.05, worst: 0.2 }

/** Numbers of colours that are tried, including the clear colour. */
const SIZES = [8, 16, 24, 32, 48, 64, 96, 128, 192, 256]

/** Most opaque and most translucent colours from which a palette is made. More colours are sampled evenly. */
const MOST_SAMPLES = 1 << 16

/** Number of rounds in which each colour of the palette moves to the mean of the colours that it replaces. */
const ROUNDS = 4

/** The smallest number of an opaque colour. */
const FIRST_OPAQUE = 0xff000000

/** A picture with fewer colours. */
export interface ReducedPicture {
  readonly bitmap: Bitmap
  readonly colours: number
  readonly error: ColourError
}

/** Whether an error stays below {@link CLOSE_ENOUGH}. */
export function isClose({ mean, most, worst }: ColourError): boolean {
  return mean <= CLOSE_ENOUGH.mean && most <= CLOSE_ENOUGH.most && worst <= CLOSE_ENOUGH.worst
}

/**
 * Replaces the colours of a picture by as few colours as stay within the error, without dithering. Clear pixels stay
 * clear, opaque pixels stay opaque, and translucent pixels stay translucent.
 *
 * @returns The reduced picture. If no palette stays within the error, the picture with 256 colours.
 */
export function reduceColours(bitmap: Bitmap): ReducedPicture {
  const pixels = pixelsOf(bitmap)
  const reducer = new Reducer(countPixels(pixels), SIZES)
  let [low, high] = [0, SIZES.length - 1]
  let best = reducer.reduce(SIZES[high]!)
  if (!isClose(best.error)) high = low
  while (low < high) {
    const middle = (low + high) >> 1
    const tried = reducer.reduce(SIZES[middle]!)
    if (isClose(tried.error)) [best, high] = [tried, middle]
    else low = middle + 1
  }
  return { bitmap: reducer.draw(bitmap, pixels, best.replaced), colours: new Set(best.replaced).size, error: best.error }
}

/** Adds the pixels of a picture (`0xAABBGGRR`) to the counts of their colours. */
export function countPixels(pixels: Uint32Array, counts: Map<number, number> = new Map()): Map<number, number> {
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  return counts
}

/**
 * Finds a palette for colours, as {@link reduceColours} does.
 *
 * @param counts Pixels of each opaque colour (`0xAABBGGRR`).
 * @param most The most colours that the palette has, 1 to 256.
 * @returns The palette, ascending.
 */
export function findPalette(counts: ReadonlyMap<number, number>, most: number): readonly number[] {
  return [...new Set(new Reducer(counts, [most + 1]).replace(most + 1))].sort((a, b) => a - b)
}

/** The colours that one colour of the palette replaces, by index. */
interface Cell {
  readonly members: Uint32Array
  /** The coordinate of looks with the greatest spread. */
  readonly axis: number
  /** Spread of all coordinates, over all pixels. */
  readonly spread: number
}

class Reducer {
  /** Ascending: clear, then translucent by alpha, then opaque. */
  readonly #colours: Uint32Array
  /** Pixels of each colour. */
  readonly #counts: Float64Array
  /** Weights of colours. Rare colours weigh more than their number of pixels, to keep the colours of small details. */
  readonly #weights: Float64Array
  readonly #looks: Float32Array
  /** Colours from which palettes are made, by index: the translucent ones, and the opaque ones. */
  readonly #samples: readonly Uint32Array[]
  /** Palettes by size. */
  readonly #palettes = new Map<number, Uint32Array>()

  /** @param sizes Numbers of colours of the palettes, including the clear colour, ascending. */
  constructor(counts: ReadonlyMap<number, number>, sizes: readonly number[]) {
    this.#colours = Uint32Array.from(counts.keys()).sort()
    this.#counts = Float64Array.from(this.#colours, (colour) => counts.get(colour)!)
    this.#weights = this.#counts.map((count) => Math.sqrt(count * Math.sqrt(count)))
    this.#looks = looksOf(this.#colours)
    const [visible, opaque] = [1, FIRST_OPAQUE].map((least) => this.#colours.findLastIndex((colour) => colour < least) + 1)
    this.#samples = [sample(visible!, opaque!), sample(opaque!, this.#colours.length)].filter(({ length }) => length > 0)
    this.#split(sizes)
  }

  /** Cuts the cell with the greatest spread until there are enough cells. */
  #split(sizes: readonly number[]): void {
    const cells = this.#samples.map((members) => this.#measure(members))
    for (const size of sizes) {
      while (cells.length < size - 1) {
        const widest = cells.reduce((best, { spread }, at) => (spread > cells[best]!.spread ? at : best), 0)
        const cell = cells[widest]
        if (cell === undefined || cell.spread === 0 || cell.members.length < 2) break
        cells.splice(widest, 1, ...this.#cut(cell))
      }
      this.#palettes.set(
        size,
        Uint32Array.from(cells, ({ members }) => this.#middle(members)),
      )
    }
  }

  #measure(members: Uint32Array): Cell {
    const [sums, squares] = [new Float64Array(LOOK), new Float64Array(LOOK)]
    let total = 0
    for (const member of members) {
      const weight = this.#weights[member]!
      total += weight
      for (let axis = 0; axis < LOOK; axis++) {
        const value = this.#looks[member * LOOK + axis]!
        sums[axis]! += value * weight
        squares[axis]! += value * value * weight
      }
    }
    const spreads = squares.map((square, axis) => Math.max(0, square - sums[axis]! ** 2 / total))
    return { members, axis: spreads.indexOf(Math.max(...spreads)), spread: members.length < 2 ? 0 : spreads.reduce((a, b) => a + b) }
  }

  /** Cuts a cell in two at the position that gives both parts the least spread. */
  #cut({ members, axis }: Cell): Cell[] {
    const value = (member: number): number => this.#looks[member * LOOK + axis]!
    const sorted = members.slice().sort((a, b) => value(a) - value(b) || a - b)
    const sumOf = (of: (member: number) => number): number => sorted.reduce((all, member) => all + of(member), 0)
    const [total, sum] = [sumOf((member) => this.#weights[member]!), sumOf((member) => value(member) * this.#weights[member]!)]
    let [weight, part, best, cut] = [0, 0, -1, 1]
    for (let at = 1; at < sorted.length; at++) {
      const member = sorted[at - 1]!
      weight += this.#weights[member]!
      part += value(member) * this.#weights[member]!
      const gain = part ** 2 / weight + (sum - part) ** 2 / (total - weight)
      if (gain > best) [best, cut] = [gain, at]
    }
    return [this.#measure(sorted.slice(0, cut)), this.#measure(sorted.slice(cut))]
  }

  /** The mean of colours, weighted by their visible amounts. */
  #middle(members: Iterable<number>): number {
    let [red, green, blue, shown, total] = [0, 0, 0, 0, 0]
    let isOpaque = true
    for (const member of members) {
      const [colour, weight] = [this.#colours[member]!, this.#weights[member]!]
      const alpha = colour >>> 24
      const share = alpha * weight
      red += (colour & 255) * share
      green += ((colour >>> 8) & 255) * share
      blue += ((colour >>> 16) & 255) * share
      shown += share
      total += weight
      isOpaque &&= alpha === 255
    }
    const alpha = isOpaque ? 255 : Math.min(254, Math.round(shown / total))
    return ((alpha << 24) | (Math.round(blue / shown) << 16) | (Math.round(green / shown) << 8) | Math.round(red / shown)) >>> 0
  }

  /** Returns the colour that replaces each colour, and the error. */
  reduce(size: number): { readonly replaced: Uint32Array; readonly error: ColourError } {
    const replaced = this.replace(size)
    return { replaced, error: colourError(this.#colours, replaced, this.#counts) }
  }

  /** Returns the colour that replaces each colour. */
  replace(size: number): Uint32Array {
    let palette = this.#palettes.get(size)!
    for (let round = 0; round < ROUNDS; round++) {
      const members = Array.from(palette, (): number[] => [])
      for (const sample of this.#samples)
        for (const [at, place] of this.#nearest(palette, sample).entries()) members[place]!.push(sample[at]!)
      palette = palette.map((colour, at) => (members[at]!.length > 0 ? this.#middle(members[at]!) : colour))
    }
    const nearest = this.#nearest(palette, this.#colours.keys())
    return this.#colours.map((colour, at) => (colour === 0 ? 0 : palette[nearest[at]!]!))
  }

  /**
   * For each of these colours, finds the index of the nearest colour in a palette: an opaque colour for opaque
   * colours, a translucent colour for others.
   */
  #nearest(palette: Uint32Array, indices: Iterable<number>): Uint8Array {
    const [looks, targets] = [this.#looks, looksOf(palette)]
    const places = [false, true].map((isOpaque) => [...palette.keys()].filter((place) => palette[place]! >= FIRST_OPAQUE === isOpaque))
    return Uint8Array.from(indices, (index) => {
      let [least, nearest] = [Infinity, 0]
      for (const place of places[Number(this.#colours[index]! >= FIRST_OPAQUE)]!) {
        let distance = 0
        for (let axis = 0; axis < LOOK && distance < least; axis++)
          distance += (looks[index * LOOK + axis]! - targets[place * LOOK + axis]!) ** 2
        if (distance < least) [least, nearest] = [distance, place]
      }
      return nearest
    })
  }

  /** Draws a picture with the replaced colours. */
  draw({ width, height }: Bitmap, pixels: Uint32Array, replaced: Uint32Array): Bitmap {
    const by = new Map(Array.from(this.#colours, (colour, at) => [colour, replaced[at]!]))
    const data = new Uint8Array(4 * pixels.length)
    const view = new DataView(data.buffer)
    for (let at = 0; at < pixels.length; at++) view.setUint32(4 * at, by.get(pixels[at]!)!, true)
    return createBitmap(width, height, data)
  }
}

function looksOf(colours: Uint32Array): Float32Array {
  const looks = new Float32Array(colours.length * LOOK)
  for (const [at, colour] of colours.entries()) putLook(colour, looks, at * LOOK)
  return looks
}

/** At most {@link MOST_SAMPLES} indices from `from` up to `to`, evenly spread. */
function sample(from: number, to: number): Uint32Array {
  const every = Math.max(1, Math.ceil((to - from) / MOST_SAMPLES))
  return Uint32Array.from({ length: Math.ceil((to - from) / every) }, (_, at) => from + at * every)
}
