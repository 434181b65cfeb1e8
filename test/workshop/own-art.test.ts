import { afterEach, expect, test } from 'vitest'
import { type Bitmap, createBitmap, decodePng, encodePng, writeAseprite } from '../../atlas/index.ts'
import { toOutput } from '../../src/sheets/output/output.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { type Game, hostOf, noNet, openGame } from '../plugin/world.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

/** A project with these files and nothing else, without a key and without a network. */
async function project(files: Readonly<Record<string, string | Uint8Array>>): Promise<{ game: Game; workshop: Workshop }> {
  const game = await openGame()
  open.push({ close: () => game.remove() })
  for (const [name, content] of Object.entries(files)) await game.write(name, content)
  const workshop = await createWorkshop({ root: game.root, host: hostOf(game, {}, { net: noNet() }) })
  open.push(workshop)
  return { game, workshop }
}

/** A picture whose pixels all differ. */
function drawn(width: number, height: number, seed: number): Bitmap {
  const picture = createBitmap(width, height)
  for (let at = 0; at < width * height; at++) picture.data.set([seed, at % 251, (at * 7) % 253, 255], at * 4)
  return picture
}

const files = {
  'art/ui.sprite.json': '{ "source": "./ui/", "trim": false }',
  'art/ui/sword.png': encodePng(drawn(5, 7, 1)),
  'art/ui/walk_1.png': encodePng(drawn(6, 6, 2)),
  'art/ui/walk_2.png': encodePng(drawn(6, 6, 3)),
  'art/badge.sprite.yaml': 'source: ./badge.png\nanchor: [0.5, 1]\n',
  'art/badge.png': encodePng(drawn(9, 4, 4)),
  'art/tiles.sprite.json': '{ "source": "./tiles.png", "grid": [4, 4], "animations": { "wave": { "use": [1, 0], "fps": 6 } } }',
  'art/tiles.png': encodePng(drawn(8, 4, 5)),
}

test('a project of own art alone is built pixel by pixel, without a key, a lock file or a store', async () => {
  const { game, workshop } = await project(files)
  const { sheets, bought, warnings } = await workshop.build()
  expect({ bought, warnings }).toEqual({ bought: [], warnings: [] })
  const output = await toOutput(sheets, ['phaser'], ['frames'])
  const pixelsOf = (name: string): Bitmap => decodePng(output.find(({ file }) => file === `frames/${name}.png`)!.bytes)
  expect(pixelsOf('ui/sword')).toEqual(drawn(5, 7, 1))
  expect(pixelsOf('ui/walk/0001')).toEqual(drawn(6, 6, 3))
  expect(pixelsOf('badge')).toEqual(drawn(9, 4, 4))
  expect(output.map(({ file }) => file).filter((file) => file.endsWith('.png') && file.startsWith('frames/'))).toHaveLength(6)
  expect(sheets.sprites.map(({ name, animations, pictures }) => [name, animations, pictures])).toEqual([
    ['badge', [], ['badge']],
    ['tiles', ['wave'], undefined],
    ['ui', ['walk'], ['sword']],
  ])
  expect(sheets.atlases[0]?.animations).toMatchObject([
    { name: 'tiles/wave', fps: 6, frames: [{ name: 'tiles/wave/0001' }, { name: 'tiles/wave/0000' }] },
    { name: 'ui/walk', fps: 12 },
  ])
  expect(sheets.atlases[0]?.frames.find(({ name }) => name === 'badge')).toMatchObject({ isStill: true, anchor: { x: 0.5, y: 1 } })
  expect(sheets.quality).toEqual([])
  expect(await game.list()).toEqual(Object.keys(files).sort())
})

test('every format that has pictures of its own, or nothing but animations, has the pictures too', async () => {
  const { workshop } = await project(files)
  const { sheets } = await workshop.build()
  const output = await toOutput(sheets, ['phaser'], ['strip', 'godot', 'css', 'libgdx', 'texturepacker'])
  const textOf = (file: string): string => new TextDecoder().decode(output.find((one) => one.file === file)?.bytes)
  expect(decodePng(output.find(({ file }) => file === 'strip/ui/sword.png')!.bytes)).toEqual(drawn(5, 7, 1))
  for (const file of ['godot/sprites.tres', 'css/sprites.css', 'libgdx/sprites.atlas', 'texturepacker/sprites-0.json', 'strip/strips.json'])
    for (const name of ['ui/sword', 'badge', 'ui/walk']) expect(textOf(file)).toContain(name)
})

