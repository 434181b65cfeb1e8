import { type Bitmap, pixelsOf } from '../bitmap.ts'
import { AtlasError } from '../errors.ts'
import { decodePng } from '../png/read.ts'
import { oklabDistance } from './oklab.ts'
import { createRepaint, hexColour, lookOf, packColour } from './repaint.ts'

/** Colours of a palette: `0xAABBGGRR`, opaque, each once, ascending. */
export type Palette = readonly number[]

/** The most colours of a palette. */
const mostColours = 256

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
  return [...new Set(pixelsOf(picture))].filter((pixel) => pixel !== 0).map((pixel) => (pixel | 0xff000000) >>> 0)
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
    if (!isOfNumbers) return (digits.exec(line)?.[0].match(/[0-9a-f]{6}/gi) ?? []).map(hexColour)
    const [red, green, blue, alpha] = (numbers.exec(line)?.slice(1) ?? []).map(Number)
    if (red === undefined || green === undefined || blue === undefined || Math.max(red, green, blue) > 255) return []
    return hasAlpha && alpha === 0 ? [] : [packColour(red, green, blue)]
  })
}

const numbers = /^\s*(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})(?:\s+(\d{1,3}))?(?:\s|$)/
const digits = /^(?:[\s,]*#?[0-9a-f]{6}\b)+/i

/** Makes a function that replaces each colour of a frame by the nearest one of a palette in OKLab. Alpha stays. */
export function paintWith(palette: Palette): (frame: Bitmap) => Bitmap {
  const looks = palette.map(lookOf)
  return createRepaint((colour) => {
    const look = lookOf(colour)
    let best = 0
    for (let at = 1; at < looks.length; at++) if (oklabDistance(looks[at]!, look) < oklabDistance(looks[best]!, look)) best = at
    return palette[best]!
  })
}
