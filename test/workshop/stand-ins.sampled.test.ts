import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodePng, encodePng, scaleFrames } from '../../atlas/index.ts'
import type { BuiltSheets, Workshop } from '../../src/workshop.ts'
import { acceptCeilings } from '../kit/keys.ts'
import { figurePng } from '../kit/project.ts'
import { level } from '../level.ts'
import { type Game, openShelf, type Shelf, spec } from '../plugin/world.ts'

let shelf: Shelf
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(() => shelf.close())

async function look<T>(game: Game, use: (workshop: Workshop) => Promise<T>, options = {}): Promise<T> {
  const workshop = await shelf.workshop(game, options)
  try {
    return await use(workshop)
  } finally {
    await workshop.close()
  }
}

const preview = (game: Game, options = {}): Promise<BuiltSheets> =>
  look(game, async (workshop) => (await workshop.preview()).sheets, options)

const sizeOf = ({ sprites }: BuiltSheets, name: string): number[] =>
  sprites.flatMap((one) => (one.name === name ? [one.width, one.height] : []))
const namesOf = ({ atlases }: BuiltSheets): string[] =>
  atlases.flatMap(({ frames, animations }) => [...frames, ...animations].map(({ name }) => name))

/** A picture that is larger than its delivery. */
async function largePng(): Promise<Uint8Array> {
  const [large] = await scaleFrames([decodePng(figurePng())], { kind: 'longest', px: 300 }, true)
  if (!large) throw new Error('Expected a picture.')
  return encodePng(large)
}

test('a stand-in has the names of what is bought for it, and their number', async () => {
  const game = await shelf.game({}, false)
  const before = await preview(game)
  expect(before.sprites.map(({ isPlaceholder }) => isPlaceholder)).toEqual([true, true])
  const bought = await preview(await shelf.game())
  expect(bought.sprites.map(({ isPlaceholder }) => isPlaceholder)).toEqual([false, false])
  expect(namesOf(before)).toEqual(namesOf(bought))
})

test('with a size of its own it is as large as what comes', async () => {
  const sized = { 'sprites/hero.sprite.json': spec({ size: 48 }) }
  const longest = async (isBought: boolean): Promise<number> =>
    Math.max(...sizeOf(await preview(await shelf.game(sized, isBought)), 'hero'))
  expect([await longest(false), await longest(true)]).toEqual([48, 48])
})

test('beside an animation that is bought it is as large as its frames', async () => {
  const both = {
    'sprites/hero.sprite.json': JSON.stringify({
      reference: './figure.png',
      prompt: 'a small figure',
      animations: { walk: { frames: 7 }, jump: { frames: 9 } },
    }),
  }
  const game = await shelf.game(both)
  const bought = sizeOf(await preview(await shelf.game()), 'hero')
  const sheets = await preview(game)
  expect(sheets.sprites.find(({ name }) => name === 'hero')).toMatchObject({ isPlaceholder: true, width: bought[0], height: bought[1] })
  const sizes = sheets.atlases.flatMap(({ frames }) =>
    frames.filter(({ name }) => name.startsWith('hero/')).map((one) => `${one.sourceWidth} × ${one.sourceHeight}`),
  )
  expect(sizes).toHaveLength(16)
  expect(new Set(sizes).size).toBe(1)
})

test('another reference, a mark taken away: drawn anew; nothing changed: from the cache', async () => {
  const game = await shelf.game({}, false)
  const hashes = async (options = {}): Promise<string> =>
    (await preview(game, options)).atlases.flatMap(({ pages }) => pages.map(({ sha256 }) => sha256)).join()
  const first = await hashes()
  expect(await hashes()).toBe(first)
  const unmarked = await hashes({ placeholders: { mark: false } })
  expect(unmarked).not.toBe(first)
  await game.write('sprites/figure.png', await largePng())
  expect(await hashes()).not.toBe(first)
})

