import { type Bitmap, pixelsOf } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { decodePng } from '../png/read.ts'
import { type Oklab, oklabDistance, toOklab } from './oklab.ts'

/** Colours of a palette: `0xAABBGGRR`, opaque, each once, ascending. */
export type Palette = readonly number[]

/** The most colours of a palette. */
const mostColours = 256

const OPAQUE = 0xff000000

/**
 * Reads the colours of a palette file: `.hex` of Lospec, `.gpl` of GIMP, `.pal` of JASC, or the visible colours of a
 * PNG. Without regard to its name, a file is read as what it begins with.
 *
 * @throws {AtlasError} `SW_IMAGE` for a file without colours or with more than 256; `SW_PNG` for a damaged PNG.
 */
export function readPalette(bytes: Uint8Array): Palette {
  const isPng = bytes[0] === 0x89 && bytes[1] === 0x50
  const colours = isPng ? coloursOf(decodePng(bytes)) : parseColours(new TextDecoder().decode(bytes))
  const palette = [...new Set(colours)].sort((a, b) => a - b)
  if (palette.length > 0 && palette.length <= mostColours) return palette
  throw new AtlasError('SW_IMAGE', {
    message: `Expected a palette of 1 to ${mostColours} colours, as .hex, .gpl, .pal (JASC) or PNG, found ${palette.length} colours.`,
    facts: { colours: palette.length },
  })
}

function coloursOf(picture: Bitmap): readonly number[] {
  return [...new Set(pixelsOf(picture))].filter((pixel) => pixel !== 0).map((pixel) => (pixel | OPAQUE) >>> 0)
}

/**
 * In files of GIMP and JASC, a line that begins with three numbers from 0 to 255 is a colour, which may be followed by
 * its alpha (`Channels: RGBA`) and a name. In others, each line may begin with several colours of six hexadecimal
 * digits. Other lines are the head or comments.
 */
function parseColours(text: string): readonly number[] {
  const isOfNumbers = /^(?:GIMP Palette|JASC-PAL)/.test(text)
  const hasAlpha = /^Channels: RGBA/m.test(text)
  return text.split(/\r\n?|\n/).flatMap((line) => {
    if (!isOfNumbers) return (digits.exec(line)?.[0].match(/[0-9a-f]{6}/gi) ?? []).map(hexadecimal)
    const [red, green, blue, alpha] = (numbers.exec(line)?.slice(1) ?? []).map(Number)
    if (red === undefined || green === undefined || blue === undefined || Math.max(red, green, blue) > 255) return []
    return hasAlpha && alpha === 0 ? [] : [packed(red, green, blue)]
  })
}

const numbers = /^\s*(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})(?:\s+(\d{1,3}))?(?:\s|$)/
const digits = /^(?:[\s,]*#?[0-9a-f]{6}\b)+/i

function hexadecimal(colour: string): number {
  const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number, number]
  return packed(red, green, blue)
}

function packed(red: number, green: number, blue: number): number {
  return (OPAQUE | (blue << 16) | (green << 8) | red) >>> 0
}

function lookOf(pixel: number): Oklab {
  return toOklab(pixel & 255, (pixel >>> 8) & 255, (pixel >>> 16) & 255)
}

/** Makes a function that replaces each colour of a frame by the nearest one of a palette in OKLab. Alpha stays. */
export function paintWith(palette: Palette): (frame: Bitmap) => Bitmap {
  const looks = palette.map(lookOf)
  const known = new Map<number, number>()
  const nearestTo = (pixel: number): number => {
    const look = lookOf(pixel)
    let best = 0
    for (let at = 1; at < looks.length; at++) if (oklabDistance(looks[at]!, look) < oklabDistance(looks[best]!, look)) best = at
    return palette[best]!
  }
  return ({ width, height, data: from }) => {
    const data = from.slice()
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 0) continue
      const pixel = packed(data[at]!, data[at + 1]!, data[at + 2]!)
      const painted = known.get(pixel) ?? nearestTo(pixel)
      known.set(pixel, painted)
      for (let channel = 0; channel < 3; channel++) data[at + channel] = (painted >>> (8 * channel)) & 255
    }
    return { width, height, data }
  }
}
