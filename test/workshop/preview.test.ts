import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import type { Workshop } from '../../src/workshop.ts'
import { figurePng } from '../kit/project.ts'
import { type Game, openShelf, type Shelf, spec } from '../plugin/world.ts'

let shelf: Shelf
let game: Game
let workshop: Workshop
beforeAll(async () => {
  shelf = await openShelf()
  game = await shelf.game()
  workshop = await shelf.workshop(game)
  await workshop.preview()
  await workshop.overview()
})
afterAll(async () => {
  await workshop.close()
  await shelf.close()
})

type Preview = Awaited<ReturnType<Workshop['preview']>>

type Overview = Awaited<ReturnType<Workshop['overview']>>

/** The result of a first preview, with an empty cache. */
async function fresh(): Promise<{ readonly preview: Preview; readonly overview: Overview }> {
  await game.remove('node_modules')
  const other = await shelf.workshop(game)
  try {
    return { preview: await other.preview(), overview: await other.overview() }
  } finally {
    await other.close()
  }
}

/** The preview as data, with errors by code and message. Quality is left out if it was not checked. */
function plain({ sheets, errors }: Preview): object {
  return {
    sprites: sheets.sprites,
    atlases: sheets.atlases,
    quality: sheets.quality,
    errors: errors.map(({ code, message }) => [code, message]),
  }
}

function plainOverview({ errors, ...rest }: Overview): object {
  return { ...rest, errors: errors.map(({ code, message }) => [code, message]) }
}

const hero = 'sprites/hero.sprite.json'
const boat = 'sprites/boat.sprite.json'
const seven = [10, 20, 30, 40, 50, 60, 70]
/** As large as the delivery for {@link figurePng}. */
const touchedUp = encodePng(createBitmap(78, 76, new Uint8Array(78 * 76 * 4).fill(200)))

/** Each edit is saved over the previous one. */
const edits: readonly (readonly [what: string, path: string, content: string | Uint8Array | undefined])[] = [
  ['another rate', hero, spec({}, { fps: 30 })],
  ['times of the frames', hero, spec({}, { fps: 30, durations: seven })],
  ['an anchor', hero, spec({ anchor: [0.5, 1] }, { fps: 30, durations: seven })],
  ['another anchor, at another rate', hero, spec({ anchor: [0.25, 0.5] }, { fps: 5 })],
  ['there and back', hero, spec({ anchor: [0.25, 0.5] }, { fps: 5, yoyo: true })],
  ['not in a loop', hero, spec({}, { fps: 5, loop: false })],
  ['some of the frames', hero, spec({}, { use: [0, 2, 5, 2] })],
  ['the same frames at another rate', hero, spec({}, { use: [0, 2, 5, 2], fps: 3 })],
  ['another size', hero, spec({ size: 48 })],
  ['another size, with an anchor', hero, spec({ size: 30, anchor: [0.5, 0.5] })],
  ['two scales, with an anchor', hero, spec({ scales: [1, 0.5], anchor: [0.3, 0.7] })],
  ['two scales, with another anchor', hero, spec({ scales: [1, 0.5], anchor: [0.6, 0.7] })],
  ['frames put back, with an anchor', hero, spec({ stabilize: true, anchor: [0.3, 0.7] })],
  ['frames put back, with another anchor', hero, spec({ stabilize: true, anchor: [0.6, 0.7] })],
  ['pixel art', hero, spec({ pixelArt: true })],
  ['a broken spec', hero, '{'],
  ['another mistake', hero, spec({}, { fps: 'fast' })],
  ['mended', hero, spec()],
  ['another prompt: not bought any more', hero, spec({ prompt: 'somebody else' })],
  ['a stand-in at another rate', hero, spec({ prompt: 'somebody else' }, { fps: 2 })],
  ['bought again', hero, spec()],
  ['a frame touched up by hand', 'sprites/hero.frames/walk/0002.png', touchedUp],
  ['one that does not fit', 'sprites/hero.frames/walk/0003.png', figurePng(77)],
  ['one that fits', 'sprites/hero.frames/walk/0003.png', touchedUp],
  ['one of no frame', 'sprites/hero.frames/walk/0099.png', touchedUp],
  ['taken away', 'sprites/hero.frames', undefined],
  ['a picture of nobody', 'sprites/other.png', figurePng(5)],
  ['another reference', 'sprites/figure.png', figurePng(9)],
  ['the old one', 'sprites/figure.png', figurePng()],
  ['a second spec', 'sprites/tree.sprite.json', spec({ prompt: 'a tree' })],
  ['of the same name', 'other/tree.sprite.yaml', 'reference: ../sprites/figure.png\nprompt: x\nanimations: {a: {}}\n'],
  ['the first one edited', 'sprites/tree.sprite.json', spec({ prompt: 'a tree' }, { fps: 2 })],
  ['the second one gone', 'other/tree.sprite.yaml', undefined],
  ['both gone', 'sprites/tree.sprite.json', undefined],
  ['a picture of its own', 'sprites/boat.png', figurePng(5)],
  ['its spec', boat, spec({ reference: './boat.png' })],
  ['broken', boat, '{'],
  ['its picture while it is broken', 'sprites/boat.png', figurePng(9)],
  ['mended after its picture', boat, spec({ reference: './boat.png' })],
  ['of another picture', boat, spec({ reference: './figure.png' })],
  ['the picture that it was of', 'sprites/boat.png', figurePng(13)],
  ['of that again', boat, spec({ reference: './boat.png' })],
  ['a second one of its name', 'other/boat.sprite.json', spec({ reference: '../sprites/boat.png' })],
  ['the picture of both', 'sprites/boat.png', figurePng(17)],
  ['the second one gone again', 'other/boat.sprite.json', undefined],
  ['all of that name gone', boat, undefined],
]

