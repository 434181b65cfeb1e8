import type { Figure } from './figure.ts'
import { type Accent, smooth } from './pose.ts'
import type { Stage } from './stage.ts'
import type { Canvas } from './warp.ts'

/** Red, green, blue, 0 to 1. */
export type Colour = readonly [number, number, number]

/** Data that all frames of one animation share. */
export interface AccentPlan {
  readonly figure: Figure
  readonly stage: Stage
  /** The figure's most saturated colour, lightened. */
  readonly colour: Colour
  /** Bytes that choose the places of glints. */
  readonly seed: Uint8Array
}

const drawers = { slash: drawSlash, glints: drawGlints, dust: drawDust, aura: drawAura }

/** Draws the accents of a pose behind the figure, or those before it: the glints. All fade out near the border. */
export function drawAccents(canvas: Canvas, plan: AccentPlan, accents: readonly Accent[], layer: 'behind' | 'before'): void {
  for (const { kind, at } of accents) if ((kind === 'glints') === (layer === 'before')) drawers[kind](canvas, plan, at)
}

/** The colour of a figure's light: the mean of its saturated bright pixels, mixed half with white. */
export function telling(figure: Figure): Colour {
  const sum = [0, 0, 0]
  let mass = 0
  const { data } = figure.bitmap
  for (let at = 0; at < data.length; at += 16) {
    if (data[at + 3]! < 200) continue
    const [r, g, b] = [data[at]! / 255, data[at + 1]! / 255, data[at + 2]! / 255]
    const high = Math.max(r, g, b)
    const weight = ((high - Math.min(r, g, b)) * high) ** 3
    for (const [channel, value] of [r, g, b].entries()) sum[channel]! += value * weight
    mass += weight
  }
  const light = (channel: number): number => (mass === 0 ? 1 : 0.55 * (sum[channel]! / mass) + 0.45)
  return [light(0), light(1), light(2)]
}

/** Adds a colour to a box of pixels. `strength` gives its opacity at each pixel. */
function paint(
  canvas: Canvas,
  colour: Colour,
  centre: { x: number; y: number },
  reach: number,
  strength: (x: number, y: number) => number,
): void {
  const { width, height, pixels } = canvas
  for (let y = Math.max(0, Math.floor(centre.y - reach)); y < Math.min(height, centre.y + reach); y++)
    for (let x = Math.max(0, Math.floor(centre.x - reach)); x < Math.min(width, centre.x + reach); x++) {
      const inside = Math.min(x, y, width - 1 - x, height - 1 - y)
      const alpha = strength(x + 0.5 - centre.x, y + 0.5 - centre.y) * smooth(1, 8, inside)
      if (alpha < 0.004) continue
      const at = (y * width + x) * 4
      for (let channel = 0; channel < 3; channel++) pixels[at + channel] = colour[channel]! * alpha + pixels[at + channel]! * (1 - alpha)
      pixels[at + 3] = alpha + pixels[at + 3]! * (1 - alpha)
    }
}

/**
 * Draws a crescent along the path of the blade (or of the whole front), from above the head to the ground.
 * Its tail fades first.
 */
function drawSlash(canvas: Canvas, { figure, stage }: AccentPlan, at: number): void {
  const size = figure.height
  const hand = figure.held
  const forward = 0.16 * size
  const centre =
    hand === undefined
      ? { x: stage.origin.x + forward, y: stage.origin.y - 0.46 * size }
      : { x: stage.corner.x + hand.pivotX + forward, y: stage.corner.y + hand.pivotY }
  const radius = Math.min(hand === undefined ? 0.6 * size : hand.reach * 1.06, stage.width - centre.x - 6)
  const head = -1.9 + 2.45 * smooth(-0.2, 0.3, at)
  const tail = -2 + 2.3 * smooth(0.1, 1, at)
  const crescent = (share: number) => (x: number, y: number) => {
    const angle = Math.atan2(y, x)
    if (angle < tail || angle > head) return 0
    const along = (angle - tail) / Math.max(0.01, head - tail)
    const thick = share * radius * Math.sin(Math.PI * along ** 2) ** 0.75 * (1 - 0.6 * at)
    const depth = radius - Math.hypot(x, y)
    return smooth(-0.8, 0.8, depth) * (1 - smooth(thick - 1.5, thick, depth)) * (1 - smooth(0.7, 1, at))
  }
  const [outer, inner] = [crescent(0.62), crescent(0.36)]
  paint(canvas, [0.5, 0.82, 1], centre, radius + 2, (x, y) => 0.7 * outer(x, y))
  paint(canvas, [1, 1, 1], centre, radius + 2, inner)
}

/** Draws four-pointed stars that light up on the figure one after the other. */
function drawGlints(canvas: Canvas, { figure, stage, seed }: AccentPlan, at: number): void {
  const count = 5
  for (let i = 0; i < count; i++) {
    const life = (((at - i / count) % 1) + 1) % 1
    if (life > 0.34) continue
    const swell = Math.sin((life / 0.34) * Math.PI)
    const point = figure.outline[(seed[i * 2]! * 256 + seed[i * 2 + 1]!) % figure.outline.length]!
    const inward = 0.95 - 0.45 * (seed[i + 12]! / 255)
    const size = figure.height * (0.05 + 0.06 * (seed[i + 18]! / 255)) * swell
    if (size < 1) continue
    const middle = figure.bottom - figure.height / 2
    const centre = {
      x: stage.origin.x + (point.x - figure.centreX) * inward,
      y: stage.corner.y + middle + (point.y - middle) * inward,
    }
    paint(canvas, [1, 1, 1], centre, size + 1, (dx, dy) => {
      const reach = (Math.sqrt(Math.abs(dx)) + Math.sqrt(Math.abs(dy))) ** 2 / size
      return 1 - smooth(0.75, 1.05, reach)
    })
  }
}

/** Draws puffs of dust that roll from the feet to both sides. */
function drawDust(canvas: Canvas, { figure, stage }: AccentPlan, at: number): void {
  const size = figure.height
  const half = Math.max(0.12, (figure.right - figure.left) / figure.height / 3)
  for (const side of [-1, 1])
    for (let i = 0; i < 3; i++) {
      const radius = size * (0.055 - 0.011 * i) * (0.55 + 0.6 * Math.sqrt(at)) * (1 - smooth(0.5, 1, at) * 0.6)
      const out = half + (0.08 + 0.075 * i) * Math.sqrt(at) + 0.035 * i
      const centre = { x: stage.origin.x + side * out * size, y: stage.origin.y - radius - size * 0.03 * i * at }
      paint(canvas, i === 1 ? [0.98, 0.96, 0.92] : [0.87, 0.84, 0.8], centre, radius + 1, (x, y) => {
        return (1 - smooth(radius - 1.2, radius, Math.hypot(x, y))) * 0.9 * (1 - smooth(0.55, 1, at))
      })
    }
}

/** Draws a soft light behind the figure. */
function drawAura(canvas: Canvas, { figure, stage, colour }: AccentPlan, at: number): void {
  if (at <= 0) return
  const size = figure.height
  const reach = Math.min(0.62 * Math.max(size, figure.right - figure.left), stage.width / 2 - 2) * (0.8 + 0.2 * at)
  paint(canvas, colour, { x: stage.origin.x, y: stage.origin.y - size * 0.5 }, reach, (x, y) => {
    const far = Math.min(1, Math.hypot(x, y) / reach)
    return 0.85 * at * (1 - far) ** 1.2
  })
}