test('a second build comes from the cache, and a changed picture alone is made again', async () => {
  const { game, workshop } = await project(files)
  const pagesOf = async (): Promise<readonly string[]> =>
    (await workshop.build()).sheets.atlases.flatMap(({ pages }) => pages.map((page) => page.sha256))
  const first = await pagesOf()
  expect(await pagesOf()).toEqual(first)
  await game.write('art/ui/sword.png', encodePng(drawn(5, 7, 9)))
  const second = await pagesOf()
  expect(second).not.toEqual(first)
  await game.write('art/ui/sword.png', encodePng(drawn(5, 7, 1)))
  expect(await pagesOf()).toEqual(first)
})

test('plan, status and doctor need no service, and tell own art as such', async () => {
  const { workshop } = await project(files)
  const report = await workshop.plan()
  expect(report).toMatchObject({ items: [], steps: [], total: 0n })
  expect(report.own.map(({ name }) => name)).toEqual(['badge', 'tiles', 'ui'])
  expect((await workshop.plan(['ui'])).own.map(({ name }) => name)).toEqual(['ui'])
  expect((await workshop.status()).own).toHaveLength(3)
  expect((await workshop.doctor()).map(({ check, verdict }) => [check, verdict])).toEqual([
    ['specs', 'good'],
    ['engine', 'warning'],
  ])
  await expect(workshop.plan(['uii'])).rejects.toMatchObject({ message: expect.stringContaining('Did you mean ui?') })
})

test('a game whose sprites are bought and drawn gets both, and asks the price of the bought ones alone', async () => {
  const { workshop } = await project({
    ...files,
    'art/hero.sprite.json': '{ "reference": "./badge.png", "prompt": "a knight", "animations": { "walk": {} } }',
  })
  const report = await workshop.status()
  expect(report.items.map(({ id, state }) => [id, state])).toEqual([['hero.walk', 'missing']])
  const { sheets } = await workshop.preview()
  expect(sheets.sprites.map(({ name, isPlaceholder }) => [name, isPlaceholder])).toEqual([
    ['badge', false],
    ['hero', true],
    ['tiles', false],
    ['ui', false],
  ])
})

test.each<[string, string, RegExp]>([
  [
    'another animation than the source has',
    '{ "source": "./ui/", "animations": { "wlk": {} } }',
    /an animation "wlk", which the spec names, found sword, walk\. Did you mean "walk"\?/,
  ],
  [
    'a frame that is not there',
    '{ "source": "./tiles.png", "grid": [4, 4], "animations": { "a": { "use": [2] } } }',
    /frames 0 to 1 in "use" of "a", found frame 2/,
  ],
  [
    'another number of times',
    '{ "source": "./ui/", "animations": { "walk": { "durations": [5] } } }',
    /2 durations of "walk", one for each frame played, found 1/,
  ],
  [
    'borders of a picture that is not there',
    '{ "source": "./ui/", "borders": { "sward": 2 } }',
    /the name of a picture of this sprite \(did you mean "sword"\?\), found "sward"\. Correct "borders" in the spec\./,
  ],
  ['borders of an animation', '{ "source": "./ui/", "borders": { "walk": 2 } }', /of this sprite \(sword\), found "walk"/],
  [
    'a remark on a picture that is not there',
    '{ "source": "./ui/", "meant": { "sward": ["blank"] } }',
    /did you mean "sword"\?\), found "sward"\. Correct "meant" in the spec\./,
  ],
  ['no source', '{ "source": "./nothing.png" }', /nothing\.png: expected a file or folder, found nothing/],
])('%s is an error of this sprite, with its files, and the others are made', async (_, text, words) => {
  const { game, workshop } = await project({ ...files, 'art/bad.sprite.json': text })
  const { sheets, errors } = await workshop.preview()
  expect(errors).toMatchObject([
    { code: 'SW_SOURCE', message: expect.stringMatching(words), facts: { file: game.path('art/bad.sprite.json') } },
  ])
  expect(sheets.sprites.map(({ name }) => name)).toEqual(['badge', 'tiles', 'ui'])
  await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_SOURCE' })
})

/** A panel of 10 × 8 pixels whose slice leaves borders of 3, 3, 4 and 3 pixels. */
const panel = writeAseprite({
  width: 10,
  height: 8,
  frames: [{ bitmap: drawn(10, 8, 6), durationMs: 100 }],
  tags: [],
  slices: [{ name: 'panel', keys: [{ frame: 0, x: 1, y: 2, width: 8, height: 5, center: { x: 2, y: 1, width: 3, height: 2 } }] }],
})

