import { createHash } from 'node:crypto'

/** A colour, channels 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** Colours that a prompt or a drawing can name. */
const named = `ink #2a1e3b red #e23e46 crimson #be203e scarlet #e83c2c orange #f58a2c golden #ffc233 gold #ffc233 yellow #ffd84c
   green #48c474 emerald #24aa6e lime #a0dc46 teal #2aa8a8 turquoise #38cac8 cyan #50d0ec blue #427ce8 azure #4ea4f6
   navy #2c428c purple #8e54d6 violet #9660e4 magenta #d646b2 pink #ff8cb8 brown #965e3e wooden #a46842
   bronze #c88246 copper #d07850 white #f0f4ff silver #c4d0e8 iron #8c96ac gray #969eb4 grey #969eb4 black #484260
   dark #544a78 ice #9edcfa icy #9edcfa fire #f8742c fiery #f8742c poison #82c83c ruby #e02c5c sapphire #3668e0
   amethyst #a062dc`
const colours: ReadonlyMap<string, Rgb> = new Map(
  Array.from(named.matchAll(/([a-z]+) (#\w+)/g), ([, name, hex]) => [name!, parseColour(hex!)]),
)

/** The dark colour of every outline. */
export const ink: Rgb = [42, 30, 59]

/** Parses `#rrggbb`. */
export function parseColour(hex: string): Rgb {
  return [Number.parseInt(hex.slice(1, 3), 16), Number.parseInt(hex.slice(3, 5), 16), Number.parseInt(hex.slice(5, 7), 16)]
}

/** Formats a colour as `#rrggbb`. */
export function toHex(colour: Rgb): string {
  return `#${colour.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`
}

/** Colours that a text names, in its order, each once. */
export function coloursIn(text: string): Rgb[] {
  return [...new Set(wordsIn(text).map((word) => colours.get(word)))].filter((colour) => colour !== undefined)
}

/** Words of a text, in small letters. */
export function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? []
}

const skins = ['#ffdab8', '#f0be92', '#c88e62', '#8e5e42']
const bright = ['#e24c52', '#f5943a', '#ffc840', '#58c878', '#34b4b4', '#4e8cf0', '#9262de', '#f07ab0']

/** Colours that the hash of a prompt chooses if it names none. */
export function chosenColours(prompt: string): { readonly main: Rgb; readonly second: Rgb; readonly skin: Rgb } {
  const seed = createHash('sha256').update(prompt.trim().toLowerCase()).digest()
  const choose = (at: number, from: readonly string[]): Rgb => parseColour(from[seed[at]! % from.length]!)
  return { main: choose(0, bright), second: choose(1, bright), skin: choose(2, skins) }
}

/** The colour in shade: darker and nearer to violet. */
export function shadeOf(colour: Rgb, strength: number = 0.32): Rgb {
  return mix(colour, [58, 30, 110], strength)
}

/** The colour in light: lighter and a little warmer. */
export function lightOf(colour: Rgb, strength: number = 0.42): Rgb {
  return mix(colour, [255, 250, 235], strength)
}

function mix([r, g, b]: Rgb, [toR, toG, toB]: Rgb, share: number): Rgb {
  return [r + (toR - r) * share, g + (toG - g) * share, b + (toB - b) * share]
}
