import { afterEach, expect, test } from 'vitest'
import { type Bitmap, createBitmap, encodePng, type PlacedFrame, writeAseprite } from '../../atlas/index.ts'
import { toSheetData } from '../../plugin/module.ts'
import { readSheet } from '../../plugin/runtime/shared/sheet.ts'
import { toOutput } from '../../src/sheets/output/output.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { type Game, hostOf, noNet, openGame } from '../plugin/world.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function project(files: Readonly<Record<string, string | Uint8Array>>): Promise<{ game: Game; workshop: Workshop }> {
  const game = await openGame()
  open.push({ close: () => game.remove() })
  for (const [name, content] of Object.entries(files)) await game.write(name, content)
  const workshop = await createWorkshop({ root: game.root, host: hostOf(game, {}, { net: noNet() }) })
  open.push(workshop)
  return { game, workshop }
}

/** A clear picture with a solid rectangle. */
function block(width: number, height: number, [left, top, wide, high]: readonly [number, number, number, number], shade = 9): Bitmap {
  const picture = createBitmap(width, height)
  for (let y = top; y < top + high; y++)
    for (let x = left; x < left + wide; x++) picture.data.set([shade, x % 251, y % 253, 255], (y * width + x) * 4)
  return picture
}

const frames = {
  'hero/walk_0.png': encodePng(block(20, 40, [4, 10, 10, 30])),
  'hero/walk_1.png': encodePng(block(20, 40, [6, 8, 10, 30])),
  'hero/hit/0000.png': encodePng(block(20, 40, [5, 10, 10, 30])),
}

async function placedOf(workshop: Workshop, at = 0): Promise<ReadonlyMap<string, PlacedFrame['boxes']>> {
  const { sheets } = await workshop.build()
  return new Map(sheets.atlases[at]?.frames.map(({ name, boxes }) => [name, boxes]))
}

test.each([
  ['', 1],
  ['"trim": false', 1],
  ['"size": 80, "pixelArt": true', 2],
  ['"scales": [0.5]', 0.5],
  ['"scales": [0.5, 1]', 1],
  ['"size": { "figure": 60 }, "pixelArt": true', 2],
])('boxes of a spec and found ones are at their pixels, cold and from the cache: %s', async (fields, factor) => {
  const { workshop } = await project({
    ...frames,
    'hero.sprite.json': `{ "source": "./hero/", "boxes": { "hurt": { "walk": "find" }, "head": { "walk": { "1": [0.5, 0.25, 0.25, 0.1] } } }${fields && `, ${fields}`} }`,
  })
  const box = (...places: readonly number[]): readonly number[] => places.map((px) => px * factor)
  for (const run of ['cold', 'warm']) {
    const placed = await placedOf(workshop)
    expect(placed.get('hero/walk/0000'), run).toEqual({ hurt: [box(4, 10, 10, 30)] })
    expect(placed.get('hero/walk/0001'), run).toEqual({ head: [box(10, 10, 5, 4)], hurt: [box(6, 8, 10, 30)] })
    expect(placed.get('hero/hit/0000'), run).toBeUndefined()
  }
})

test('every scale has the boxes in its own pixels', async () => {
  const { workshop } = await project({
    ...frames,
    'hero.sprite.json': '{ "source": "./hero/", "boxes": { "body": [0.5, 0.25, 0.5, 0.75] }, "scales": [1, 0.5] }',
  })
  expect((await placedOf(workshop, 0)).get('hero/hit/0000')).toEqual({ body: [[10, 10, 10, 30]] })
  expect((await placedOf(workshop, 1)).get('hero/hit/0000')).toEqual({ body: [[5, 5, 5, 15]] })
})

test('the boxes of a mirror image are mirrored, with pixels of its own and without', async () => {
  const { workshop } = await project({
    ...frames,
    'hero.sprite.json':
      '{ "source": "./hero/", "mirror": { "back": "hit" }, "scales": [1, 0.5], "boxes": { "body": [0.5, 0.25, 0.25, 0.75] } }',
  })
  expect((await placedOf(workshop, 0)).get('hero/back/0000')).toEqual({ body: [[5, 10, 5, 30]] })
  expect((await placedOf(workshop, 1)).get('hero/back/0000')).toEqual({ body: [[2.5, 5, 2.5, 15]] })
  const { atlases, sprites } = (await workshop.build()).sheets
  const built = atlases.map((atlas) => ({
    ...atlas,
    frames: atlas.frames.filter(({ name }) => !name.startsWith('hero/back/')),
    animations: atlas.animations.filter(({ name }) => name !== 'hero/back'),
    mirrors: { 'hero/back': 'hero/hit' },
  }))
  const [hero] = readSheet(toSheetData(built, sprites, () => 'page.png'))
  expect(hero?.atlases.map(({ boxes }) => boxes?.['hero/back/0000'])).toEqual([{ body: [[5, 10, 5, 30]] }, { body: [[2.5, 5, 2.5, 15]] }])
})

