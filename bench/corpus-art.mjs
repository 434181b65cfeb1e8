// Draws and moves figures from a seed: cel (flat, outlined, two tones) and painted (graded, with grain), with
// anti-aliased edges on a clear ground.
import { createRandom } from './random.mjs'

const KINDS = ['walker', 'walker', 'beast', 'item', 'blob', 'spark']

/**
 * A sprite to be drawn: kind, proportions and colours, all from the seed.
 *
 * @param {number} seed
 * @param {number} canvas Side of a frame, pixels.
 */
export function createFigure(seed, canvas) {
  const random = createRandom(seed)
  const hue = random.next()
  return {
    kind: random.pick(KINDS),
    isPainted: random.next() < 0.45,
    // Height of the figure, in pixels.
    size: canvas * random.between(0.46, 0.8),
    girth: random.between(0.75, 1.3),
    swing: random.between(0.6, 1.2),
    skin: colourOf(hue, random.between(0.35, 0.8), random.between(0.6, 0.95)),
    cloth: colourOf(hue + random.between(0.2, 0.8), random.between(0.4, 0.9), random.between(0.4, 0.85)),
    metal: colourOf(hue + 0.5, 0.15, random.between(0.6, 0.9)),
    grain: random.whole(1, 0x7fffffff),
  }
}

/**
 * One frame: straight-alpha RGBA8 of canvas × canvas.
 *
 * @param {number} pose 0 up to 1, the moment of the cycle.
 */
export function drawFrame(figure, canvas, pose) {
  const data = new Uint8Array(canvas * canvas * 4)
  const parts = partsOf(figure, pose).map((part) => place(part, figure, canvas))
  if (!figure.isPainted)
    for (const part of parts) paint(data, canvas, { ...part, radius: part.radius + 1.6, colour: [28, 22, 34], tone: 0, grain: 0 })
  for (const part of parts) paint(data, canvas, part)
  return data
}

/** Capsules in units of the figure's height; x from the middle, y from the top. */
function partsOf({ kind, girth: g, swing: s, skin, cloth, metal }, pose) {
  const turn = pose * Math.PI * 2
  const sin = Math.sin(turn)
  const cos = Math.cos(turn)
  const bob = Math.abs(cos) * 0.03 + cos * 0.012
  const limb = (x1, y1, x2, y2, radius, colour) => ({ x1, y1, x2, y2, radius, colour })
  if (kind === 'walker') {
    const step = sin * 0.16 * s
    return [
      limb(-0.05, 0.62 + bob, -0.05 - step, 0.95, 0.05 * g, metal),
      limb(-0.1 * g, 0.34 + bob, -0.14 * g + step, 0.58, 0.04 * g, skin),
      limb(0, 0.38 + bob, 0, 0.6 + bob, 0.13 * g, cloth),
      limb(0.05, 0.62 + bob, 0.05 + step, 0.95, 0.05 * g, metal),
      limb(0, 0.15 + bob, 0.02, 0.16 + bob, 0.13, skin),
      limb(0.1 * g, 0.34 + bob, 0.16 * g - step * 1.2, 0.56, 0.04 * g, skin),
      limb(0.16 * g - step * 1.2, 0.56, 0.24 * g - step * 2, 0.36 + sin * 0.1, 0.018, metal),
    ]
  }
  if (kind === 'beast') {
    const step = sin * 0.13 * s
    return [
      limb(-0.3 * g, 0.7 + bob, -0.3 * g - step, 0.95, 0.05, metal),
      limb(0.26 * g, 0.7 + bob, 0.26 * g + step, 0.95, 0.05, metal),
      limb(-0.3 * g, 0.6 + bob, 0.28 * g, 0.56 + bob, 0.15, cloth),
      limb(-0.2 * g, 0.7 + bob, -0.2 * g + step, 0.95, 0.05, skin),
      limb(0.34 * g, 0.7 + bob, 0.34 * g - step, 0.95, 0.05, skin),
      limb(0.4 * g, 0.4 + bob * 2, 0.5 * g, 0.42 + bob * 2, 0.12, skin),
      limb(-0.42 * g, 0.55 + bob, -0.56 * g, 0.4 + sin * 0.12, 0.03, cloth),
    ]
  }
  if (kind === 'item') {
    const width = 0.04 + Math.abs(cos) * 0.16 * g
    return [
      limb(-width, 0.5, width, 0.5, 0.2, metal),
      limb(-width * 0.7, 0.5, width * 0.7, 0.5, 0.12, cloth),
      limb(sin * width, 0.4 + bob, cos * width, 0.6 + bob, 0.03, skin),
    ]
  }
  if (kind === 'blob') {
    const squash = 1 + sin * 0.18 * s
    return [
      limb(-0.18 * g * squash, 0.78 + bob, 0.18 * g * squash, 0.78, 0.17 / squash, cloth),
      limb(0, 0.72 - 0.08 / squash, 0, 0.72, 0.16, skin),
      limb(-0.08, 0.62 / squash + 0.06, -0.06, 0.62 / squash + 0.06, 0.03, metal),
      limb(0.08, 0.62 / squash + 0.06, 0.1, 0.62 / squash + 0.06, 0.03, metal),
    ]
  }
  const reach = 0.12 + pose * 0.34 * s
  return Array.from({ length: 7 }, (_, ray) => {
    const angle = (ray / 7) * Math.PI * 2 + g
    const [across, down] = [Math.cos(angle), Math.sin(angle)]
    return limb(
      across * reach * 0.5,
      0.5 + down * reach * 0.5,
      across * reach,
      0.5 + down * reach,
      0.05 * (1.2 - pose),
      ray % 2 ? skin : cloth,
    )
  })
}

