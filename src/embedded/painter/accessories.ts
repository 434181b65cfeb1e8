import type { Rgb } from './canvas.ts'
import { colourOf } from './colours.ts'
import { drawCrown, drawPointedHat } from './figures.ts'
import { drawShield, drawSword } from './items.ts'
import { box, ellipse } from './path.ts'
import type { Pen } from './pen.ts'

/** Something worn or held that a prompt names. */
export interface Accessory {
  readonly word: 'hat' | 'tophat' | 'crown' | 'plume' | 'halo' | 'shield' | 'sword' | 'glow'
  /** The colour that stands right before it, if one does. */
  readonly colour: Rgb | undefined
}

const words: Readonly<Record<string, Accessory['word']>> = {
  hat: 'hat',
  cap: 'hat',
  tophat: 'tophat',
  crown: 'crown',
  plume: 'plume',
  feather: 'plume',
  halo: 'halo',
  shield: 'shield',
  sword: 'sword',
  glow: 'glow',
  glowing: 'glow',
  aura: 'glow',
}

/** Accessories in a prompt, and the prompt without them and their colours: "a blue knight with a red hat" leaves "a blue knight with a". */
export function takeAccessories(prompt: string): { readonly accessories: readonly Accessory[]; readonly rest: string } {
  const found: Accessory[] = []
  const left: string[] = []
  for (const word of prompt.toLowerCase().match(/[a-z]+/g) ?? []) {
    const accessory = Object.hasOwn(words, word) ? words[word] : undefined
    if (accessory === undefined) {
      left.push(word)
      continue
    }
    const colour = colourOf(left.at(-1) ?? '')
    if (colour !== undefined) left.pop()
    if (!found.some((other) => other.word === accessory)) found.push({ word: accessory, colour })
  }
  return { accessories: found, rest: left.join(' ') }
}

/** Where a figure wears and holds things, units. */
export interface Wearer {
  /** Top of the head, and its width; null for what wears nothing. */
  readonly head: { readonly x: number; readonly y: number; readonly width: number } | null
  /** Where something is held on the left and on the right, and how large a sword is there, 1 for one of 150 units. */
  readonly left: { readonly x: number; readonly y: number }
  readonly right: { readonly x: number; readonly y: number }
  readonly size: number
}

/** Draws what is worn and held, but for a glow, which lies behind. */
export function drawAccessories(pen: Pen, accessories: readonly Accessory[], { head, left, right, size }: Wearer): void {
  for (const { word, colour } of accessories) {
    if (word === 'shield') drawShield(pen.at(left.x, left.y, size * 0.8), colour ?? [66, 124, 232], [255, 194, 51])
    if (word === 'sword') drawSword(pen.at(right.x, right.y, size * 0.8, 0.3), colour ?? [223, 232, 251], [255, 194, 51])
    if (head === null) continue
    const on = pen.at(head.x, head.y, head.width / 110)
    if (word === 'hat') drawPointedHat(on, colour ?? [112, 84, 206], [255, 194, 51])
    if (word === 'tophat') drawTopHat(on, colour ?? [72, 66, 96])
    if (word === 'crown') drawCrown(on, colour ?? [255, 194, 51], [226, 58, 90])
    if (word === 'plume') drawPlume(on, colour ?? [232, 64, 79])
    if (word === 'halo') drawHalo(on, colour ?? [255, 224, 110])
  }
}

function drawTopHat(pen: Pen, colour: Rgb): void {
  pen.part(box(-38, -70, 76, 76, 8), colour, { shade: 8, light: 5 })
  pen.part(box(-38, -18, 76, 16), [226, 62, 70], { shade: 3, light: 0, outline: 4 })
  pen.part(box(-62, -4, 124, 18, 8), colour, { shade: 5, light: 3 })
}

function drawPlume(pen: Pen, colour: Rgb): void {
  pen.part('M8 10C2 -40 -44 -70 -86 -34C-66 -40 -50 -32 -42 -22C-64 -18 -76 -2 -76 16C-52 2 -24 0 -4 14Z', colour, { shade: 8, light: 5 })
}

function drawHalo(pen: Pen, colour: Rgb): void {
  pen.line(ellipse(0, -26, 46, 13), [42, 30, 59], 17)
  pen.line(ellipse(0, -26, 46, 13), colour, 7)
}
