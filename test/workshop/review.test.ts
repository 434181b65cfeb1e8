import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bitmap, createBitmap, decodePng, readArchive, readDelivery } from '../../atlas/index.ts'
import { packDelivery } from '../../src/embedded/images/delivery.ts'
import type { Makers } from '../../src/embedded/options/options.ts'
import type { ReviewReport } from '../../src/workshop.ts'
import { createWorld } from '../cli/world.ts'
import { expectCount } from '../kit/expect-count.ts'
import { heroSpec } from '../kit/project.ts'
import { rememberedMakers } from '../kit/remembered-makers.ts'
import { approveAll, world } from '../money/world.ts'

/**
 * The real drawings of `walk`, except that frame 2 is blank and frame 5 slipped. The service reports that it
 * moved frame 5.
 */
const spoiling: Makers = {
  ...rememberedMakers,
  sheet: async (request, prompt, tools) => {
    const made = await rememberedMakers.sheet(request, prompt, tools)
    if (!prompt.endsWith('walk') || 'reason' in made) return made
    const frames = [...readDelivery(readArchive(made.bytes)).frames]
    frames[2] = createBitmap(frames[2]!.width, frames[2]!.height)
    frames[5] = slipped(frames[5]!, 9)
    const { zip } = await packDelivery(frames, tools.names)
    return { ...made, bytes: zip, review: { ...made.review!, sourceShiftedFrames: [5] } }
  },
}

function slipped(frame: Bitmap, by: number): Bitmap {
  const moved = createBitmap(frame.width, frame.height)
  for (let y = 0; y < frame.height; y++)
    moved.data.set(frame.data.subarray(y * frame.width * 4, ((y + 1) * frame.width - by) * 4), (y * frame.width + by) * 4)
  return moved
}

test('what is wrong with bought frames is told by the build, by status and by a picture, without the service', async () => {
  const { workshop, project, service } = await world({ makers: spoiling }, heroSpec(['walk', 'idle', 'jump']))
  const open = await workshop()
  await open.approve({ names: ['hero.walk', 'hero.idle'], confirm: async () => true })
  const { sheets } = await open.build({ names: ['hero.walk', 'hero.idle'] })
  const [idle, walk] = sheets.quality!
  expect([idle!.id, walk!.id]).toEqual(['hero.idle', 'hero.walk'])
  expect(idle!.flags).toEqual([])
  const told = walk!.flags.map(({ fault, from, frames }) => ({ fault, from, frames }))
  expect(told).toContainEqual({ fault: 'blank', from: 'frames', frames: [2] })
  expect(told).toContainEqual({ fault: 'body-anchor', from: 'frames', frames: [5] })
  expect(told).toContainEqual({ fault: 'shifted', from: 'service', frames: [5] })

  const asked = service.requests().length
  const offline = await workshop()
  expect((await offline.status()).quality).toEqual(sheets.quality)
  const sheet = await offline.review('hero')
  expect(sheet.animations.map(({ id }) => id)).toEqual(['hero.walk', 'hero.idle'])
  expect(sheet.missing).toEqual(['hero.jump'])
  const picture = decodePng(sheet.picture)
  const red = Array.from({ length: picture.data.length / 4 }, (_, at) => picture.data.subarray(4 * at, 4 * at + 3)).filter(
    ([r, g, b]) => r === 230 && g === 40 && b === 40,
  )
  expect(red.length).toBeGreaterThan(500)
  expectCount(service.requests(), asked)
  await expect(offline.review('hero.jump')).rejects.toMatchObject({ code: 'SW_MISSING' })
  await expect(offline.review('herro')).rejects.toMatchObject({ code: 'SW_USAGE' })

  // "use" drops the blank frame, and "stabilize" moves the other one back. Nothing is left to review, and
  // nothing was paid.
  const spec = JSON.parse(heroSpec(['walk'])) as { animations: { walk: object }; stabilize?: boolean }
  spec.animations.walk = { ...spec.animations.walk, use: [0, 1, 3, 4, 5, 6] }
  spec.stabilize = true
  await project.write('sprites/hero.sprite.json', JSON.stringify(spec))
  const mended = await (await workshop()).build({ names: ['hero.walk'], frozen: true })
  expect(mended.sheets.quality!.map(({ flags }) => flags)).toEqual([[]])
  expect(mended.sheets.atlases[0]!.animations[0]!.frames.map(({ name }) => name.slice(-4))).toEqual([
    '0000',
    '0001',
    '0003',
    '0004',
    '0005',
    '0006',
  ])
})

