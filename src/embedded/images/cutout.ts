import { type Bitmap, createBitmap } from '../../../atlas/index.ts'
import { cutOut } from '../artist/background.ts'

/** How often the model of the background is fitted again. */
const ROUNDS = 3
/** Largest sum of channel differences of a background pixel: from the model, and from its neighbour. */
const AWAY = 54
const STEP = 26

/**
 * Cuts the figure of a picture out, in the same size. The background may be flat, a gradient in any
 * direction, and noisy as in JPEG files. The edge of the figure stays soft. A picture that is cut out already
 * stays as it is.
 *
 * @returns `undefined` if no figure can be separated from the background.
 */
export function removeBackground(picture: Bitmap): Bitmap | undefined {
  const { figure, backdrop, isSeparate } = cutOut(picture)
  if (!isSeparate) return undefined
  if (backdrop === undefined) return figure
  // A strong gradient ends the first cut too early. The cut continues where the colours follow the gradient.
  const ground = Uint8Array.from({ length: picture.width * picture.height }, (_, at) => (figure.data[at * 4 + 3] === 0 ? 1 : 0))
  const before = count(ground)
  let field = fitField(picture, ground)
  for (let round = 0; round < ROUNDS; round++) {
    if (!grow(picture, ground, field)) break
    field = fitField(picture, ground)
  }
  const isWhole = count(ground) > 0.99 * ground.length
  return isWhole || count(ground) === before ? figure : lift(picture, figure, ground, field)
}

function count(ground: Uint8Array): number {
  return ground.reduce((sum, value) => sum + value, 0)
}

/** Model of the background: the value of one channel as a polynomial of the second degree in x and y. */
type Field = (x: number, y: number, channel: number) => number

/** Fits the model to the known background by least squares. */
function fitField(picture: Bitmap, ground: Uint8Array): Field {
  const { width, height, data } = picture
  const terms = (x: number, y: number): number[] => {
    const [u, v] = [(x / width) * 2 - 1, (y / height) * 2 - 1]
    return [1, u, v, u * u, u * v, v * v]
  }
  const sums = Array.from({ length: 6 }, () => new Float64Array(9))
  // All pixels of a small picture, a sample of a large one.
  const stride = Math.max(1, Math.floor(Math.sqrt(ground.length / 40_000)))
  for (let y = 0; y < height; y += stride)
    for (let x = 0; x < width; x += stride) {
      const at = y * width + x
      if (ground[at] === 0) continue
      const row = terms(x, y)
      for (let i = 0; i < 6; i++) {
        for (let j = 0; j < 6; j++) sums[i]![j]! += row[i]! * row[j]!
        for (let channel = 0; channel < 3; channel++) sums[i]![6 + channel]! += row[i]! * data[at * 4 + channel]!
      }
    }
  const solved = solve(sums)
  return (x, y, channel) => terms(x, y).reduce((sum, term, index) => sum + term * solved[index]![channel]!, 0)
}

/** Gauss-Jordan elimination. An undetermined direction counts as zero. */
function solve(rows: readonly Float64Array[]): number[][] {
  for (let i = 0; i < 6; i++) rows[i]![i]! += 1e-6
  for (let pivot = 0; pivot < 6; pivot++) {
    const own = rows[pivot]!
    const lead = own[pivot]!
    for (let column = 0; column < 9; column++) own[column] = own[column]! / lead
    for (let other = 0; other < 6; other++) {
      if (other === pivot) continue
      const factor = rows[other]![pivot]!
      for (let column = 0; column < 9; column++) rows[other]![column]! -= factor * own[column]!
    }
  }
  return rows.map((row) => [row[6]!, row[7]!, row[8]!])
}

/**
 * Adds neighbours of the known background that fit the model.
 *
 * @returns Whether it added any.
 */
function grow(picture: Bitmap, ground: Uint8Array, field: Field): boolean {
  const { width, data } = picture
  const queue: number[] = []
  for (let at = 0; at < ground.length; at++) if (ground[at] === 1) queue.push(at)
  const before = queue.length
  let found = before
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const x = next % width
    for (const to of [x > 0 ? next - 1 : -1, x < width - 1 ? next + 1 : -1, next - width, next + width]) {
      if (to < 0 || to >= ground.length || ground[to] === 1) continue
      let [step, away] = [0, 0]
      for (let channel = 0; channel < 3; channel++) {
        step += Math.abs(data[to * 4 + channel]! - data[next * 4 + channel]!)
        away += Math.abs(data[to * 4 + channel]! - field(to % width, Math.floor(to / width), channel))
      }
      if (step > STEP || away > AWAY) continue
      ground[to] = 1
      found++
      queue.push(to)
    }
  }
  return found > before
}

/**
 * The figure without the pixels that the background gained. The new edge loses the background's share of its
 * colours.
 */
function lift(picture: Bitmap, first: Bitmap, ground: Uint8Array, field: Field): Bitmap {
  const { width, height } = picture
  const figure = createBitmap(width, height, Uint8Array.from(first.data))
  for (let at = 0; at < ground.length; at++) {
    if (ground[at] === 1) {
      figure.data.fill(0, at * 4, at * 4 + 4)
      continue
    }
    const x = at % width
    const y = Math.floor(at / width)
    const touches = (right: number, down: number): boolean => {
      const [toX, toY] = [x + right, y + down]
      return (
        toX >= 0 &&
        toY >= 0 &&
        toX < width &&
        toY < height &&
        ground[toY * width + toX] === 1 &&
        first.data[(toY * width + toX) * 4 + 3]! > 0
      )
    }
    if (!touches(1, 0) && !touches(-1, 0) && !touches(0, 1) && !touches(0, -1)) continue
    const under = [0, 1, 2].map((channel) => field(x, y, channel))
    const off = Math.max(...under.map((value, channel) => Math.abs(picture.data[at * 4 + channel]! - value)))
    const alpha = Math.min(1, Math.max(0.1, off / 96))
    for (let channel = 0; channel < 3; channel++) {
      const own = (picture.data[at * 4 + channel]! - under[channel]! * (1 - alpha)) / alpha
      figure.data[at * 4 + channel] = Math.min(255, Math.max(0, Math.round(own)))
    }
    figure.data[at * 4 + 3] = Math.round(alpha * 255)
  }
  return figure
}
