import sharp from 'sharp'
import type { Bitmap } from '../../../atlas/index.ts'
import { createChance } from '../../fuzz/chance.ts'

/** A number from 0 up to 1. */
type Chance = () => number

/** Damaged pixel art whose true pixels are known. */
export interface DrawnCells {
  /** Frames of a sprite, all of one size, as an image model would draw them. */
  readonly frames: readonly Bitmap[]
  /** Width and height of a cell, in pixels. */
  readonly period: number
  /** The true pixels of each frame. */
  readonly cells: readonly Bitmap[]
  /** Left and top edge of the first cell, in pixels. */
  readonly origin: { readonly x: number; readonly y: number }
  /** How the art was damaged. */
  readonly damage: { readonly blur: number; readonly drift: number; readonly noise: number; readonly jpeg?: number }
}

type Rgb = readonly [number, number, number]

function whole(chance: Chance, low: number, high: number): number {
  return low + Math.floor(chance() * (high - low + 1))
}

/** Draws pixel art of a figure, enlarges it by a period of 4 to 32 pixels, then blurs, bends and spoils it. */
export async function drawCells(seed: number): Promise<DrawnCells> {
  const { under } = createChance(seed)
  const chance: Chance = () => under(2 ** 30) / 2 ** 30
  const between = (low: number, high: number): number => low + (high - low) * chance()
  const isWhole = chance() < 0.5
  const period = isWhole ? whole(chance, 4, 32) : Math.round(100 * between(4, 32)) / 100
  const most = Math.max(14, Math.min(56, Math.floor(400 / period)))
  const [width, height] = [whole(chance, 12, most), whole(chance, 12, most)]
  const cells = drawFigure(chance, width, height, whole(chance, 2, 6))
  const damage = {
    blur: between(0, 0.22),
    drift: between(0, 0.18),
    noise: between(0, 9),
    ...(chance() < 0.5 ? { jpeg: whole(chance, 60, 95) } : {}),
  }
  const margin = between(0, period)
  const origin = { x: margin, y: between(0, period) }
  const [across, down] = [
    Math.ceil(origin.x + width * period + between(0, period)),
    Math.ceil(origin.y + height * period + between(0, period)),
  ]
  const frames: Bitmap[] = []
  for (const one of cells) {
    // A frame may slip by a part of a cell.
    const slip = (): number => between(-1, 1) * damage.drift * period
    frames.push(await spoil(chance, one, { period, origin: { x: origin.x + slip(), y: origin.y + slip() }, damage, across, down }))
  }
  return { frames, period, cells, origin, damage }
}

/** A figure of few colours whose parts move by whole cells. */
function drawFigure(chance: Chance, width: number, height: number, count: number): Bitmap[] {
  const ramp = (): readonly Rgb[] => {
    const base = [whole(chance, 40, 230), whole(chance, 40, 230), whole(chance, 40, 230)] as const
    return [0.55, 0.8, 1, 1.15].map((share) => base.map((value) => Math.min(255, Math.round(value * share))) as unknown as Rgb)
  }
  const [skin, cloth, metal] = [ramp(), ramp(), ramp()]
  const outline: Rgb = [whole(chance, 0, 50), whole(chance, 0, 40), whole(chance, 0, 60)]
  const isOutlined = chance() < 0.7
  const spots = Array.from({ length: whole(chance, 2, 14) }, () => [chance(), chance(), whole(chance, 1, 2)] as const)
  return Array.from({ length: count }, (_, frame) => {
    const bob = Math.round(Math.sin((2 * Math.PI * frame) / count))
    const grid: (Rgb | undefined)[] = new Array(width * height).fill(undefined)
    const put = (x: number, y: number, colour: Rgb): void => {
      if (x >= 0 && y >= 0 && x < width && y < height) grid[y * width + x] = colour
    }
    const ball = (cx: number, cy: number, rx: number, ry: number, tones: readonly Rgb[]): void => {
      for (let y = Math.floor(cy - ry); y <= cy + ry; y++)
        for (let x = Math.floor(cx - rx); x <= cx + rx; x++) {
          const [u, v] = [(x - cx) / rx, (y - cy) / ry]
          if (u * u + v * v <= 1) put(x, y, tones[Math.max(0, Math.min(3, Math.floor(1.8 - 1.6 * (u + v) + ((x + y) % 2) * 0.4)))] as Rgb)
        }
    }
    const block = (x: number, y: number, w: number, h: number, tones: readonly Rgb[]): void => {
      for (let dy = 0; dy < h; dy++) for (let dx = 0; dx < w; dx++) put(x + dx, y + dy, tones[dx === 0 ? 2 : dy === h - 1 ? 0 : 1] as Rgb)
    }
    const [cx, step] = [Math.floor(width / 2), Math.round(Math.cos((2 * Math.PI * frame) / count) * width * 0.08)]
    const leg = Math.max(1, Math.round(width * 0.12))
    block(cx - leg - 1 + step, Math.floor(height * 0.68), leg, Math.max(1, Math.floor(height * 0.27)), cloth)
    block(cx + 1 - step, Math.floor(height * 0.68), leg, Math.max(1, Math.floor(height * 0.27)), cloth)
    ball(cx, height * 0.52 + bob, width * 0.26, height * 0.22, cloth)
    ball(cx, height * 0.24 + bob, width * 0.2, height * 0.19, skin)
    block(
      Math.floor(width * 0.76) + step,
      Math.floor(height * 0.2) + bob,
      Math.max(1, Math.round(width * 0.06)),
      Math.floor(height * 0.45),
      metal,
    )
    put(cx + Math.max(1, Math.round(width * 0.07)), Math.floor(height * 0.22) + bob, outline)
    put(cx - 1, Math.floor(height * 0.22) + bob, outline)
    for (const [u, v, size] of spots) {
      const [x, y] = [Math.floor(u * width), Math.floor(v * height)]
      if (grid[y * width + x]) block(x, y, size, size, metal)
    }
    const drawn = [...grid]
    const isIn = (x: number, y: number): boolean => x >= 0 && y >= 0 && x < width && y < height && drawn[y * width + x] !== undefined
    if (isOutlined)
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++)
          if (isIn(x, y) && !(isIn(x - 1, y) && isIn(x + 1, y) && isIn(x, y - 1) && isIn(x, y + 1))) grid[y * width + x] = outline
    const data = new Uint8Array(4 * width * height)
    for (const [at, colour] of grid.entries()) if (colour) data.set([...colour, 255], 4 * at)
    return { width, height, data }
  })
}