test('a changed box changes boxes and no page', async () => {
  const { game, workshop } = await project({ ...frames, 'hero.sprite.json': '{ "source": "./hero/" }' })
  const before = (await workshop.build()).sheets.atlases
  await game.write('hero.sprite.json', '{ "source": "./hero/", "boxes": { "body": "find" } }')
  const after = (await workshop.build()).sheets.atlases
  expect(after.flatMap(({ pages }) => pages.map(({ sha256 }) => sha256))).toEqual(
    before.flatMap(({ pages }) => pages.map(({ sha256 }) => sha256)),
  )
  expect(after[0]?.frames.map(({ boxes: _, ...frame }) => frame)).toEqual(before[0]?.frames)
  expect(after[0]?.frames.every(({ boxes }) => boxes?.body?.length === 1)).toBe(true)
})

test('boxes stay on the figure if "stabilize" enlarges the frames', async () => {
  const slipped = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [`hero/walk_${at}.png`, encodePng(block(64, 64, [20, at === 3 ? 22 : 14, 20, 42], at))]),
  )
  const spec = (stabilize: boolean): string =>
    `{ "source": "./hero/", "stabilize": ${stabilize}, "boxes": { "hurt": "find", "mark": [0.3125, 0.21875, 0.3125, 0.65625] } }`
  const { workshop } = await project({ ...slipped, 'hero.sprite.json': spec(true) })
  const placed = await placedOf(workshop)
  for (const [name, boxes] of placed) if (name !== 'hero/walk/0003') expect(boxes?.mark, name).toEqual(boxes?.hurt)
})

test('slices of an Aseprite file are boxes with a place by frame, and a rule of the spec overrides them', async () => {
  const frame = { bitmap: block(10, 20, [2, 2, 6, 18]), durationMs: 100 }
  const aseprite = writeAseprite({
    width: 10,
    height: 20,
    frames: [frame, frame, frame, frame],
    tags: [
      { name: 'idle', from: 0, to: 0, direction: 'forward', repeat: 0 },
      { name: 'attack', from: 1, to: 3, direction: 'forward', repeat: 0 },
    ],
    slices: [
      { name: 'body', keys: [{ frame: 0, x: 2, y: 2, width: 6, height: 18 }] },
      {
        name: 'Slice 1',
        keys: [
          { frame: 2, x: 8, y: 4, width: 6, height: 5 },
          { frame: 3, x: 0, y: 0, width: 0, height: 0 },
        ],
      },
      { name: 'origin', keys: [{ frame: 0, x: 0, y: 0, width: 10, height: 20, pivot: { x: 5, y: 20 } }] },
    ],
  })
  const { workshop } = await project({
    'hero.aseprite': aseprite,
    'hero.sprite.json': '{ "source": "./hero.aseprite", "boxes": { "body": { "attack": { "1": [] } } } }',
  })
  const body = [[2, 2, 6, 18]]
  expect(Object.fromEntries(await placedOf(workshop))).toEqual({
    'hero/idle/0000': { body },
    'hero/attack/0000': { body },
    'hero/attack/0001': { 'Slice-1': [[8, 4, 2, 5]] },
    'hero/attack/0002': { body },
  })
})

test('a box of an animation that the source does not have is an error that names the field', async () => {
  const { workshop } = await project({ ...frames, 'hero.sprite.json': '{ "source": "./hero/", "boxes": { "body": { "wlak": "find" } } }' })
  await expect(workshop.build()).rejects.toMatchObject({
    code: 'SW_SOURCE',
    message: expect.stringContaining('did you mean "walk"?), found "wlak". Correct "boxes.body.wlak"'),
  })
})

test('the formats write boxes, and "boxes" writes them without pictures', async () => {
  const { workshop } = await project({
    ...frames,
    'hero.sprite.json': '{ "source": "./hero/", "anchor": [0.5, 1], "scales": [1, 0.5], "boxes": { "body": [0.5, 0.25, 0.5, 0.75] } }',
  })
  const { sheets } = await workshop.build()
  const output = await toOutput(sheets, ['phaser', 'pixi'], ['boxes', 'frames', 'aseprite', 'texturepacker'])
  const textOf = (name: string): string => new TextDecoder().decode(output.find(({ file }) => file === name)?.bytes)
  for (const name of ['sprites.json', 'sprites-0.json', 'frames/frames.json', 'aseprite/sprites-0.json', 'texturepacker/sprites-0.json'])
    expect(textOf(name).replaceAll(/\s/g, ''), name).toContain('"boxes":{"body":[[10,10,10,30]]}')
  expect(output.flatMap(({ file }) => (file.startsWith('boxes/') ? [file] : []))).toEqual(['boxes/boxes.json', 'boxes/boxes@0.5x.json'])
  const { scale, frames: all } = JSON.parse(textOf('boxes/boxes@0.5x.json')) as { scale: number; frames: Readonly<Record<string, unknown>> }
  expect(scale).toBe(0.5)
  expect(all['hero/hit/0000']).toEqual({ width: 10, height: 20, anchor: { x: 0.5, y: 1 }, boxes: { body: [[5, 5, 5, 15]] } })
})