test.each([
  ['', { left: 3, top: 3, right: 4, bottom: 3 }],
  ['"size": 20', { left: 6, top: 6, right: 8, bottom: 6 }],
  ['"size": { "figure": 30 }', { left: 9, top: 9, right: 12, bottom: 9 }],
  ['"size": 20, "scales": [0.5]', { left: 3, top: 3, right: 4, bottom: 3 }],
  ['"size": 20, "borders": 2', { left: 2, top: 2, right: 2, bottom: 2 }],
])('borders of a slice are scaled with its picture, and those of a spec count after scaling: %s', async (fields, borders) => {
  const { workshop } = await project({
    'panel.sprite.json': `{ "source": "./panel.aseprite"${fields && `, ${fields}`} }`,
    'panel.aseprite': panel,
  })
  for (const run of ['cold', 'warm']) {
    const { sheets } = await workshop.build()
    expect(sheets.atlases[0]?.frames[0]?.borders, run).toEqual(borders)
  }
})

test('borders by picture reach that picture alone, in every format that has borders', async () => {
  const { workshop } = await project({ ...files, 'art/ui.sprite.json': '{ "source": "./ui/", "borders": { "sword": [1, 2, 3, 4] } }' })
  const { sheets } = await workshop.build()
  const bordered = sheets.atlases.flatMap(({ frames }) => frames.flatMap(({ name, borders }) => (borders ? [[name, borders]] : [])))
  expect(bordered).toEqual([['ui/sword', { left: 1, top: 2, right: 3, bottom: 4 }]])
  const output = await toOutput(sheets, ['phaser', 'pixi'], ['texturepacker'])
  const count = (text: string): number => text.match(/"(?:scale9Borders|borders)"/g)?.length ?? 0
  const sliced = output.flatMap(({ file, bytes }) => (file.endsWith('.json') && count(new TextDecoder().decode(bytes)) === 1 ? [file] : []))
  expect(sliced.sort()).toEqual(['sprites-0.json', 'sprites.json', 'texturepacker/sprites-0.json'])
})

test('borders of one picture are those of a file with one picture, by the name of its sprite', async () => {
  const { workshop } = await project({ ...files, 'art/badge.sprite.yaml': 'source: ./badge.png\nborders: { badge: 1 }\n' })
  const { sheets } = await workshop.build()
  expect(sheets.atlases[0]?.frames.find(({ name }) => name === 'badge')?.borders).toEqual({ left: 1, top: 1, right: 1, bottom: 1 })
})

test('borders of a slice and "stabilize" are refused together', async () => {
  const { workshop } = await project({
    'panel.sprite.json': '{ "source": "./panel.aseprite", "stabilize": true }',
    'panel.aseprite': panel,
  })
  await expect(workshop.build()).rejects.toMatchObject({
    code: 'SW_SOURCE',
    message: expect.stringContaining('panel.aseprite: expected "stabilize" false beside the borders of a slice, found true.'),
  })
})

test.each([
  [
    '{ "source": "./ui/", "prompt": "a knight" }',
    '1:22 prompt: expected no such field beside "source", since own art is never bought, found the field "prompt"',
  ],
  ['{ "source": "./ui/", "animations": { "walk": { "frames": 8 } } }', 'expected no such field beside "source"'],
  ['{ "source": "./ui/", "grid": 5 }', 'grid: expected [width, height] of a cell, in pixels, found 5'],
  ['{ "reference": "./a.png", "prompt": "a", "animations": { "b": {} }, "check": true }', 'check: expected no such field without "source"'],
  ['{ "source": "./ui/", "borders": { "a": -1 } }', 'borders.a: expected pixels of all sides, or [left, top, right, bottom]'],
  ['{ "source": "./ui/", "borders": true }', 'or an object of these by name of picture, found true'],
  [
    '{ "reference": "./a.png", "prompt": "a", "animations": { "b": {} }, "borders": { "b": 1 } }',
    'borders.b: expected the name of a picture of this sprite (it has none), found "b"',
  ],
  ['{ "sorce": "./ui/" }', 'sorce: expected'],
  ['{ "source": "/etc/passwd" }', 'source: expected a path relative to the folder of the spec'],
])('a spec that mixes both kinds, or is wrong, is told where: %s', async (text, words) => {
  const { workshop } = await project({ 'art/ui.sprite.json': text, 'art/ui/a.png': files['art/badge.png'] })
  await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_SPEC', message: expect.stringContaining(words) })
})

