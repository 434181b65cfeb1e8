import { coloursIn, toHex, wordsIn } from './colours.ts'
import { pieces } from './pieces.ts'

/** Something that a head wears, in the colour that the prompt names right before it (`#rrggbb`), or in its own. */
type Accessory = Readonly<Record<'name' | 'colour', string>>

/** Splits a prompt: "a blue knight with a red hat" has a red hat, and leaves "a blue knight with a". */
export function takeAccessories(prompt: string): { readonly accessories: readonly Accessory[]; readonly rest: string } {
  const accessories: Accessory[] = []
  const left: string[] = []
  for (const word of wordsIn(prompt)) {
    const piece = pieces.find(({ colour, words }) => colour !== undefined && words.includes(word))
    if (piece === undefined) {
      left.push(word)
      continue
    }
    const colour = coloursIn(left.at(-1) ?? '')[0]
    if (colour !== undefined) left.pop()
    const isNew = !accessories.some(({ name }) => name === piece.name)
    if (isNew) accessories.push({ name: piece.name, colour: colour === undefined ? piece.colour! : toHex(colour) })
  }
  return { accessories, rest: left.join(' ') }
}

/**
 * Rows of what a head wears.
 *
 * @param place `X Y SCALE` of the head.
 */
export function toRows(accessories: readonly Accessory[], place: string): string {
  return accessories.map(({ name, colour }) => `use ${name} ${colour} ${place}`).join('\n')
}
