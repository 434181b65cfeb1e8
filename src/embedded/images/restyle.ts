import { visibleBox } from '../../../atlas/frames/trim.ts'
import { type Bitmap, createBitmap, crop } from '../../../atlas/index.ts'
import { cutOut } from '../artist/background.ts'
import { takeAccessories, toRows } from '../painter/accessories.ts'
import { chosenColours, coloursIn, type Rgb } from '../painter/colours.ts'
import { toSvg } from '../painter/drawing.ts'
import { render, toImage } from '../svg/render.ts'

/**
 * Changes a picture as a prompt says and keeps its size. The colour that the prompt names replaces the
 * strongest hue. `hat`, `crown` and `plume` are added, each in the colour that is named before it. A flat
 * background stays. A prompt that names none of these gets a colour of its own.
 */
export async function restyle(picture: Bitmap, prompt: string): Promise<Bitmap> {
  const { figure, backdrop, isSeparate } = cutOut(picture)
  const { accessories, rest } = takeAccessories(prompt)
  const colour = coloursIn(rest)[0] ?? (accessories.length > 0 ? undefined : chosenColours(prompt).main)
  let body = toImage(colour === undefined ? figure : dyed(figure, colour))
  if (isSeparate) body += toSvg(toRows(accessories, headOf(figure)), {})
  if (isSeparate && backdrop !== undefined) body = toImage(backdrop) + body
  return render(body, picture.width, picture.height)
}

/** Gives a colour to every pixel of the strongest hue that is not gray or dark. Each keeps its own lightness. */
function dyed({ width, height, data: source }: Bitmap, colour: Rgb): Bitmap {
  const data = Uint8Array.from(source)
  const main = strongestHue(data)
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)]
    // Gray pixels and dark outlines keep their colour.
    if (most - least < 30 || most < 100 || apart(hueOf(red, green, blue), main) >= 45) continue
    const own = (most + least) / 2 / 128
    for (let channel = 0; channel < 3; channel++) {
      const wanted = colour[channel]!
      data[at + channel] = Math.round(own <= 1 ? wanted * own ** 0.8 : wanted + (255 - wanted) * (own - 1))
    }
  }
  return createBitmap(width, height, data)
}

/** The most common hue, in degrees. */
function strongestHue(data: Uint8Array): number {
  const shares = new Float64Array(24)
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    const depth = Math.max(red, green, blue) - Math.min(red, green, blue)
    if (data[at + 3]! > 0 && depth >= 30) shares[Math.floor(hueOf(red, green, blue) / 15) % 24]! += depth
  }
  const most = shares.reduce((best, share, index) => (share > shares[best]! ? index : best), 0)
  return most * 15 + 7.5
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
function headOf(figure: Bitmap): string {
  const whole = visibleBox(figure, 95)
  if (whole === undefined) return `${figure.width / 2} 0 1`
  const tall = whole.bottom - whole.top
  const row = crop(figure, 0, whole.top + Math.round((tall - 1) * 0.1), figure.width, 1)
  const head = visibleBox(row, 95) ?? whole
  // A hat must stay inside the picture and cover a pointed head.
  const room = (whole.top + tall * 0.06) * 1.15
  const wide = Math.max((head.right - head.left) * 0.9, (whole.right - whole.left) * 0.36)
  return `${(head.left + head.right) / 2} ${whole.top + tall * 0.06} ${Math.max(tall * 0.12, Math.min(room, wide)) / 110}`
}
