import { createHash } from 'node:crypto'
import type { Bitmap } from '../../../atlas/index.ts'
import { drawAccessories, takeAccessories } from './accessories.ts'
import { canvasFrom, type Rgb } from './canvas.ts'
import { coloursIn, lightOf, pleasantColour, shadeOf } from './colours.ts'
import { creatures } from './creatures.ts'
import { figures } from './figures.ts'
import { addGlow } from './glow.ts'
import { items } from './items.ts'
import { drawMonster } from './monster.ts'
import { createPen } from './pen.ts'
import { scenery } from './scenery.ts'
import type { Look, Subject } from './subject.ts'

/** Side of a painted picture, pixels. */
const SIDE = 512

const monster: Subject = {
  names: ['monster'],
  main: [120, 110, 220],
  second: [255, 200, 80],
  draw: drawMonster,
  head: { x: 128, y: 62, width: 84 },
}

const subjects: readonly Subject[] = [...figures, ...creatures, ...items, ...scenery, monster]

/** Every word that the painter knows a drawing for. */
export const paintedWords: readonly string[] = subjects.flatMap(({ names }) => names)

/**
 * Paints what a prompt names, flat and with dark outlines: a figure, an animal, an item or a part of a scene; a monster of the prompt's own where it names none of them.
 *
 * The first colour is the subject's, the second one that of its details. `hat`, `crown`, `plume`, `halo`, `shield`, `sword` and `glow` are worn and held, in the colour
 * before them. The ground is clear, and flat with "background" and a colour before it ("on a blue background"). The same prompt gives the same pixels.
 *
 * @returns 512 × 512 pixels.
 */
export function paint(prompt: string): Bitmap {
  const { ground, rest: wanted } = takeGround(prompt)
  const chance = chanceOf(prompt)
  const bare = takeAccessories(wanted)
  // A sword alone is the subject; one beside a knight is held.
  const subject = subjectIn(bare.rest) ?? subjectIn(wanted)
  const isHeld = subject === subjectIn(bare.rest)
  const { accessories, rest } = isHeld ? bare : { accessories: [], rest: wanted }
  const { draw, head, main, second } = subject ?? monster
  const colours = coloursIn(rest)
  const look: Look = {
    main: colours[0] ?? (subject === undefined ? pleasantColour(chance()) : main),
    second: colours[1] ?? (subject === undefined ? pleasantColour(chance()) : second),
    words: new Set(wanted.toLowerCase().match(/[a-z]+/g) ?? []),
    chance,
  }
  const picture = canvasFrom(SIDE, SIDE)
  const isHatted = head !== null && accessories.some(({ word }) => word !== 'shield' && word !== 'sword' && word !== 'glow')
  // Room for what stands on the head.
  const scale = (SIDE / 256) * (isHatted ? 0.78 : 0.94)
  const pen = createPen(picture, { x: SIDE / 2 - 128 * scale, y: SIDE * 0.97 - 248 * scale, scale })
  draw(pen, look)
  // A knight draws sword and shield himself, into his own hands.
  const own = figures.some((figure) => figure === subject)
    ? accessories.filter(({ word }) => word !== 'shield' && word !== 'sword')
    : accessories
  drawAccessories(pen, own, { head, left: { x: 52, y: 196 }, right: { x: 212, y: 206 }, size: 0.85 })
  const glow = accessories.find(({ word }) => word === 'glow')
  const lit = glow === undefined ? picture : addGlow(picture, glow.colour ?? lightOf(look.main, 0.3), 30)
  return ground === undefined ? lit : onGround(lit, ground)
}

function subjectIn(text: string): Subject | undefined {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  for (const word of words) {
    const found = subjects.find(({ names }) => names.includes(word) || (word.endsWith('s') && names.includes(word.slice(0, -1))))
    if (found !== undefined) return found
  }
  return undefined
}

/** The background's colour, and the prompt without it. */
function takeGround(prompt: string): { ground: Rgb | undefined; rest: string } {
  const found = /\b([a-z]+)\s+background\b/i.exec(prompt)
  const colour = found === null ? undefined : coloursIn(found[1]!)[0]
  return colour === undefined ? { ground: undefined, rest: prompt } : { ground: colour, rest: prompt.replace(found![0], ' ') }
}

/** Numbers from 0 to 1 that belong to a prompt, one after the other. */
function chanceOf(prompt: string): () => number {
  const seed = createHash('sha256').update(prompt.trim().toLowerCase()).digest()
  let at = 0
  return () => seed.readUInt16BE((at++ * 2) % 30) / 65_536
}

function onGround(figure: Bitmap, colour: Rgb): Bitmap {
  const ground = canvasFrom(figure.width, figure.height)
  const [top, bottom] = [lightOf(colour, 0.1), shadeOf(colour, 0.1)]
  for (let at = 0; at < ground.data.length; at += 4) {
    const share = at / ground.data.length
    const alpha = figure.data[at + 3]! / 255
    for (let channel = 0; channel < 3; channel++) {
      const under = top[channel]! + (bottom[channel]! - top[channel]!) * share
      ground.data[at + channel] = Math.round(figure.data[at + channel]! * alpha + under * (1 - alpha))
    }
    ground.data[at + 3] = 255
  }
  return ground
}
