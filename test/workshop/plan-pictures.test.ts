import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodePng } from '../../atlas/index.ts'
import { expectCount } from '../kit/expect-count.ts'
import { heroSpec } from '../kit/project.ts'
import { approveAll, world } from '../money/world.ts'

test('of a changed animation: the frames that are played today, and the picture that the new ones are made from', async () => {
  const { workshop, project, service } = await world({}, heroSpec(['walk', 'idle']))
  const first = await workshop()
  await approveAll(first)
  const { sheets } = await first.build()
  expect(await first.planPictures()).toEqual([])
  const asked = service.requests().length

  const spec = JSON.parse(heroSpec(['walk', 'idle'])) as { animations: { walk: object } }
  spec.animations.walk = { ...spec.animations.walk, prompt: 'limps' }
  await project.write('sprites/hero.sprite.json', JSON.stringify(spec))
  const changed = await workshop()
  const [walk, ...others] = await changed.planPictures()
  expect([walk?.id, others]).toEqual(['hero.walk', []])
  expect(walk?.reference).toEqual({
    file: 'hero.walk.reference.png',
    bytes: new Uint8Array(await readFile(join(project.root, 'sprites/hero.png'))),
  })
  const sheet = decodePng(walk!.before!.bytes)
  const frames = sheets.atlases[0]!.animations.find(({ name }) => name.endsWith('walk'))!.frames.length
  const columns = Math.ceil(Math.sqrt(frames))
  // Cells of one size, with a border of four pixels around each.
  expect([(sheet.width - 4) % columns, (sheet.height - 4) % Math.ceil(frames / columns)]).toEqual([0, 0])
  expectCount(service.requests(), asked)
})

test('of a new animation there is only the picture that it is made from', async () => {
  const { workshop } = await world({}, heroSpec(['walk']))
  const [walk] = await (await workshop()).planPictures()
  expect(walk).toEqual({ id: 'hero.walk', reference: { file: 'hero.walk.reference.png', bytes: expect.any(Uint8Array) } })
})
