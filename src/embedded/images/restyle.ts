import type { Bitmap } from '../../../atlas/index.ts'
import { cutOut } from '../artist/background.ts'
import { drawAccessories, takeAccessories } from '../painter/accessories.ts'
import { canvasFrom, type Rgb } from '../painter/canvas.ts'
import { coloursIn, ink } from '../painter/colours.ts'
import { addGlow } from '../painter/glow.ts'
import { createPen } from '../painter/pen.ts'

/**
 * A picture changed as a prompt says, of the same size: coloured anew by the first colour that it names, the second for what stands out against the first; with an `outline`;
 * darker or brighter by `night` and `day`; and with the `hat`, `crown`, `plume`, `halo`, `shield`, `sword` or `glow` that it names, each in the colour before it.
 * A picture with a flat background keeps it. A prompt that names none of these turns the colours a little, by its own letters.
 */
export function restyle(picture: Bitmap, prompt: string): Bitmap {
  const { figure, backdrop, isSeparate } = cutOut(picture)
  const { accessories, rest } = takeAccessories(prompt)
  const words = new Set(rest.split(' '))
  const colours = coloursIn(rest)
  const changed = canvasFrom(figure.width, figure.height, figure)
  if (colours.length > 0) dye(changed, colours)
  else if (accessories.length === 0 && !['outline', 'night', 'day'].some((word) => words.has(word))) turnColours(changed, prompt)
  if (words.has('night')) light(changed, [58, 60, 130], 0.35)
  if (words.has('day')) light(changed, [255, 250, 220], 0.25)
  let whole = changed
  if (isSeparate) {
    const bounds = boundsOf(figure)
    if (words.has('outline')) whole = outlined(whole, Math.max(1, Math.round(bounds.height / 60)))
    const scale = bounds.height / 215
    const pen = createPen(whole, { x: 0, y: 0, scale })
    // What is worn must not leave the picture, nor be lost on a pointed head.
    const room = (bounds.top + bounds.height * 0.06) * 1.15
    const headWidth = Math.max(bounds.height * 0.12, Math.min(room, Math.max(bounds.headWidth * 0.9, bounds.width * 0.36)))
    const at = (x: number, y: number): { x: number; y: number } => ({ x: x / scale, y: y / scale })
    drawAccessories(pen, accessories, {
      head: { ...at(bounds.headX, bounds.top + bounds.height * 0.06), width: headWidth / scale },
      left: at(bounds.left + bounds.width * 0.2, bounds.top + bounds.height * 0.72),
      right: at(bounds.left + bounds.width * 0.84, bounds.top + bounds.height * 0.74),
      size: 0.85,
    })
    const glow = accessories.find(({ word }) => word === 'glow')
    if (glow !== undefined) whole = addGlow(whole, glow.colour ?? [255, 230, 130], Math.max(3, bounds.height / 12))
  }
  return backdrop === undefined || !isSeparate ? whole : laidOn(whole, backdrop)
}

/** Gives every colour that is not grey, ink or skin-like pale the hue of a new one, its own light and depth kept. */
function dye({ data }: Bitmap, colours: readonly Rgb[]): void {
  const main = strongestHue(data)
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] === 0) continue
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)]
    // Grey, and the dark of outlines, stay.
    if (most - least < 30 || most < 100) continue
    const isMain = main === undefined || apart(hueOf(red, green, blue), main) < 45
    const colour = isMain ? colours[0]! : colours[1]
    if (colour === undefined) continue
    const own = (most + least) / 2 / 128
    for (let channel = 0; channel < 3; channel++) {
      const wanted = colour[channel]!
      data[at + channel] = Math.round(own <= 1 ? wanted * own ** 0.8 : wanted + (255 - wanted) * (own - 1))
    }
  }
}

/** The hue, in degrees, that covers most of a picture; undefined for one without colours. */
function strongestHue(data: Uint8Array): number | undefined {
  const shares = new Float64Array(24)
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    const depth = Math.max(red, green, blue) - Math.min(red, green, blue)
    if (data[at + 3]! > 0 && depth >= 30) shares[Math.floor(hueOf(red, green, blue) / 15) % 24]! += depth
  }
  const most = shares.reduce((best, share, index) => (share > shares[best]! ? index : best), 0)
  return shares[most] === 0 ? undefined : most * 15 + 7.5
}

function hueOf(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue)
  const depth = most - Math.min(red, green, blue) || 1
  const sixth = most === red ? (green - blue) / depth : most === green ? 2 + (blue - red) / depth : 4 + (red - green) / depth
  return (sixth * 60 + 360) % 360
}

