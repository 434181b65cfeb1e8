import { rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { readOffer } from '../../plugin/panel/server/approval-offer.ts'
import { doubtAbout } from '../../src/project/reference-doubts.ts'
import type { ReferencePicture } from '../../src/sprite-spec/reference.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { figurePng } from '../kit/project.ts'
import { openShelf, type Shelf, spec } from '../plugin/world.ts'

let shelf: Shelf
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(() => shelf.close())

function filled(width: number, height: number, value: number): Uint8Array {
  return encodePng(createBitmap(width, height, new Uint8Array(width * height * 4).fill(value)))
}

test.each([
  ['of 2 × 2 pixels', filled(2, 2, 200), 'has only 2 × 2 pixels'],
  ['that is fully transparent', filled(64, 64, 0), 'is fully transparent'],
  ['of one colour', filled(64, 64, 255), 'has one single colour'],
])('a reference %s is told with its price, and again before it is approved', async (_what, picture, words) => {
  const game = await shelf.game({ 'sprites/figure.png': picture }, false)
  const workshop = await shelf.workshop(game)
  try {
    const told = expect.stringContaining(`The reference of hero ${words}`)
    expect((await workshop.plan(['hero'])).warnings).toContainEqual(told)
    const { lines } = await readOffer(workshop, { ids: ['hero'] })
    expect(lines).toEqual([expect.objectContaining({ id: 'hero.walk', warning: told })])
  } finally {
    await workshop.close()
  }
})

test.each([
  [400, 15],
  [15, 400],
])('a strip of %i × %i pixels is doubted', async (width, height) => {
  const picture = { path: '/game/strip.png', bytes: filled(width, height, 200), width, height } as ReferencePicture
  expect(await doubtAbout(new MemoryDisk(), {} as SpriteSpec, picture, '/game')).toBe(`has only ${width} × ${height} pixels`)
})

test.each([
  ['PNG', figurePng()],
  ['JPEG', await sharp(Buffer.from(figurePng())).jpeg().toBuffer()],
])('a %s that was cut off is an error before a price is asked', async (_what, picture) => {
  const game = await shelf.game({ 'sprites/figure.png': picture.subarray(0, Math.floor(picture.length * 0.7)) }, false)
  const workshop = await shelf.workshop(game)
  try {
    const before = shelf.requests().length
    const refusal = {
      code: 'SW_REFERENCE',
      message: expect.stringMatching(/figure\.png cut off: the file ends too early\. Save or copy it again, as PNG\.$/),
    }
    await expect(workshop.plan(['hero'])).rejects.toMatchObject(refusal)
    await expect(workshop.approve({ names: ['hero'], confirm: async () => true })).rejects.toMatchObject(refusal)
    const asked = shelf.requests().slice(before)
    expect(asked.filter(({ path }) => path.includes('estimate'))).toEqual([])
  } finally {
    await workshop.close()
  }
})

test('an ordinary reference is no matter for a warning', async () => {
  const game = await shelf.game({ 'sprites/figure.png': figurePng() }, false)
  const workshop = await shelf.workshop(game)
  try {
    expect((await workshop.plan()).warnings).toEqual([])
    expect((await readOffer(workshop, { ids: ['hero'] })).lines[0]?.warning).toBeUndefined()
  } finally {
    await workshop.close()
  }
})

test('a reference outside of the project is told before it is approved', async () => {
  const game = await shelf.game({}, false)
  // Beside the game is the folder for temporary files, which other runs use too.
  const outside = `${game.root}-outside.png`
  await game.write('sprites/hero.sprite.json', spec({ reference: `../../${basename(outside)}` }))
  await writeFile(outside, figurePng(7))
  const workshop = await shelf.workshop(game)
  try {
    expect((await workshop.plan(['hero'])).warnings).toEqual([
      `The reference of hero is outside of the project: look at ${outside} before you pay for it.`,
    ])
  } finally {
    await workshop.close()
    await rm(outside)
  }
})
