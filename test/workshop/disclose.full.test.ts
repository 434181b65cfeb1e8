import { createHash } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodePng, encodePng } from '../../atlas/index.ts'
import { approveAll, world } from '../money/world.ts'
import { built, unexplainedIn } from './disclosed-project.ts'

test('a group that was changed in the build cache is found: pages are made from the results alone', async () => {
  const { open, folder, project, workshop } = await built()
  const cache = join(project.root, 'node_modules/.cache/spritewright')
  for (const name of (await readdir(cache)).filter((file) => file.endsWith('.bin'))) {
    const content = (await readFile(join(cache, name))).subarray(32)
    // Pages are packed again from the frames, whose last pixel changes.
    if (content.includes('\x89PNG', 'latin1')) await rm(join(cache, name))
    else if (content.length > 500) {
      content.set([1, 2, 3, 255], content.length - 4)
      await writeFile(join(cache, name), [createHash('sha256').update(content).digest(), content])
    }
  }
  const next = await workshop()
  await next.write((await next.build()).sheets, folder)
  expect(unexplainedIn(await open.disclose(folder)).toSorted()).toEqual([
    'hero.red/idle/0006',
    'hero.red/walk-left/0004',
    'hero.red/walk/0004',
    'hero/idle/0006',
    'hero/walk-left/0004',
    'hero/walk/0004',
  ])
})

test('an earlier purchase that is still shown, and the steps of a chain, are named with their own prompts', async () => {
  const steps = [{ text: 'a knight' }, { edit: 'a red plume' }]
  const spec = { reference: { steps }, prompt: 'a knight', animations: { walk: { frames: 7 } } }
  const { workshop, project } = await world({}, JSON.stringify(spec))
  const first = await workshop()
  await approveAll(first)
  await first.build()
  await project.write('sprites/hero.sprite.json', JSON.stringify({ ...spec, prompt: 'a wizard' }))
  const [walk] = (await (await workshop({ build: { unbought: 'placeholder' } })).disclose()).animations
  expect(walk!.purchase!.asked.prompt).toBe('a knight\nwalk')
  expect(walk!.madeFrom!.map(({ asked }) => [asked.operation, asked.prompt])).toEqual([
    ['text_to_image', 'a knight'],
    ['image_to_image', 'a red plume'],
  ])
  expect(walk!.frames).toHaveLength(7)
})

test('a lossy page and pictures of further formats are compared, and a picture that is gone is named', async () => {
  const { workshop, folder, project } = await built()
  const options = { atlas: { format: 'webp', quality: 60 }, formats: ['frames', 'strip'] } as const
  const lossy = await workshop(options)
  await project.remove('out')
  await lossy.write((await lossy.build()).sheets, folder)
  expect((await lossy.disclose(folder)).unexplained).toEqual([])
  const single = join(folder, 'frames/hero/walk/0000.png')
  const frame = decodePng(await readFile(single))
  frame.data.set([9, 9, 9, 255], 0)
  await writeFile(single, encodePng(frame))
  await rm(join(folder, 'sprites-0.webp'))
  expect(unexplainedIn(await lossy.disclose(folder)).toSorted()).toEqual(['frames/hero/walk/0000.png', 'sprites-0.webp'])
})
