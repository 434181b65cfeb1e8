import type { Bitmap } from '../../../atlas/index.ts'
import { render } from '../svg/render.ts'
import { takeAccessories, toRows } from './accessories.ts'
import { chosenColours, coloursIn, lightOf, type Rgb, shadeOf, toHex, wordsIn } from './colours.ts'
import { type Subject, toSvg } from './drawing.ts'
import { subjects } from './subjects.ts'

/** Side of a painted picture, pixels. */
const SIDE = 512

const monster = subjectIn('monster')!

/** Every word that has a drawing. */
export const paintedWords: readonly string[] = subjects.flatMap(({ names }) => names)

/**
 * Paints the figure that a prompt names, flat and with dark outlines. A prompt that names none gets a monster
 * of its own.
 *
 * The first colour is that of the subject, the second one that of its details. `hat`, `crown` and `plume` take
 * the colour before them. The background is clear unless the prompt names one ("on a blue background"). The
 * same prompt gives the same pixels.
 *
 * @returns 512 × 512 pixels.
 */
export async function paint(prompt: string): Promise<Bitmap> {
  const [phrase = '', groundName = ''] = /\b([a-z]+)\s+background\b/i.exec(prompt) ?? []
  const ground = coloursIn(groundName)[0]
  const { accessories, rest } = takeAccessories(ground === undefined ? prompt : prompt.replace(phrase, ' '))
  const known = subjectIn(rest)
  const subject = known ?? monster
  const chosen = chosenColours(prompt)
  const [main, second] = coloursIn(rest)
  const palette = {
    main: main ?? (known === undefined ? chosen.main : subject.main),
    second: second ?? (known === undefined ? chosen.second : subject.second),
    skin: chosen.skin,
  }
  // A hat needs room above the head.
  const scale = (SIDE / 256) * (accessories.length > 0 ? 0.78 : 0.94)
  const place = `translate(${SIDE / 2 - 128 * scale} ${SIDE * 0.97 - 248 * scale}) scale(${scale})`
  const drawn = toSvg(`${subject.rows}\n${toRows(accessories, subject.head)}`, palette)
  return render(`${ground === undefined ? '' : toGround(ground)}<g transform="${place}">${drawn}</g>`, SIDE, SIDE)
}

/** The first subject that a text names, in singular or plural. */
function subjectIn(text: string): Subject | undefined {
  const named = wordsIn(text).map((word) => subjects.find(({ names }) => names.includes(word) || names.includes(word.replace(/s$/, ''))))
  return named.find((subject) => subject !== undefined)
}

function toGround(colour: Rgb): string {
  const stops = `<stop stop-color="${toHex(lightOf(colour, 0.1))}"/><stop offset="1" stop-color="${toHex(shadeOf(colour, 0.1))}"/>`
  return `<linearGradient id="ground" x2="0" y2="1">${stops}</linearGradient><rect width="100%" height="100%" fill="url(#ground)"/>`
}