function apart(a: number, b: number): number {
  const away = Math.abs(a - b) % 360
  return Math.min(away, 360 - away)
}

/** Turns the hues by an angle of the prompt's own, greys kept. @see the luminance-keeping hue rotation of the SVG filter `feColorMatrix`, type `hueRotate`. */
function turnColours({ data }: Bitmap, prompt: string): void {
  const sum = [...prompt].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 100_003, 7)
  const angle = ((60 + (sum % 241)) * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const rows = [
    [0.213 + cos * 0.787 - sin * 0.213, 0.715 - cos * 0.715 - sin * 0.715, 0.072 - cos * 0.072 + sin * 0.928],
    [0.213 - cos * 0.213 + sin * 0.143, 0.715 + cos * 0.285 + sin * 0.14, 0.072 - cos * 0.072 - sin * 0.283],
    [0.213 - cos * 0.213 - sin * 0.787, 0.715 - cos * 0.715 + sin * 0.715, 0.072 + cos * 0.928 + sin * 0.072],
  ]
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    for (const [channel, [r, g, b]] of rows.entries())
      data[at + channel] = Math.min(255, Math.max(0, Math.round(red * r! + green * g! + blue * b!)))
  }
}

function light({ data }: Bitmap, colour: Rgb, share: number): void {
  for (let at = 0; at < data.length; at += 4)
    for (let channel = 0; channel < 3; channel++)
      data[at + channel] = Math.round(data[at + channel]! * (1 - share) + colour[channel]! * share)
}

interface Bounds {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** Middle and width of what lies a tenth of the height under the top. */
  readonly headX: number
  readonly headWidth: number
}

function boundsOf({ width, height, data }: Bitmap): Bounds {
  const rows = Array.from({ length: height }, (_, y) => {
    let [from, to] = [width, -1]
    for (let x = 0; x < width; x++) {
      if (data[(y * width + x) * 4 + 3]! < 96) continue
      from = Math.min(from, x)
      to = x
    }
    return { from, to }
  })
  const top = Math.max(
    0,
    rows.findIndex(({ to }) => to >= 0),
  )
  const bottom = rows.findLastIndex(({ to }) => to >= 0)
  if (bottom < 0) return { left: 0, top: 0, width, height, headX: width / 2, headWidth: width / 2 }
  const left = Math.min(...rows.map(({ from }) => from))
  const right = Math.max(...rows.map(({ to }) => to))
  const head = rows[Math.min(bottom, top + Math.round((bottom - top) * 0.1))]!
  const isThere = head.to >= head.from
  return {
    left,
    top,
    width: right - left + 1,
    height: bottom - top + 1,
    headX: isThere ? (head.from + head.to + 1) / 2 : (left + right) / 2,
    headWidth: isThere ? head.to - head.from + 1 : right - left,
  }
}

/** A figure with a dark rim of so many pixels behind it. */
function outlined(figure: Bitmap, reach: number): Bitmap {
  const { width, height } = figure
  const rimmed = canvasFrom(width, height, figure)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4
      const own = figure.data[at + 3]! / 255
      if (own === 1) continue
      let near = 0
      for (let down = -reach; down <= reach; down++)
        for (let right = -reach; right <= reach; right++) {
          const [fromX, fromY] = [x + right, y + down]
          if (fromX < 0 || fromY < 0 || fromX >= width || fromY >= height || right * right + down * down > reach * reach + 1) continue
          near = Math.max(near, figure.data[(fromY * width + fromX) * 4 + 3]! / 255)
        }
      const alpha = own + near * (1 - own)
      if (alpha === 0) continue
      for (let channel = 0; channel < 3; channel++)
        rimmed.data[at + channel] = Math.round((figure.data[at + channel]! * own + ink[channel]! * near * (1 - own)) / alpha)
      rimmed.data[at + 3] = Math.round(alpha * 255)
    }
  return rimmed
}

function laidOn(figure: Bitmap, backdrop: Bitmap): Bitmap {
  const whole = canvasFrom(backdrop.width, backdrop.height, backdrop)
  for (let at = 0; at < whole.data.length; at += 4) {
    const alpha = figure.data[at + 3]! / 255
    for (let channel = 0; channel < 3; channel++)
      whole.data[at + channel] = Math.round(figure.data[at + channel]! * alpha + whole.data[at + channel]! * (1 - alpha))
  }
  return whole
}
