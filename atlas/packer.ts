import { AtlasError } from './errors.ts'

/** A rectangle to be placed, pixels, without padding. */
export interface PackSize {
  readonly width: number
  readonly height: number
}

/** Rectangles that must lie on one page. */
export interface PackGroup {
  /** For messages, and for the order in which pages are filled. */
  readonly name: string
  /** Indices of sizes; several groups may name the same, which is then placed once a page. */
  readonly members: readonly number[]
}

/** Bounds of the pages. */
export interface PackOptions {
  /** Longest side of a page, pixels. */
  readonly maxSize: number
  /** Clear pixels between rectangles. */
  readonly padding: number
  /** Clear pixels along the edges of a page. */
  readonly border: number
}

/** A page with the place of every rectangle on it. */
export interface PackedPage {
  readonly width: number
  readonly height: number
  /** Indices of the groups on it. */
  readonly groups: readonly number[]
  /** Index of a size → its top left corner. */
  readonly positions: ReadonlyMap<number, { readonly x: number; readonly y: number }>
}

/** A rectangle with its padding, on its way into a strip. */
interface Box {
  readonly index: number
  readonly width: number
  readonly height: number
}

interface Strip {
  readonly width: number
  readonly height: number
  readonly positions: Map<number, { x: number; y: number }>
}

/** Widths tried for a page; bounded by tries and not by time, so that every run gives the same pages. */
const WIDTHS_TRIED = 48
/** Groups tried behind the first that does not fit any more. */
const MISSES_ALLOWED = 8

/**
 * Packs groups on as few and as small pages as skyline best-fit finds: several widths are tried for each page, nothing is ever rotated, sides are no powers of two.
 *
 * @returns At least one page for at least one group. The same input gives the same pages; groups go by name, so that animations of one sprite stay together.
 * @throws {AtlasError} `SW_PACK` when one group does not fit on a page of its own.
 * @see Burke, Kendall, Whitwell: A New Placement Heuristic for the Orthogonal Stock-Cutting Problem (2004).
 */
