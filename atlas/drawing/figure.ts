import { type Bitmap, createBitmap } from '../bitmap.ts'

/** Red, green, blue, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

/** Colours that a prompt can name. */
const NAMED: Readonly<Record<string, Colour>> = {
  red: [214, 64, 58],
  orange: [230, 137, 46],
  golden: [232, 186, 60],
  gold: [232, 186, 60],
  yellow: [238, 210, 74],
  green: [86, 168, 84],
  teal: [58, 160, 152],
  blue: [74, 122, 214],
  purple: [140, 92, 200],
  violet: [140, 92, 200],
  pink: [232, 130, 178],
  brown: [142, 98, 64],
  black: [58, 58, 66],
  dark: [70, 66, 84],
  white: [232, 232, 236],
  silver: [176, 184, 194],
  grey: [150, 154, 160],
  gray: [150, 154, 160],
}

/** Words that select the kind of figure. For a prompt without such a word, the figure is a person. */
const KINDS = {
  beast:
    /\b(dog|cat|wolf|fox|horse|bear|cow|pig|sheep|goat|deer|rat|mouse|lion|tiger|dragon|dinosaur|spider|beetle|crab|frog|turtle|lizard|boar|unicorn)s?\b/,
  flyer: /\b(bird|bat|butterfly|bee|wasp|fly|eagle|crow|raven|owl|parrot|moth|fairy|ghost|drone)s?\b/,
  blob: /\b(slime|blob|jelly|ooze|puddle|bubble|cloud|mushroom|egg)s?\b/,
  thing:
    /\b(coin|gem|crystal|diamond|star|heart|ball|orb|key|potion|bottle|chest|box|crate|barrel|bomb|rock|stone|flame|fire|torch|sword|shield|ship|car|tree|flower|portal)s?\b/,
} as const

/** One oval of a figure: its centre and half axes as shares of the frame, and its brightness. */
type Oval = readonly [x: number, y: number, rx: number, ry: number, light: number]

/** Ovals from back to front. Each figure stands on the bottom of the frame. */
const OVALS: Readonly<Record<keyof typeof KINDS | 'person', readonly Oval[]>> = {
  person: [
    [0.42, 0.86, 0.07, 0.14, 0.6],
    [0.58, 0.86, 0.07, 0.14, 0.75],
    [0.5, 0.6, 0.17, 0.22, 1],
    [0.5, 0.26, 0.15, 0.15, 1.2],
  ],
  beast: [
    [0.3, 0.86, 0.05, 0.14, 0.6],
    [0.66, 0.86, 0.05, 0.14, 0.6],
    [0.38, 0.87, 0.05, 0.13, 0.8],
    [0.6, 0.87, 0.05, 0.13, 0.8],
    [0.47, 0.65, 0.27, 0.16, 1],
    [0.76, 0.48, 0.12, 0.12, 1.2],
  ],
  flyer: [
    [0.26, 0.42, 0.2, 0.1, 0.75],
    [0.74, 0.42, 0.2, 0.1, 0.75],
    [0.5, 0.55, 0.13, 0.2, 1],
    [0.5, 0.3, 0.1, 0.1, 1.2],
  ],
  blob: [
    [0.5, 0.74, 0.34, 0.26, 1],
    [0.42, 0.64, 0.1, 0.08, 1.25],
  ],
  thing: [
    [0.5, 0.64, 0.3, 0.34, 0.75],
    [0.5, 0.62, 0.22, 0.26, 1],
    [0.43, 0.52, 0.07, 0.09, 1.3],
  ],
}

/**
 * Draws a figure for a prompt: a person, a beast, a flying thing, a blob or an object, in the first colour
 * that the prompt names. Equal prompts give equal pictures.
 *
 * @param hasBackground Whether to draw a background that fills the frame.
 */
export function drawFigure(prompt: string, width: number, height: number, hasBackground: boolean): Bitmap {
  const figure = createBitmap(width, height)
  const colour = wordColour(prompt, prompt.toLowerCase())
  const side = Math.min(width, height)
  const [left, top] = [(width - side) / 2, height - side]
  if (hasBackground)
    for (let at = 0; at < width * height; at++)
      figure.data.set([...brighten([200, 206, 216], 1 - (0.25 * Math.floor(at / width)) / height), 255], at * 4)
  for (const [x, y, rx, ry, light] of OVALS[kindOf(prompt)])
    drawOval(figure, left + x * side, top + y * side, rx * side, ry * side, brighten(colour, light))
  return figure
}

function kindOf(prompt: string): keyof typeof OVALS {
  const words = prompt.toLowerCase()
  const found = (Object.keys(KINDS) as (keyof typeof KINDS)[]).map((kind) => ({ kind, at: words.search(KINDS[kind]) }))
  return found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)[0]?.kind ?? 'person'
}

/**
 * The first colour named in `words`. If `words` names none, a bright colour derived from `text` (its FNV-1a hash
 * selects the hue).
 */
export function wordColour(text: string, words: string): Colour {
  const named = /\b[a-z]+\b/g
  for (const [word] of words.matchAll(named)) if (Object.hasOwn(NAMED, word)) return NAMED[word] as Colour
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  const hue = hash % 360
  const channel = (turn: number): number => {
    const distance = Math.abs(((((hue + turn) % 360) + 360) % 360) - 180)
    return Math.round(70 + 170 * Math.min(1, Math.max(0, (distance - 60) / 60)))
  }
  return [channel(0), channel(240), channel(120)]
}

function brighten(colour: Colour, light: number): Colour {
  const [red, green, blue] = colour.map((value) => Math.min(255, Math.round(value * light))) as [number, number, number]
  return [red, green, blue]
}

/** Draws a filled oval with a darker rim. */
function drawOval(target: Bitmap, x: number, y: number, rx: number, ry: number, colour: Colour): void {
  const rim = brighten(colour, 0.5)
  const [from, to] = [Math.max(0, Math.floor(y - ry)), Math.min(target.height, Math.ceil(y + ry))]
  for (let row = from; row < to; row++)
    for (let column = Math.max(0, Math.floor(x - rx)); column < Math.min(target.width, Math.ceil(x + rx)); column++) {
      const distance = Math.hypot((column + 0.5 - x) / rx, (row + 0.5 - y) / ry)
      if (distance <= 1) target.data.set([...(distance > 0.84 ? rim : colour), 255], (row * target.width + column) * 4)
    }
}