test('what is kept of a build is what a look at the results finds', async () => {
  const { workshop, project } = await world({ makers: spoiling })
  const first = await workshop()
  await approveAll(first)
  const { sheets } = await first.build()
  await project.remove('node_modules')
  expect((await (await workshop()).status()).quality).toEqual(sheets.quality)
})

test('what is not bought, or bought and not here, is no picture: the error names each animation with its state', async () => {
  const { workshop, project } = await world({}, heroSpec(['walk', 'idle']))
  const before = (await workshop()).review('hero')
  await expect(before).rejects.toMatchObject({
    code: 'SW_MISSING',
    facts: { name: 'hero', states: { 'hero.walk': 'missing', 'hero.idle': 'missing' } },
    message: expect.stringContaining('approve hero'),
  })
  const open = await workshop()
  await open.approve({ names: ['hero.walk'], confirm: async () => true })
  await open.build({ names: ['hero.walk'], buyOnly: true })
  await project.remove('.spritewright/results')
  // Free of charge: nothing is approved again.
  await expect((await workshop()).review('hero')).rejects.toMatchObject({
    code: 'SW_MISSING',
    facts: { states: { 'hero.walk': 'lost', 'hero.idle': 'missing' } },
    message: expect.stringContaining('store verify'),
  })
})

const report: ReviewReport = {
  name: 'hero',
  animations: [
    {
      id: 'hero.walk',
      figures: {} as ReviewReport['animations'][number]['figures'],
      flags: [{ fault: 'blank', from: 'frames', frames: [2], value: 1, limit: 1, words: 'nothing to see' }],
    },
  ],
  missing: ['hero.jump'],
  picture: new Uint8Array([1, 2, 3]),
  warnings: [],
}

test('the command writes the picture, prints its path and the frames to look at', async () => {
  const { run, files, out } = createWorld({ workshop: { review: async () => report } })
  expect(await run('review', 'hero')).toBe(0)
  expect(files.get(join('/game', 'node_modules/.cache/spritewright/review/hero.png'))).toEqual(report.picture)
  expect(out()).toContain('node_modules/.cache/spritewright/review/hero.png')
  expect(out()).toMatch(/hero\.walk +blank +2 +nothing to see/)
  expect(out()).toContain('Not bought, and not shown: hero.jump')
})

test('the command takes a place for the picture, and speaks JSON', async () => {
  const { run, files, json } = createWorld({ workshop: { review: async () => report } })
  expect(await run('review', 'hero', '--out', 'walk.png', '--json')).toBe(0)
  expect(files.get(join('/game', 'walk.png'))).toEqual(report.picture)
  expect(json()).toMatchObject({ name: 'hero', file: join('/game', 'walk.png'), animations: [{ id: 'hero.walk' }], missing: ['hero.jump'] })
})

test('the command writes frames to be touched up, and never over a file: somebody may have worked on it', async () => {
  const originals = ['walk/0000.png', 'walk/0001.png'].map((file, at) => ({ file, bytes: new Uint8Array([at]) }))
  const workshop = { review: async () => report, originals: async () => originals }
  const { run, files, out } = createWorld({ workshop, files: { '/game/touch-up/walk/0001.png': 'mine' } })
  expect(await run('review', 'hero', '--frames', 'touch-up')).toBe(0)
  expect(files.get('/game/touch-up/walk/0000.png')).toEqual(new Uint8Array([0]))
  expect(Buffer.from(files.get('/game/touch-up/walk/0001.png') ?? []).toString()).toBe('mine')
  expect(out()).toContain('1 frame as delivered in touch-up; 1 that existed are unchanged')
})

test.each([[[]], [['hero', 'coin']]])('the command wants one name, and found %j', async (names) => {
  const { run, err } = createWorld({ workshop: {} })
  expect(await run('review', ...names)).toBe(2)
  expect(err()).toContain('Expected one name')
})
