import { type Bitmap, createBitmap } from '../../../atlas/index.ts'

/** A reference, separated into figure and background. */
export interface CutOut {
  /** The figure on a clear background. */
  readonly figure: Bitmap
  /** The background alone, opaque everywhere; `undefined` if the reference has none. */
  readonly backdrop: Bitmap | undefined
  /** Whether figure and background could be separated. */
  readonly isSeparate: boolean
}

/**
 * Largest sum of channel differences of a background pixel: to its neighbour, and to the main colour of the
 * border.
 */
const STEP = 30
const DRIFT = 110

/**
 * Separates a figure from a flat or nearly flat background that reaches the border. A picture with clear
 * pixels has no background and stays as it is. If the background is not flat, `isSeparate` is false and the
 * figure is the whole picture.
 */
export function cutOut(reference: Bitmap): CutOut {
  if (hasClearPixels(reference)) return { figure: reference, backdrop: undefined, isSeparate: true }
  const ground = floodGround(reference)
  const share = ground.reduce((sum, value) => sum + value, 0) / ground.length
  if (share < 0.08 || share > 0.99) return { figure: reference, backdrop: reference, isSeparate: false }
  const backdrop = fillHoles(reference, ground)
  return { figure: liftFigure(reference, backdrop, ground), backdrop, isSeparate: true }
}

function hasClearPixels(bitmap: Bitmap): boolean {
  let clear = 0
  for (let at = 3; at < bitmap.data.length; at += 4) if (bitmap.data[at]! < 128) clear++
  return clear > 0.02 * bitmap.width * bitmap.height
}

function distance(bitmap: Bitmap, a: number, b: number): number {
  let sum = 0
  for (let channel = 0; channel < 3; channel++) sum += Math.abs(bitmap.data[a * 4 + channel]! - bitmap.data[b * 4 + channel]!)
  return sum
}

/**
 * 1 for each background pixel, found by flooding from the border pixels that have the border's main colour.
 */
function floodGround(bitmap: Bitmap): Uint8Array {
  const { width, height } = bitmap
  const ground = new Uint8Array(width * height)
  const seedOf = new Int32Array(width * height)
  const queue: number[] = []
  const border: number[] = []
  for (let x = 0; x < width; x++) border.push(x, (height - 1) * width + x)
  for (let y = 1; y < height - 1; y++) border.push(y * width, y * width + width - 1)
  const usual = medianColour(bitmap, border)
  for (const at of border) {
    const off = [0, 1, 2].reduce((sum, channel) => sum + Math.abs(bitmap.data[at * 4 + channel]! - usual[channel]!), 0)
    if (off > DRIFT) continue
    ground[at] = 1
    seedOf[at] = at
    queue.push(at)
  }
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const x = next % width
    for (const to of [x > 0 ? next - 1 : -1, x < width - 1 ? next + 1 : -1, next - width, next + width]) {
      if (to < 0 || to >= ground.length || ground[to] === 1) continue
      if (distance(bitmap, to, next) > STEP || distance(bitmap, to, seedOf[next]!) > DRIFT) continue
      ground[to] = 1
      seedOf[to] = seedOf[next]!
      queue.push(to)
    }
  }
  return ground
}

function medianColour(bitmap: Bitmap, places: readonly number[]): number[] {
  return [0, 1, 2].map((channel) => {
    const values = places.map((at) => bitmap.data[at * 4 + channel]!).sort((a, b) => a - b)
    return values[values.length >> 1]!
  })
}

/**
 * The background, with the place of the figure filled. Rows and columns carry the nearest background inwards;
 * nearer pixels weigh more.
 */
function fillHoles(bitmap: Bitmap, ground: Uint8Array): Bitmap {
  const { width, height } = bitmap
  const sum = new Float32Array(width * height * 4)
  const isFirm = (at: number): boolean => {
    const x = at % width
    if (ground[at] === 0 || (x > 0 && ground[at - 1] === 0) || (x < width - 1 && ground[at + 1] === 0)) return false
    return ground[at - width] !== 0 && ground[at + width] !== 0
  }
  const carry = (start: number, step: number, count: number): void => {
    let from = -1
    let age = 0
    for (let i = 0, at = start; i < count; i++, at += step) {
      if (isFirm(at)) {
        from = at
        age = 0
      } else if (from >= 0) {
        const weight = 1 / ++age
        for (let channel = 0; channel < 3; channel++) sum[at * 4 + channel]! += bitmap.data[from * 4 + channel]! * weight
        sum[at * 4 + 3]! += weight
      }
    }
  }
  for (let y = 0; y < height; y++) {
    carry(y * width, 1, width)
    carry(y * width + width - 1, -1, width)
  }
  for (let x = 0; x < width; x++) {
    carry(x, width, height)
    carry((height - 1) * width + x, -width, height)
  }
  const filled = createBitmap(width, height, Uint8Array.from(bitmap.data))
  for (let at = 0; at < ground.length; at++) {
    filled.data[at * 4 + 3] = 255
    const weight = sum[at * 4 + 3]!
    if (weight === 0) continue
    for (let channel = 0; channel < 3; channel++) filled.data[at * 4 + channel] = Math.round(sum[at * 4 + channel]! / weight)
  }
  return filled
}

/**
 * The figure alone. An edge pixel is a mix with the background. It takes the colour of the figure beside it,
 * and its difference from the background gives its alpha.
 */
function liftFigure(bitmap: Bitmap, backdrop: Bitmap, ground: Uint8Array): Bitmap {
  const { width, height, data } = bitmap
  const figure = createBitmap(width, height)
  const isEdge = (at: number): boolean => {
    const x = at % width
    return (
      (x > 0 && ground[at - 1] === 1) || (x < width - 1 && ground[at + 1] === 1) || ground[at - width] === 1 || ground[at + width] === 1
    )
  }
  for (let at = 0; at < ground.length; at++) {
    if (ground[at] === 1) continue
    figure.data.set([data[at * 4]!, data[at * 4 + 1]!, data[at * 4 + 2]!, 255], at * 4)
    const own = isEdge(at) ? colourBeside(bitmap, at, (other) => ground[other] === 0 && !isEdge(other)) : undefined
    if (own === undefined) continue
    let [along, length] = [0, 0]
    for (let channel = 0; channel < 3; channel++) {
      const behind = backdrop.data[at * 4 + channel]!
      along += (data[at * 4 + channel]! - behind) * (own[channel]! - behind)
      length += (own[channel]! - behind) ** 2
    }
    const alpha = length === 0 ? 1 : Math.min(1, Math.max(0, along / length))
    if (alpha < 0.92) figure.data.set([...own, Math.round(alpha * 255)], at * 4)
  }
  return figure
}

/**
 * Mean colour of nearby pixels that belong wholly to the figure; `undefined` if the figure is too thin to
 * have any.
 */
function colourBeside(bitmap: Bitmap, at: number, isFull: (at: number) => boolean): number[] | undefined {
  const { width, height, data } = bitmap
  const [x, y] = [at % width, Math.floor(at / width)]
  for (const reach of [1, 2]) {
    const sum = [0, 0, 0]
    let count = 0
    for (let row = Math.max(0, y - reach); row <= Math.min(height - 1, y + reach); row++)
      for (let column = Math.max(0, x - reach); column <= Math.min(width - 1, x + reach); column++) {
        const other = row * width + column
        if (!isFull(other)) continue
        for (let channel = 0; channel < 3; channel++) sum[channel]! += data[other * 4 + channel]!
        count++
      }
    if (count > 0) return sum.map((value) => Math.round(value / count))
  }
  return undefined
}
