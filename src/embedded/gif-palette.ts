import type { Bitmap } from '../../atlas/index.ts'

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
  const known = new Map<number, number>()
  return {
    colours,
    indexOf: (red, green, blue) => {
      const colour = (red << 16) | (green << 8) | blue
      const found = known.get(colour)
      if (found !== undefined) return found
      const nearest = nearestOf(chosen, red, green, blue) + 1
      known.set(colour, nearest)
      return nearest
    },
  }
}

function nearestOf(colours: readonly number[], red: number, green: number, blue: number): number {
  let best = 0
  let bestDistance = Number.POSITIVE_INFINITY
  for (let index = 0; index < colours.length; index++) {
    const colour = colours[index]!
    const distance = 2 * ((colour >> 16) - red) ** 2 + 4 * (((colour >> 8) & 255) - green) ** 2 + 3 * ((colour & 255) - blue) ** 2
    if (distance < bestDistance) [best, bestDistance] = [index, distance]
  }
  return best
}

/** All opaque colours, sorted, or undefined where there are too many. */
function exactColours(frames: readonly Bitmap[]): number[] | undefined {
  const met = new Set<number>()
  for (const { data } of frames) {
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3]! < 128) continue
      met.add((data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!)
      if (met.size > ROOM) return undefined
    }
  }
  return [...met].sort((a, b) => a - b)
}

/** A cell of the histogram: how many pixels, and the sums of their channels. */
interface Cell {
  readonly sums: [red: number, green: number, blue: number]
  count: number
}

function histogram(frames: readonly Bitmap[]): Cell[] {
  const cells = new Map<number, Cell>()
  for (const { data } of frames) {
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3]! < 128) continue
      const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
      const key = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3)
      const cell = cells.get(key) ?? { sums: [0, 0, 0], count: 0 }
      cells.set(key, cell)
      cell.sums[0] += red
      cell.sums[1] += green
      cell.sums[2] += blue
      cell.count++
    }
  }
  return [...cells].sort(([a], [b]) => a - b).map(([, cell]) => cell)
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
