import { type Bitmap, createBitmap } from '../../../atlas/index.ts'
import { cutOut } from '../artist/background.ts'
import { takeAccessories, toRows } from '../painter/accessories.ts'
import { coloursIn, ink, type Rgb, toHex } from '../painter/colours.ts'
import { toSvg } from '../painter/drawing.ts'
import { filtered, render, toImage, withHalo } from '../svg/render.ts'

/**
 * Changes a picture as a prompt says and keeps its size. The first colour that the prompt names replaces the
 * strongest hue, the second one all others. `outline`, `night` and `day` change the whole figure. `hat`,
 * `crown`, `plume`, `halo`, `shield`, `sword` and `glow` are added, each in the colour that is named before
 * it. A flat background stays. A prompt that names none of these turns all hues by an angle of its own.
 */
export async function restyle(picture: Bitmap, prompt: string): Promise<Bitmap> {
  const { figure, backdrop, isSeparate } = cutOut(picture)
  const { accessories, rest } = takeAccessories(prompt)
  const words = new Set(rest.split(' '))
  const colours = coloursIn(rest)
  const isPlain = colours.length === 0 && accessories.length === 0 && !['outline', 'night', 'day'].some((word) => words.has(word))
  let body = toImage(colours.length > 0 ? dyed(figure, colours) : figure)
  if (isPlain) body = filtered(body, `<feColorMatrix type="hueRotate" values="${angleOf(prompt)}"/>`)
  if (words.has('night')) body = tinted(body, [58, 60, 130], 0.35)
  if (words.has('day')) body = tinted(body, [255, 250, 220], 0.25)
  if (isSeparate) {
    const bounds = boundsOf(figure)
    if (words.has('outline')) body = withHalo(body, toHex(ink), Math.max(1, bounds.height / 90), 12)
    body += toSvg(toRows(accessories, placesOn(bounds)), {})
    const glow = accessories.find(({ name }) => name === 'glow')
    if (glow !== undefined) body = withHalo(body, glow.colour, Math.max(2, bounds.height / 24), 1.7)
    if (backdrop !== undefined) body = toImage(backdrop) + body
  }
  return render(body, picture.width, picture.height)
}

/** Degrees between 60 and 300, chosen by the letters of a prompt. */
function angleOf(prompt: string): number {
  const sum = [...prompt].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 100_003, 7)
  return 60 + (sum % 241)
}

/** Mixes a share of one colour into all others. */
function tinted(body: string, colour: Rgb, share: number): string {
  const rows = colour.map((value, at) => {
    const own = [0, 1, 2].map((channel) => (channel === at ? 1 - share : 0))
    return [...own, 0, (value / 255) * share].join(' ')
  })
  return filtered(body, `<feColorMatrix type="matrix" values="${rows.join(' ')} 0 0 0 1 0"/>`)
}

/** Gives the hue of a new colour to every pixel that is not gray or dark. Each keeps its own lightness. */
function dyed({ width, height, data: source }: Bitmap, colours: readonly Rgb[]): Bitmap {
  const data = Uint8Array.from(source)
  const main = strongestHue(data)
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] === 0) continue
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)]
    // Gray pixels and dark outlines keep their colour.
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
  return createBitmap(width, height, data)
}

/** The most common hue, in degrees; undefined for a picture without colours. */
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

interface Bounds {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** Middle and width of the row at a tenth of the height. */
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

/** Where a figure wears and holds things, for {@link toRows}. */
function placesOn({ left, top, width, height, headX, headWidth }: Bounds): Record<'head' | 'left' | 'right', string> {
  // A hat must stay inside the picture and cover a pointed head.
  const room = (top + height * 0.06) * 1.15
  const hatWidth = Math.max(height * 0.12, Math.min(room, Math.max(headWidth * 0.9, width * 0.36)))
  const scale = (0.68 * height) / 215
  return {
    head: `${headX} ${top + height * 0.06} ${hatWidth / 110}`,
    left: `${left + width * 0.2} ${top + height * 0.72} ${scale}`,
    right: `${left + width * 0.84} ${top + height * 0.74} ${scale} 17`,
  }
}
