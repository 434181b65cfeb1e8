import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { animatedInfo, type Bitmap, readAnimated } from '../../atlas/index.ts'
import { sha256 } from '../../src/host/sha256.ts'
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
  expect([walk?.change?.file, walk?.change?.shows]).toEqual(['hero.walk.webp', ['before']])
  const frames = sheets.atlases[0]!.animations.find(({ name }) => name.endsWith('walk'))!.frames
  const { durations, loop } = await animatedInfo(walk!.change!.bytes)
  expect([durations, loop]).toEqual([frames.map(() => 83), true])
  expect(new Set((await readAnimated(walk!.change!.bytes)).map(({ data }) => sha256(data))).size).toBe(frames.length)
  expectCount(service.requests(), asked)
})

test('of a new animation there is only the picture that it is made from', async () => {
  const { workshop } = await world({}, heroSpec(['walk']))
  const [walk] = await (await workshop()).planPictures()
  expect(walk).toEqual({ id: 'hero.walk', reference: { file: 'hero.walk.reference.png', bytes: expect.any(Uint8Array) } })
})

test('of a bought change, the WebP plays before, after and both over each other, each frame for its time', async () => {
  const { workshop, project } = await world({}, heroSpec(['walk', 'idle']))
  const first = await workshop()
  await approveAll(first)
  await first.build()
  const spec = JSON.parse(heroSpec(['walk', 'idle'])) as { animations: { walk: object } }
  spec.animations.walk = { frames: 8, prompt: 'limps', durations: [100, 200, 100, 100, 100, 100, 100, 300] }
  await project.write('sprites/hero.sprite.json', JSON.stringify(spec))
  const changed = await workshop()
  await approveAll(changed)
  await changed.build()
  const [walk, ...others] = await changed.planPictures()
  expect(others).toEqual([])
  expect(walk).toEqual({
    id: 'hero.walk',
    change: { file: 'hero.walk.webp', shows: ['before', 'after', 'onion'], bytes: expect.any(Uint8Array) },
  })
  expect((await animatedInfo(walk!.change!.bytes)).durations).toEqual([100, 200, 100, 100, 100, 100, 100, 300])
  const [picture] = await readAnimated(walk!.change!.bytes)
  // Three cells, with a border of four pixels around each.
  expect((picture!.width - 4) % 3).toBe(0)
  const [before, after, onion] = [0, 1, 2].map((cell) => meanOf(picture!, cell))
  expect(onion!.red - onion!.blue).toBeGreaterThan(Math.max(after!.red - after!.blue, before!.red - before!.blue))
  // Equal input, equal bytes.
  expect(await (await workshop()).planPictures()).toEqual([walk])
})

/** Mean colour of one of three cells. */
function meanOf({ width, height, data }: Bitmap, cell: number): { readonly red: number; readonly blue: number } {
  const sum = { red: 0, blue: 0 }
  const side = Math.floor(width / 3)
  for (let y = 0; y < height; y++)
    for (let x = cell * side; x < (cell + 1) * side; x++) {
      sum.red += data[4 * (y * width + x)]! / (side * height)
      sum.blue += data[4 * (y * width + x) + 2]! / (side * height)
    }
  return sum
}
