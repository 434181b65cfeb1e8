import type { Bitmap } from '../../../atlas/index.ts'

/** Colours of a GIF: index 0 is the clear one. */
export interface Palette {
  /** 256 × RGB. */
  readonly colours: Uint8Array
  /** The nearest colour's index, 1 to 255. */
  indexOf(red: number, green: number, blue: number): number
}

const ROOM = 255

/**
 * Finds the colours of all frames: exact ones where there are at most 255, otherwise by median cut over 5 bits a channel.
 * Deterministic.
 */
export function createPalette(frames: readonly Bitmap[]): Palette {
  const exact = exactColours(frames)
  const chosen = exact ?? medianCut(histogram(frames))
  const colours = new Uint8Array(256 * 3)
  for (const [index, colour] of chosen.entries()) colours.set([colour >> 16, (colour >> 8) & 255, colour & 255], (index + 1) * 3)
  const nearestTo = createSearch(chosen)
  const known = new Map<number, number>()
  // Most pixels have the colour of the one before.
  let lastColour = -1
  let last = 0
  return {
    colours,
    indexOf: (red, green, blue) => {
      const colour = (red << 16) | (green << 8) | blue
      if (colour === lastColour) return last
      let found = known.get(colour)
      if (found === undefined) {
        found = nearestTo(red, green, blue) + 1
        known.set(colour, found)
      }
      lastColour = colour
      last = found
      return found
    },
  }
}

/** A search for the nearest of some colours, the first of those that are equally near. */
function createSearch(colours: readonly number[]): (red: number, green: number, blue: number) => number {
  const green = (index: number): number => (colours[index]! >> 8) & 255
  const order = Int32Array.from(colours.keys()).sort((a, b) => green(a) - green(b))
  const [reds, greens, blues] = [16, 8, 0].map((shift) => Int32Array.from(order, (index) => (colours[index]! >> shift) & 255)) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ]
  // For each green the first place in that order that has as much of it.
  const places = Int32Array.from({ length: 256 }, (_, value) => {
    const place = greens.findIndex((has) => has >= value)
    return place < 0 ? greens.length : place
  })
  return (red, wanted, blue) => {
    let best = colours.length
    let bestDistance = Number.POSITIVE_INFINITY
    // Both ways from there, until green alone is further away than the nearest colour so far.
    for (let step = 1, from = places[wanted]!; step >= -1; step -= 2, from = places[wanted]! - 1)
      for (let at = from; at >= 0 && at < greens.length; at += step) {
        const apartGreen = greens[at]! - wanted
        const byGreen = 4 * apartGreen * apartGreen
        if (byGreen > bestDistance) break
        const [apartRed, apartBlue] = [reds[at]! - red, blues[at]! - blue]
        const distance = 2 * apartRed * apartRed + byGreen + 3 * apartBlue * apartBlue
        if (distance > bestDistance || (distance === bestDistance && order[at]! > best)) continue
        best = order[at]!
        bestDistance = distance
      }
    return best
  }
}

/** All opaque colours, sorted, or undefined where there are too many. */
function exactColours(frames: readonly Bitmap[]): number[] | undefined {
  const met = new Set<number>()
  let last = -1
  for (const { data } of frames) {
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3]! < 128) continue
      const colour = (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!
      if (colour === last) continue
      last = colour
      met.add(colour)
      if (met.size > ROOM) return undefined
    }
  }
  return [...met].sort((a, b) => a - b)
}

/** A cell of the histogram: how many pixels, and the sums of their channels. */
interface Cell {
  readonly sums: readonly [red: number, green: number, blue: number]
  readonly count: number
}

/** How many 5-bit colours there are. */
const CELLS = 1 << 15

/** The cells that hold something, in the order of their colours. */
function histogram(frames: readonly Bitmap[]): Cell[] {
  const [counts, reds, greens, blues] = [new Int32Array(CELLS), new Float64Array(CELLS), new Float64Array(CELLS), new Float64Array(CELLS)]
  for (const { data } of frames) {
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3]! < 128) continue
      const red = data[at]!
      const green = data[at + 1]!
      const blue = data[at + 2]!
      const key = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3)
      counts[key]!++
      reds[key]! += red
      greens[key]! += green
      blues[key]! += blue
    }
  }
  const cells: Cell[] = []
  for (let key = 0; key < CELLS; key++)
    if (counts[key]! > 0) cells.push({ sums: [reds[key]!, greens[key]!, blues[key]!], count: counts[key]! })
  return cells
}

/** Splits the box with the widest spread of many pixels at its middle pixel until there are enough boxes. */
function medianCut(cells: readonly Cell[]): number[] {
  const boxes = [measure([...cells])]
  while (boxes.length < ROOM) {
    let widest = 0
    for (let index = 1; index < boxes.length; index++) if (boxes[index]!.weight > boxes[widest]!.weight) widest = index
    const box = boxes[widest]!
    if (box.weight === 0) break
    const mean = (cell: Cell): number => cell.sums[box.channel]! / cell.count
    box.cells.sort((a, b) => mean(a) - mean(b))
    let seen = 0
    let cut = 0
    while (cut < box.cells.length - 2 && seen + box.cells[cut]!.count <= box.count / 2) seen += box.cells[cut++]!.count
    boxes.splice(widest, 1, measure(box.cells.slice(0, cut + 1)), measure(box.cells.slice(cut + 1)))
  }
  return boxes.map(({ cells: inside, count }) => {
    const channel = (index: 0 | 1 | 2): number => Math.round(inside.reduce((sum, cell) => sum + cell.sums[index], 0) / Math.max(1, count))
    return (channel(0) << 16) | (channel(1) << 8) | channel(2)
  })
}

interface Box {
  readonly cells: Cell[]
  readonly count: number
  readonly channel: 0 | 1 | 2
  /** How much a split gains; 0 where it cannot be split. */
  readonly weight: number
}

function measure(cells: Cell[]): Box {
  const count = cells.reduce((sum, cell) => sum + cell.count, 0)
  const spreads = ([0, 1, 2] as const).map((channel) => {
    let [low, high] = [255, 0]
    for (const cell of cells) {
      const mean = cell.sums[channel] / cell.count
      if (mean < low) low = mean
      if (mean > high) high = mean
    }
    return { channel, spread: high - low }
  })
  const widest = spreads.reduce((best, each) => (each.spread > best.spread ? each : best))
  return { cells, count, channel: widest.channel, weight: cells.length < 2 ? 0 : widest.spread * Math.sqrt(count) }
}
