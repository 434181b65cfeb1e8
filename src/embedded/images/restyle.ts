import { type Bitmap, createBitmap } from '../../../atlas/index.ts'
import { cutOut } from '../artist/background.ts'
import { takeAccessories, toRows } from '../painter/accessories.ts'
import { coloursIn, type Rgb } from '../painter/colours.ts'
import { toSvg } from '../painter/drawing.ts'
import { render, toImage, withTurnedHues } from '../svg/render.ts'

/**
 * Changes a picture as a prompt says and keeps its size. The first colour that the prompt names replaces the
 * strongest hue, the second one all others. `hat`, `crown` and `plume` are added, each in the colour that is
 * named before it. A flat background stays. A prompt that names none of these turns all hues by an angle of
 * its own.
 */
export async function restyle(picture: Bitmap, prompt: string): Promise<Bitmap> {
  const { figure, backdrop, isSeparate } = cutOut(picture)
  const { accessories, rest } = takeAccessories(prompt)
  const colours = coloursIn(rest)
  let body = toImage(colours.length > 0 ? dyed(figure, colours) : figure)
  if (colours.length === 0 && accessories.length === 0) body = withTurnedHues(body, angleOf(prompt))
  if (isSeparate) body += toSvg(toRows(accessories, headOf(figure)), {})
  if (isSeparate && backdrop !== undefined) body = toImage(backdrop) + body
  return render(body, picture.width, picture.height)
}

/** Degrees between 60 and 300, chosen by the letters of a prompt. */
function angleOf(prompt: string): number {
  const sum = [...prompt].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 100_003, 7)
  return 60 + (sum % 241)
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

/** Place of a figure's head for {@link toRows}: `X Y SCALE`, about a tenth of its height from its top. */
function headOf({ width, height, data }: Bitmap): string {
  const rows = Array.from({ length: height }, (_, y) => {
    let [from, to] = [width, -1]
    for (let x = 0; x < width; x++) {
      if (data[(y * width + x) * 4 + 3]! < 96) continue
      from = Math.min(from, x)
      to = x
    }
    return { from, to }
  })
  const top = rows.findIndex(({ to }) => to >= 0)
  const bottom = rows.findLastIndex(({ to }) => to >= 0)
  if (top < 0) return `${width / 2} 0 1`
  const whole = { from: Math.min(...rows.map(({ from }) => from)), to: Math.max(...rows.map(({ to }) => to)) }
  const row = rows[top + Math.round((bottom - top) * 0.1)]!
  const head = row.to < 0 ? whole : row
  const tall = bottom - top + 1
  // A hat must stay inside the picture and cover a pointed head.
  const room = (top + tall * 0.06) * 1.15
  const wide = Math.max((head.to - head.from + 1) * 0.9, (whole.to - whole.from + 1) * 0.36)
  return `${(head.from + head.to + 1) / 2} ${top + tall * 0.06} ${Math.max(tall * 0.12, Math.min(room, wide)) / 110}`
}