test('quality is checked only if the spec asks for it', async () => {
  const { game, workshop } = await project(files)
  await game.write('art/ui.sprite.json', '{ "source": "./ui/", "check": true }')
  expect((await workshop.preview()).sheets.quality?.map(({ id }) => id)).toContain('ui.walk')
})

test('an intended fault of a picture is not reported again; the other pictures are checked as before', async () => {
  const { game, workshop } = await project({ ...files, 'art/ui/empty.png': encodePng(createBitmap(4, 4)) })
  const flagged = async (meant: object): Promise<readonly string[]> => {
    await game.write('art/ui.sprite.json', JSON.stringify({ source: './ui/', check: true, ...meant }))
    const { quality = [] } = (await workshop.preview()).sheets
    return quality.flatMap(({ id, flags }) => flags.map(({ fault }) => `${id} ${fault}`))
  }
  const all = await flagged({})
  expect(all).toContain('ui.empty blank')
  const left = all.filter((one) => one !== 'ui.empty blank')
  expect(await flagged({ meant: { empty: ['blank'], sword: ['halo'] } })).toEqual(left)
  expect(await flagged({ animations: { empty: { meant: ['blank'] } } })).toEqual(left)
})

test('own art without a spec: a folder by its ending, Aseprite files if they are asked for; what a spec names is one sprite', async () => {
  const aseprite = writeAseprite({ width: 4, height: 4, frames: [{ bitmap: drawn(4, 4, 6), durationMs: 100 }], tags: [], slices: [] })
  const { game, workshop } = await project({
    'art/hud.sprites/heart.png': encodePng(drawn(5, 5, 7)),
    'art/goblin.aseprite': aseprite,
    'art/orc.aseprite': aseprite,
    'art/orc.sprite.json': '{ "source": "./orc.aseprite" }',
  })
  const namesOf = async (one: Workshop): Promise<unknown> => {
    const { sheets, errors } = await one.preview()
    expect(errors).toEqual([])
    return sheets.sprites.map(({ name, pictures }) => [name, pictures])
  }
  expect(await namesOf(workshop)).toEqual([
    ['hud', ['heart']],
    ['orc', ['orc']],
  ])
  const all = { specs: ['**/*.sprite.json', '**/*.sprites/**', '**/*.aseprite'] }
  const wider = await createWorkshop({ root: game.root, options: all, host: hostOf(game, {}, { net: noNet() }) })
  open.push(wider)
  expect(await namesOf(wider)).toEqual([
    ['goblin', ['goblin']],
    ['hud', ['heart']],
    ['orc', ['orc']],
  ])
  await wider.writeTypings()
  expect(await game.read('art/goblin.d.aseprite.ts')).toContain('"goblin"')
  expect(await game.read('art/hud.d.sprites.ts')).toContain('"hud/heart"')
})

test('a spec stays one in a folder of that ending, and touch-ups are no sprites', async () => {
  const { game } = await project({
    'game.sprites/hero.sprite.json': '{ "source": "./hero.png" }',
    'game.sprites/hero.png': encodePng(drawn(4, 4, 1)),
    'art/orc.frames/walk.aseprite': writeAseprite({
      width: 4,
      height: 4,
      frames: [{ bitmap: drawn(4, 4, 6), durationMs: 100 }],
      tags: [],
      slices: [],
    }),
  })
  const specs = ['**/*.sprite.json', '**/*.aseprite']
  const workshop = await createWorkshop({ root: game.root, options: { specs }, host: hostOf(game, {}, { net: noNet() }) })
  open.push(workshop)
  expect((await workshop.preview()).sheets.sprites.map(({ name }) => name)).toEqual(['hero'])
})

test('a picture that becomes an animation of one frame is made again', async () => {
  const { game, workshop } = await project({ 'ui.sprites/walk.png': encodePng(drawn(4, 4, 1)) })
  await workshop.build()
  await game.remove('ui.sprites/walk.png')
  await game.write('ui.sprites/walk/1.png', encodePng(drawn(4, 4, 1)))
  expect((await workshop.build()).sheets.atlases[0]?.animations).toMatchObject([{ name: 'ui/walk', frames: [{ name: 'ui/walk/0000' }] }])
})
