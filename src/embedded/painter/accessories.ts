import { coloursIn, toHex } from './colours.ts'
import { type Piece, pieces } from './pieces.ts'

/** Something worn or held that a prompt names, in the colour right before it (`#rrggbb`) or its own. */
export type Accessory = Pick<Piece, 'name' | 'place' | 'colour'>

/** Accessories in a prompt, and the prompt without them: "a blue knight with a red hat" leaves "a blue knight with a". */
export function takeAccessories(prompt: string): { readonly accessories: readonly Accessory[]; readonly rest: string } {
  const accessories: Accessory[] = []
  const left: string[] = []
  for (const word of prompt.toLowerCase().match(/[a-z]+/g) ?? []) {
    const piece = pieces.find(({ place, words }) => place !== undefined && words.includes(word))
    if (piece === undefined) {
      left.push(word)
      continue
    }
    const colour = coloursIn(left.at(-1) ?? '')[0]
    if (colour !== undefined) left.pop()
    const isNew = !accessories.some(({ name }) => name === piece.name)
    if (isNew) accessories.push({ ...piece, colour: colour === undefined ? piece.colour : toHex(colour) })
  }
  return { accessories, rest: left.join(' ') }
}

/**
 * Rows of what is worn and held. A glow has none: it lies behind.
 *
 * @param places Where a figure wears and holds things, `X Y SCALE` each. Without a head it wears nothing.
 */
export function toRows(accessories: readonly Accessory[], places: Readonly<Record<string, string | undefined>>): string {
  return accessories
    .filter(({ place }) => places[place!] !== undefined)
    .map(({ name, colour, place }) => `use ${name} ${colour} ${places[place!]}`)
    .join('\n')
}
