import { readFileSync } from 'node:fs'
import { type Bitmap, decodePng, resize } from '../../atlas/index.ts'
import { animate } from '../../src/embedded/artist/artist.ts'
import { paint } from '../../src/embedded/painter/painter.ts'

/** A clean animation. */
export interface Drawn {
  readonly name: string
  readonly motion: string
  readonly frames: readonly Bitmap[]
}

/** Reads a figure of `test/fixtures/figures`, 112 pixels a side; of pixel art 48, and the coin 100. */
export function figureOf(name: string): Bitmap {
  return decodePng(readFileSync(new URL(`../fixtures/figures/${name}.png`, import.meta.url)))
}

const figures = ['cat', 'robot', 'princess', 'ghost', 'skeleton', 'fish']

/** The picture that a prompt names: a stored figure, or what the embedded service's painter draws. */
async function referenceOf(prompt: string): Promise<Bitmap> {
  if (prompt === 'pixel art of a cat') return hardEdged(figureOf('pixel-cat'))
  if (prompt.startsWith('pixel art')) return hardEdged(await resize(await paint(prompt), 48, 48, 'nearest'))
  const name = figures.find((figure) => prompt === `a ${figure}`)
  return name === undefined ? resize(await paint(prompt), 112, 112, 'lanczos') : figureOf(name)
}

/** Prompts that the embedded service's artist animates here. */
export const prompts: readonly string[] = [
  'a knight with a red plume and a sword',
  'a green dragon',
  'a wizard with a blue hat',
  'a cat',
  'a robot',
  'a princess',
  'a ghost',
  'a pink slime',
  'pixel art of a knight with a sword',
  'pixel art of a cat',
]

/** Motions and their numbers of frames. */
export const motions: readonly (readonly [motion: string, frames: number])[] = [
  ['walk', 8],
  ['walk', 16],
  ['idle', 12],
  ['jump', 10],
  ['attack', 9],
  ['run', 7],
]

/** Draws each motion for each prompt, on canvases of about 150 pixels a side. */
export async function drawAll(words: readonly string[] = prompts, acts = motions): Promise<Drawn[]> {
  const drawn: Drawn[] = []
  for (const prompt of words) {
    const reference = await referenceOf(prompt)
    for (const [motion, frames] of acts)
      drawn.push({
        name: `${prompt}, ${motion} ${frames}`,
        motion,
        frames: await animate({ reference, prompt: `${prompt}\n${motion}`, frames, background: 'remove' }),
      })
  }
  return drawn
}

/** Makes half-transparent pixels opaque or clear. */
function hardEdged(picture: Bitmap): Bitmap {
  for (let at = 3; at < picture.data.length; at += 4) picture.data[at] = picture.data[at]! < 128 ? 0 : 255
  return picture
}

/** A generator of numbers from 0 to below 1, always the same for a seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
