import { coloursIn, toHex, wordsIn } from './colours.ts'
import { type Piece, pieces } from './pieces.ts'

/** Something worn or held, in the colour that the prompt names right before it (`#rrggbb`), or in its own. */
export type Accessory = Pick<Piece, 'name' | 'place' | 'colour'>

/** Splits a prompt: "a blue knight with a red hat" has a red hat, and leaves "a blue knight with a". */
export function takeAccessories(prompt: string): { readonly accessories: readonly Accessory[]; readonly rest: string } {
  const accessories: Accessory[] = []
  const left: string[] = []
  for (const word of wordsIn(prompt)) {
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
 * Rows of what a figure wears and holds. A glow has no rows: `withHalo` draws it.
 *
 * @param places `X Y SCALE` of each place. A figure without a head wears nothing.
 */
export function toRows(accessories: readonly Accessory[], places: Readonly<Record<string, string | undefined>>): string {
  return accessories
    .filter(({ place }) => places[place!] !== undefined)
    .map(({ name, colour, place }) => `use ${name} ${colour} ${places[place!]}`)
    .join('\n')
}