if (level !== 'quick')
  test('where the reference is still to be made from a text, it is drawn after that; once the picture is there, from it', async () => {
    const chain = (text: string, animation = 'jump'): string =>
      spec({ reference: { steps: [{ text }] }, animations: { [animation]: { frames: 7 } } })
    const pageOf = async (game: Game): Promise<string> => {
      const { sprites, atlases } = await preview(game)
      expect(sprites.find(({ name }) => name === 'hero')).toMatchObject({ isPlaceholder: true })
      return atlases.find(({ name }) => name === 'hero')?.pages[0]?.sha256 ?? ''
    }
    const game = await shelf.game({ 'sprites/hero.sprite.json': chain('a red knight') })
    const drawn = await pageOf(game)
    await game.write('sprites/hero.sprite.json', chain('a green fox'))
    expect(await pageOf(game)).not.toBe(drawn)
    await game.write('sprites/hero.sprite.json', chain('a red knight'))
    expect(await pageOf(game)).toBe(drawn)

    await look(game, async (workshop) => (await acceptCeilings(workshop)).build(), { approval: { perSprite: '100' } })
    expect((await preview(game)).sprites.map(({ isPlaceholder }) => isPlaceholder)).toEqual([false, false])
    await game.write('sprites/hero.sprite.json', chain('a red knight', 'climb'))
    const fromPicture = await pageOf(game)
    expect(fromPicture).not.toBe(drawn)
  })

test.each([
  ['its prompt is edited', { prompt: 'a large figure' }, {}, 7],
  ['another take is wanted', {}, { take: 2 }, 7],
  ['it has other frames, of which some are chosen', {}, { frames: 9, use: [0, 8] }, 7],
])('what was bought plays on when %s, until the new result is here', async (_what, sprite, animation, count) => {
  const game = await shelf.game()
  const before = await preview(game)
  await game.write('sprites/hero.sprite.json', spec(sprite, animation))
  const after = await preview(game)
  const pagesOf = ({ atlases }: BuiltSheets): string[] =>
    atlases.filter(({ name }) => name === 'hero').flatMap(({ pages }) => pages.map(({ sha256 }) => sha256))
  expect(after.sprites.find(({ name }) => name === 'hero')).toMatchObject({ isPlaceholder: false, superseded: ['walk'] })
  expect(after.sprites.find(({ name }) => name === 'coin')).not.toHaveProperty('superseded')
  expect(pagesOf(after)).toEqual(pagesOf(before))
  expect(after.atlases.find(({ name }) => name === 'hero')?.animations[0]?.frames).toHaveLength(count)

  await acceptCeilings(await shelf.workshop(game, { approval: { perSprite: '100' } }))
  await look(game, (workshop) => workshop.build({ names: ['hero'] }), { approval: { perSprite: '100' } })
  const bought = await preview(game)
  expect(bought.sprites.find(({ name }) => name === 'hero')).toMatchObject({ isPlaceholder: false })
  expect(bought.sprites.find(({ name }) => name === 'hero')).not.toHaveProperty('superseded')
})

test('a build that allows placeholders uses what was bought before too; one that does not still fails', async () => {
  const game = await shelf.game()
  await game.write('sprites/hero.sprite.json', spec({ prompt: 'another figure' }))
  const { sheets } = await look(game, (workshop) => workshop.build(), { build: { unbought: 'placeholder' } })
  expect(sheets.sprites.find(({ name }) => name === 'hero')).toMatchObject({ isPlaceholder: false, superseded: ['walk'] })
  await expect(look(game, (workshop) => workshop.build())).rejects.toMatchObject({ exitCode: 3 })
})

test('what another service delivered is no stand-in', async () => {
  const game = await shelf.game()
  await game.write('sprites/hero.sprite.json', spec({ prompt: 'a third figure' }))
  const { sprites } = await preview(game, { service: 'embedded' })
  expect(sprites.find(({ name }) => name === 'hero')).toMatchObject({ isPlaceholder: true })
})
