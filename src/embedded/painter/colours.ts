import type { Rgb } from './canvas.ts'

/** Colours that a prompt can name. */
const words: Readonly<Record<string, Rgb>> = {
  red: [226, 62, 70],
  crimson: [190, 32, 62],
  scarlet: [232, 60, 44],
  orange: [245, 138, 44],
  golden: [255, 194, 51],
  gold: [255, 194, 51],
  yellow: [255, 216, 76],
  green: [72, 196, 116],
  emerald: [36, 170, 110],
  lime: [160, 220, 70],
  teal: [42, 168, 168],
  turquoise: [56, 202, 200],
  cyan: [80, 208, 236],
  blue: [66, 124, 232],
  azure: [78, 164, 246],
  navy: [44, 66, 140],
  purple: [142, 84, 214],
  violet: [150, 96, 228],
  magenta: [214, 70, 178],
  pink: [255, 140, 184],
  brown: [150, 94, 62],
  wooden: [164, 104, 66],
  bronze: [200, 130, 70],
  copper: [208, 120, 80],
  white: [240, 244, 255],
  silver: [196, 208, 232],
  iron: [140, 150, 172],
  gray: [150, 158, 180],
  grey: [150, 158, 180],
  black: [72, 66, 96],
  dark: [84, 74, 120],
  ice: [158, 220, 250],
  icy: [158, 220, 250],
  fire: [248, 116, 44],
  fiery: [248, 116, 44],
  poison: [130, 200, 60],
  ruby: [224, 44, 92],
  sapphire: [54, 104, 224],
  amethyst: [160, 98, 220],
}

/** Pleasant colours for what a prompt leaves open. */
const pleasant: readonly Rgb[] = [
  [226, 76, 82],
  [245, 148, 58],
  [255, 200, 64],
  [88, 200, 120],
  [52, 180, 180],
  [78, 140, 240],
  [146, 98, 222],
  [240, 122, 176],
]

/** The dark colour of every outline. */
export const ink: Rgb = [42, 30, 59]

/** Colours that a text names, in its order, each once. */
export function coloursIn(text: string): Rgb[] {
  const found = text.toLowerCase().match(/[a-z]+/g) ?? []
  return [...new Set(found.flatMap((word) => (Object.hasOwn(words, word) ? [words[word]!] : [])))]
}

/** The colour of a single word, if it is one. */
export function colourOf(word: string): Rgb | undefined {
  return Object.hasOwn(words, word.toLowerCase()) ? words[word.toLowerCase()] : undefined
}

/** One of the pleasant colours, by a number from 0 to 1. */
export function pleasantColour(at: number): Rgb {
  return pleasant[Math.floor(at * pleasant.length) % pleasant.length]!
}

/** A colour on its way to another one. */
export function mix([r, g, b]: Rgb, [toR, toG, toB]: Rgb, share: number): Rgb {
  return [r + (toR - r) * share, g + (toG - g) * share, b + (toB - b) * share]
}

/** Its shade: darker and towards violet, as flat art is shaded. */
export function shadeOf(colour: Rgb, strength: number = 0.32): Rgb {
  return mix(colour, [58, 30, 110], strength)
}

/** Its light: lighter and a little warmer. */
export function lightOf(colour: Rgb, strength: number = 0.42): Rgb {
  return mix(colour, [255, 250, 235], strength)
}
