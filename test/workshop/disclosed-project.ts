import { join } from 'node:path'
import { createBitmap, decodePng, encodePng } from '../../atlas/index.ts'
import type { Disclosure, Workshop } from '../../src/workshop.ts'
import { heroSpec } from '../kit/project.ts'
import { approveAll, type World, world } from '../money/world.ts'

/** A project with two bought animations, one of them touched up and chosen from, and own art; and its built files. */
export async function built(): Promise<World & { readonly open: Workshop; readonly folder: string }> {
  const made = await world({}, heroSpec(['walk', 'idle']))
  const { project } = made
  const spec = JSON.parse(heroSpec(['walk', 'idle'])) as { animations: { walk: object }; mirror?: object; variants?: object }
  spec.animations.walk = { ...spec.animations.walk, use: [0, 2, 4] }
  spec.mirror = { 'walk-left': 'walk' }
  spec.variants = { red: [{ from: ['#3c5ac8'], to: ['#c83c3c'] }] }
  await project.write('sprites/hero.sprite.json', JSON.stringify(spec))
  await project.write('art/badge.sprite.json', '{ "source": "./badge.png" }')
  await project.write('art/badge.png', encodePng(speckled(9, 4)))
  const first = await made.workshop()
  await approveAll(first)
  await first.build()
  const walk = await first.originals('hero.walk')
  const edited = decodePng(walk[2]!.bytes)
  edited.data.set([255, 0, 0, 255], 4 * (edited.width * 30 + 30))
  await project.write('sprites/hero.frames/walk/0002.png', encodePng(edited))
  const open = await made.workshop()
  const folder = join(project.root, 'out')
  await open.write((await open.build()).sheets, folder)
  return { ...made, open, folder }
}

function speckled(width: number, height: number): ReturnType<typeof createBitmap> {
  const picture = createBitmap(width, height)
  for (let at = 0; at < width * height; at++) picture.data.set([at * 7, at, 9, at % 3 === 0 ? 0 : 255], at * 4)
  return picture
}

/** Names of what has no origin. */
export const unexplainedIn = (found: Disclosure): readonly string[] => found.unexplained.map(({ name }) => name)