interface Spoil extends Pick<DrawnCells, 'period' | 'origin' | 'damage'> {
  readonly across: number
  readonly down: number
}

async function spoil(chance: Chance, cells: Bitmap, { period, origin, damage, across, down }: Spoil): Promise<Bitmap> {
  const columns = bentLines(chance, { count: cells.width, from: origin.x, period, drift: damage.drift, length: across })
  const rows = bentLines(chance, { count: cells.height, from: origin.y, period, drift: damage.drift, length: down })
  const planes = [0, 1, 2, 3].map(() => new Float32Array(across * down))
  const shade = Float32Array.from({ length: 3 * cells.width * cells.height }, () => normal(chance) * damage.noise * 0.5)
  for (let y = 0; y < down; y++)
    for (let x = 0; x < across; x++) {
      const [column, row] = [columns[x] as number, rows[y] as number]
      if (column < 0 || row < 0) continue
      const cell = row * cells.width + column
      const alpha = (cells.data[4 * cell + 3] as number) / 255
      for (let channel = 0; channel < 3; channel++)
        (planes[channel] as Float32Array)[y * across + x] =
          alpha * ((cells.data[4 * cell + channel] as number) + (shade[3 * cell + channel] as number))
      ;(planes[3] as Float32Array)[y * across + x] = 255 * alpha
    }
  for (const plane of planes) blurPlane(plane, across, down, damage.blur * period)
  const data = new Uint8Array(4 * across * down)
  const toByte = (value: number): number => Math.max(0, Math.min(255, Math.round(value)))
  for (let at = 0; at < across * down; at++) {
    const alpha = (planes[3] as Float32Array)[at] as number
    for (let channel = 0; channel < 3; channel++)
      data[4 * at + channel] =
        alpha < 1 ? 128 : toByte((((planes[channel] as Float32Array)[at] as number) * 255) / alpha + normal(chance) * damage.noise)
    data[4 * at + 3] = toByte(alpha)
  }
  if (damage.jpeg !== undefined) {
    const raw = { width: across, height: down, channels: 4 } as const
    const lossy = await sharp(data, { raw }).removeAlpha().jpeg({ quality: damage.jpeg }).toBuffer()
    const rgb = await sharp(lossy).raw().toBuffer()
    for (let at = 0; at < across * down; at++)
      for (let channel = 0; channel < 3; channel++) data[4 * at + channel] = rgb[3 * at + channel] as number
  }
  return { width: across, height: down, data }
}

/** For each pixel of a line, the cell under its centre; -1 outside. Edges of cells wander around the regular grid. */
function bentLines(
  chance: Chance,
  { count, from, period, drift, length }: { count: number; from: number; period: number; drift: number; length: number },
): number[] {
  let walk = 0
  const edges = Array.from({ length: count + 1 }, (_, at) => {
    walk = 0.8 * walk + 0.6 * normal(chance)
    return from + at * period + Math.max(-1.5, Math.min(1.5, walk)) * drift * period * 0.6
  })
  return Array.from({ length }, (_, pixel) => {
    const after = edges.findIndex((edge) => edge > pixel + 0.5)
    return after < 1 ? -1 : after - 1
  })
}

/** Three box blurs, which are close to a Gaussian of this standard deviation. */
function blurPlane(plane: Float32Array, width: number, height: number, sigma: number): void {
  if (sigma < 0.3) return
  const radius = (Math.sqrt(4 * sigma * sigma + 1) - 1) / 2
  for (let round = 0; round < 3; round++) {
    for (let y = 0; y < height; y++) blurLine(plane, y * width, 1, width, radius)
    for (let x = 0; x < width; x++) blurLine(plane, x, width, height, radius)
  }
}

/** A moving average of `2 * radius + 1` values, whose ends count by their share. */
function blurLine(plane: Float32Array, from: number, step: number, length: number, radius: number): void {
  const whole = Math.floor(radius)
  const part = radius - whole
  const line = Float32Array.from({ length }, (_, at) => plane[from + at * step] as number)
  const at = (index: number): number => line[Math.max(0, Math.min(length - 1, index))] as number
  let sum = 0
  for (let index = -whole; index <= whole; index++) sum += at(index)
  for (let index = 0; index < length; index++) {
    plane[from + index * step] = (sum + part * (at(index - whole - 1) + at(index + whole + 1))) / (2 * radius + 1)
    sum += at(index + whole + 1) - at(index - whole)
  }
}

/** A normally distributed number with the deviation 1. */
function normal(chance: Chance): number {
  return Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
}