describe('after one file has changed, preview and overview are what they would be if all were looked at anew:', () => {
  test.each(edits)('%s', async (_what, path, content) => {
    if (content === undefined) await game.remove(path)
    else await game.write(path, content)
    const changed =
      path === 'sprites/hero.frames'
        ? ['0002', '0003', '0099'].map((name) => game.path(`sprites/hero.frames/walk/${name}.png`))
        : [game.path(path)]
    const seen = await workshop.preview(changed)
    const overview = await workshop.overview(changed)
    const anew = await fresh()
    expect(plain(seen)).toEqual(plain(anew.preview))
    expect(plainOverview(overview)).toEqual(plainOverview(anew.overview))
    // The same change reported twice gives the same result.
    expect(plain(await workshop.preview(changed))).toEqual(plain(seen))
  })

  test('and what does not depend on that file is the very same', async () => {
    const before = await workshop.preview()
    await game.write(hero, spec({}, { fps: 17 }))
    const { sheets } = await workshop.preview([game.path(hero)])
    const others = (preview: Preview['sheets']): readonly object[] =>
      [...preview.sprites, ...preview.atlases].filter(({ name }) => name !== 'hero')
    expect(others(sheets).length).toBeGreaterThan(1)
    for (const [at, other] of others(sheets).entries()) expect(other).toBe(others(before.sheets)[at])
    expect(sheets.atlases.find(({ name }) => name === 'hero')?.animations).toMatchObject([{ fps: 17 }])
    expect((await workshop.preview([game.path('sprites/nobody.png')])).sheets).toBe(sheets)
  })

  test('a file that changes while another one is looked at is not passed over, nor after a failure', async () => {
    await game.write(hero, spec({}, { fps: 18 }))
    await game.write(
      'sprites/coin.sprite.yaml',
      'reference: ./figure.png\nprompt: a coin\nanimations:\n  spin:\n    frames: 7\n    fps: 3\n',
    )
    const { sheets } = await workshop.preview([game.path(hero), game.path('sprites/coin.sprite.yaml')])
    expect(sheets.atlases.flatMap(({ animations }) => animations.map(({ fps }) => fps))).toEqual([3, 18])
  })

  test('sprites that nobody asks for are not made, and are the same as ever when somebody does', async () => {
    const other = await shelf.workshop(game)
    const all = await other.preview()
    const one = await workshop.preview(undefined, new Set(['hero']))
    expect(one.sheets.sprites.map(({ name }) => name)).toEqual(['hero'])
    expect(one.specs).toEqual(all.specs)
    expect(one.specs.length).toBeGreaterThan(1)
    expect(plain(await workshop.preview([], new Set(one.specs.map(({ name }) => name))))).toEqual(plain(all))
    await other.close()
  })
})