/** Converts units of the figure to pixels. */
function place({ x1, y1, x2, y2, radius, colour }, { size, isPainted, grain }, canvas) {
  const [left, top] = [canvas / 2, canvas * 0.94 - size]
  const at = { x1: left + x1 * size, y1: top + y1 * size, x2: left + x2 * size, y2: top + y2 * size }
  return { ...at, radius: Math.max(0.8, radius * size), colour, tone: isPainted ? 0.5 : -0.22, grain: isPainted ? grain : 0 }
}

/**
 * Draws one capsule over the picture. `tone` over 0 grades it, under 0 gives it a shadow side; `grain` 0 is
 * none.
 */
function paint(data, canvas, { x1, y1, x2, y2, radius, colour, tone, grain }) {
  const clamp = (value) => Math.min(canvas - 1, Math.max(0, value))
  const [left, right] = [clamp(Math.floor(Math.min(x1, x2) - radius - 1)), clamp(Math.ceil(Math.max(x1, x2) + radius + 1))]
  const [top, bottom] = [clamp(Math.floor(Math.min(y1, y2) - radius - 1)), clamp(Math.ceil(Math.max(y1, y2) + radius + 1))]
  const [dx, dy] = [x2 - x1, y2 - y1]
  const length = dx * dx + dy * dy || 1
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / length))
      const [offX, offY] = [x - x1 - along * dx, y - y1 - along * dy]
      const cover = Math.min(1, radius + 0.5 - Math.sqrt(offX * offX + offY * offY))
      if (cover <= 0) continue
      const lit = (offX + offY) / radius
      let light = tone > 0 ? 1 - lit * tone * 0.5 : lit > 0.45 ? 1 + tone : 1
      if (grain > 0) light += ((Math.imul((x * 73856093) ^ (y * 19349663) ^ grain, 0x45d9f3b) >>> 24) / 255 - 0.5) * 0.08
      over(data, (y * canvas + x) * 4, colour, light, cover)
    }
  }
}

function over(data, at, colour, light, cover) {
  const below = data[at + 3] / 255
  const alpha = cover + below * (1 - cover)
  for (let channel = 0; channel < 3; channel++) {
    const value = Math.min(255, Math.max(0, colour[channel] * light))
    data[at + channel] = Math.round((value * cover + data[at + channel] * below * (1 - cover)) / alpha)
  }
  data[at + 3] = Math.round(alpha * 255)
}

function colourOf(hue, saturation, value) {
  const channel = (shift) => {
    const k = (shift + (hue % 1) * 6) % 6
    return Math.round(255 * value * (1 - saturation * Math.max(0, Math.min(k, 4 - k, 1))))
  }
  return [channel(5), channel(3), channel(1)]
}