export function packPages(sizes: readonly PackSize[], groups: readonly PackGroup[], options: PackOptions): PackedPage[] {
  const boxes = sizes.map((size, index) => ({ index, width: size.width + options.padding, height: size.height + options.padding }))
  // The last padding of a row may hang over the border: both are clear.
  const inner = options.maxSize - 2 * options.border + options.padding
  const boxesOf = (chosen: readonly number[]): Box[] => {
    const members = new Set(chosen.flatMap((group) => groups[group]!.members))
    return [...members].map((index) => boxes[index]!).sort((a, b) => b.width - a.width || b.height - a.height || a.index - b.index)
  }
  const pages: PackedPage[] = []
  let waiting = groups.map((_, index) => index).sort((a, b) => compareNames(groups[a]!.name, groups[b]!.name) || a - b)
  while (waiting.length > 0) {
    const chosen = choose(waiting, (some) => fits(boxesOf(some), inner))
    const members = boxesOf(chosen)
    const strip = layOut(members, inner)
    if (strip === undefined) throw tooLarge(groups[chosen[0]!]!, members, options)
    pages.push(toPage(strip, chosen, options))
    const taken = new Set(chosen)
    waiting = waiting.filter((group) => !taken.has(group))
  }
  return pages
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The longest run from the front that fits, then such later groups as still do. At least the first, whether it fits or not. */
function choose(waiting: readonly number[], isFitting: (groups: readonly number[]) => boolean): readonly number[] {
  if (isFitting(waiting)) return waiting
  let fitting = 1
  let failing = waiting.length
  while (failing - fitting > 1) {
    const middle = (fitting + failing) >> 1
    if (isFitting(waiting.slice(0, middle))) fitting = middle
    else failing = middle
  }
  const chosen = waiting.slice(0, fitting)
  let misses = 0
  for (const group of waiting.slice(fitting + 1)) {
    if (misses === MISSES_ALLOWED) break
    if (isFitting([...chosen, group])) chosen.push(group)
    else misses++
  }
  return chosen
}

function areaOf(boxes: readonly Box[]): number {
  return boxes.reduce((sum, box) => sum + box.width * box.height, 0)
}

function fits(boxes: readonly Box[], inner: number): boolean {
  return areaOf(boxes) <= inner * inner && fillStrip(boxes, inner, inner, 'left') !== undefined
}

/** The smallest page among those tried, or undefined where none holds all. */
function layOut(boxes: readonly Box[], inner: number): Strip | undefined {
  const area = areaOf(boxes)
  const widest = boxes[0]?.width ?? 0
  const low = Math.max(widest, Math.ceil(Math.sqrt(area / 2)), Math.ceil(area / inner))
  if (low > inner) return undefined
  const high = Math.min(inner, Math.max(low, Math.ceil(Math.sqrt(area * 2))))
  const widths = new Set(Array.from({ length: WIDTHS_TRIED }, (_, i) => Math.round(low + ((high - low) * i) / (WIDTHS_TRIED - 1))))
  widths.add(inner)
  let best: Strip | undefined
  for (const width of widths) {
    for (const side of ['left', 'tall'] as const) {
      const strip = fillStrip(boxes, width, inner, side)
      if (strip !== undefined && (best === undefined || isSmaller(strip, best))) best = strip
    }
  }
  return best
}

function isSmaller(a: Strip, b: Strip): boolean {
  return (
    a.width * a.height - b.width * b.height < 0 ||
    (a.width * a.height === b.width * b.height && Math.max(a.width, a.height) < Math.max(b.width, b.height))
  )
}

/** One level stretch of the skyline. */
interface Ledge {
  x: number
  y: number
  width: number
}

/**
 * Fills the lowest gap with the widest box that fits, again and again.
 *
 * @param boxes Widest first, then tallest.
 * @param side Where a box goes in a gap that is wider: to the left, or to the taller neighbour.
 * @returns Undefined as soon as a box would rise over `maxHeight`.
 */
function fillStrip(boxes: readonly Box[], width: number, maxHeight: number, side: 'left' | 'tall'): Strip | undefined {
  if (boxes.length > 0 && boxes[0]!.width > width) return undefined
  const positions = new Map<number, { x: number; y: number }>()
  const skyline: Ledge[] = [{ x: 0, y: 0, width }]
  const waiting = boxes.slice()
  let usedWidth = 0
  let height = 0
  while (waiting.length > 0) {
    const at = lowest(skyline)
    const ledge = skyline[at]!
    const pick = widestWithin(waiting, ledge.width)
    if (pick === waiting.length) {
      raise(skyline, at)
      continue
    }
    const box = waiting.splice(pick, 1)[0]!
    if (ledge.y + box.height > maxHeight) return undefined
    const leftWall = skyline[at - 1]?.y ?? Number.POSITIVE_INFINITY
    const rightWall = skyline[at + 1]?.y ?? Number.POSITIVE_INFINITY
    const goesLeft = side === 'left' || leftWall >= rightWall
    const x = goesLeft ? ledge.x : ledge.x + ledge.width - box.width
    positions.set(box.index, { x, y: ledge.y })
    usedWidth = Math.max(usedWidth, x + box.width)
    height = Math.max(height, ledge.y + box.height)
    const top = { x, y: ledge.y + box.height, width: box.width }
    const rest = { x: goesLeft ? x + box.width : ledge.x, y: ledge.y, width: ledge.width - box.width }
    const pieces = rest.width === 0 ? [top] : goesLeft ? [top, rest] : [rest, top]
    skyline.splice(at, 1, ...pieces)
    merge(skyline, Math.max(0, at - 1), Math.min(skyline.length - 1, at + pieces.length))
  }
  return { width: usedWidth, height, positions }
}

function lowest(skyline: readonly Ledge[]): number {
  let at = 0
  for (let i = 1; i < skyline.length; i++) if (skyline[i]!.y < skyline[at]!.y) at = i
  return at
}

/** Index of the first box not wider than the gap, by halving; the length where there is none. */
function widestWithin(boxes: readonly Box[], width: number): number {
  let from = 0
  let to = boxes.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (boxes[middle]!.width <= width) to = middle
    else from = middle + 1
  }
  return from
}

function raise(skyline: Ledge[], at: number): void {
  const left = skyline[at - 1]?.y ?? Number.POSITIVE_INFINITY
  const right = skyline[at + 1]?.y ?? Number.POSITIVE_INFINITY
  skyline[at]!.y = Math.min(left, right)
  merge(skyline, Math.max(0, at - 1), Math.min(skyline.length - 1, at + 1))
}

function merge(skyline: Ledge[], from: number, to: number): void {
  for (let i = to; i > from; i--) {
    if (skyline[i]!.y !== skyline[i - 1]!.y) continue
    skyline[i - 1]!.width += skyline[i]!.width
    skyline.splice(i, 1)
  }
}

function toPage(strip: Strip, groups: readonly number[], options: PackOptions): PackedPage {
  const { border, padding } = options
  const positions = new Map([...strip.positions].map(([index, { x, y }]) => [index, { x: x + border, y: y + border }]))
  return { width: strip.width - padding + 2 * border, height: strip.height - padding + 2 * border, groups, positions }
}

function tooLarge(group: PackGroup, boxes: readonly Box[], options: PackOptions): AtlasError {
  const widest = Math.max(...boxes.map((box) => box.width - options.padding))
  const tallest = Math.max(...boxes.map((box) => box.height - options.padding))
  return new AtlasError('SW_PACK', {
    message:
      `Expected "${group.name}" to fit on one page of ${options.maxSize} × ${options.maxSize} pixels, found ${boxes.length} different frames of up to ` +
      `${widest} × ${tallest} pixels. Make its frames smaller (size), play fewer of them (use), or allow larger pages.`,
    facts: { animation: group.name, frames: boxes.length, widest, tallest, maxSize: options.maxSize },
  })
}
