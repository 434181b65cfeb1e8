import { createHash } from 'node:crypto'
import type { Bitmap } from '../../../atlas/index.ts'
import { render, withHalo } from '../svg/render.ts'
import { takeAccessories, toRows } from './accessories.ts'
import { coloursIn, lightOf, parseColour, type Rgb, shadeOf, toHex, wordsIn } from './colours.ts'
import { creatures } from './creatures.ts'
import { type Subject, toSvg } from './drawing.ts'
import { figures } from './figures.ts'
import { items } from './items.ts'

/** Side of a painted picture, pixels. */
const SIDE = 512

const subjects: readonly Subject[] = [...figures, ...creatures, ...items]
const monster = subjectIn('monster')!

/** Every word that has a drawing. */
export const paintedWords: readonly string[] = subjects.flatMap(({ names }) => names)

/** A prompt's hash chooses from these colours. */
const skins = ['#ffdab8', '#f0be92', '#c88e62', '#8e5e42']
const hairs = ['#5c382c', '#eeb246', '#342a3c', '#cc5432']
const bright = ['#e24c52', '#f5943a', '#ffc840', '#58c878', '#34b4b4', '#4e8cf0', '#9262de', '#f07ab0']

/**
 * Paints the figure, animal or item that a prompt names, flat and with dark outlines. A prompt that names
 * none of them gets a monster of its own.
 *
 * The first colour is that of the subject, the second one that of its details. `hat`, `crown`, `plume`,
 * `halo`, `shield`, `sword` and `glow` take the colour before them. The background is clear unless the prompt
 * names one ("on a blue background"). The same prompt gives the same pixels.
 *
 * @returns 512 × 512 pixels.
 */
export async function paint(prompt: string): Promise<Bitmap> {
  const [phrase = '', groundName = ''] = /\b([a-z]+)\s+background\b/i.exec(prompt) ?? []
  const ground = coloursIn(groundName)[0]
  const wanted = ground === undefined ? prompt : prompt.replace(phrase, ' ')
  const bare = takeAccessories(wanted)
  // A sword alone is the subject. A sword beside a knight is an accessory.
  const wearer = subjectIn(bare.rest)
  const known = wearer ?? subjectIn(wanted)
  const { accessories, rest } = wearer === undefined && known !== undefined ? { accessories: [], rest: wanted } : bare
  const subject = known ?? monster
  const seed = createHash('sha256').update(prompt.trim().toLowerCase()).digest()
  const choose = (at: number, from: readonly string[]): Rgb => parseColour(from[seed[at]! % from.length]!)
  const [main, second] = coloursIn(rest)
  const palette = {
    main: main ?? (known === undefined ? choose(0, bright) : subject.main),
    second: second ?? (known === undefined ? choose(1, bright) : subject.second),
    skin: choose(2, skins),
    hair: choose(3, hairs),
  }
  // The last two words choose the parts of a monster.
  const words = new Set([...wordsIn(wanted), `horns${seed[4]! % 2}`, `eyes${seed[5]! % 2}`])
  const isFigure = figures.includes(subject)
  // The first figure, the knight, is drawn with a sword already.
  const worn = accessories.filter(({ name }) => name !== 'sword' || subject !== figures[0])
  const rows = toRows(worn, {
    head: subject.head,
    left: isFigure ? '64 194 0.8' : '52 196 0.68',
    right: isFigure ? '200 204 0.8 17' : '212 206 0.68 17',
  })
  // A hat needs room above the head.
  const isHatted = subject.head !== undefined && worn.some(({ place }) => place === 'head')
  const scale = (SIDE / 256) * (isHatted ? 0.78 : 0.94)
  const place = `translate(${SIDE / 2 - 128 * scale} ${SIDE * 0.97 - 248 * scale}) scale(${scale})`
  const drawn = `<g transform="${place}">${toSvg(`${subject.rows}\n${rows}`, palette, words)}</g>`
  const glow = accessories.find(({ name }) => name === 'glow')
  const lit = glow === undefined ? drawn : withHalo(drawn, glow.colour, 14, 1.7)
  return render((ground === undefined ? '' : toGround(ground)) + lit, SIDE, SIDE)
}

/** The first subject that a text names, in singular or plural. */
function subjectIn(text: string): Subject | undefined {
  const named = (word: string): Subject | undefined => subjects.find(({ names }) => names.includes(word))
  for (const word of wordsIn(text)) {
    const found = named(word) ?? (word.endsWith('s') ? named(word.slice(0, -1)) : undefined)
    if (found !== undefined) return found
  }
  return undefined
}

function toGround(colour: Rgb): string {
  const stops = `<stop stop-color="${toHex(lightOf(colour, 0.1))}"/><stop offset="1" stop-color="${toHex(shadeOf(colour, 0.1))}"/>`
  return `<linearGradient id="ground" x2="0" y2="1">${stops}</linearGradient><rect width="100%" height="100%" fill="url(#ground)"/>`
}
