import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Workshop } from '../../src/workshop.ts'
import { figurePng } from '../kit/project.ts'
import { type Game, openShelf, type Shelf, spec } from '../plugin/world.ts'

let shelf: Shelf
let game: Game
let workshop: Workshop
beforeAll(async () => {
  shelf = await openShelf()
  game = await shelf.game({}, false)
  workshop = await shelf.workshop(game)
})
afterAll(async () => {
  await workshop.close()
  await shelf.close()
})

const hero = 'sprites/hero.sprite.json'
const coin = 'sprites/coin.sprite.yaml'

/** The ids of the requests of these files that are due. */
async function due(...changed: readonly string[]): Promise<readonly string[]> {
  const { orders } = await workshop.pending(changed.length === 0 ? undefined : changed.map((name) => game.path(name)))
  return orders.map(({ id }) => id)
}

test('of saved specs is due what is due of all of them; a picture or a paper may be that of any', async () => {
  expect(await due()).toEqual([])
  await workshop.approve({ names: [], confirm: async () => true })
  expect(await due()).toEqual(['coin.spin', 'hero.walk'])
  expect(await due(hero)).toEqual(['hero.walk'])
  expect(await due(coin, hero)).toEqual(['coin.spin', 'hero.walk'])
  expect((await workshop.pending([game.path(hero)])).orders).toEqual(
    (await workshop.pending()).orders.filter(({ id }) => id === 'hero.walk'),
  )
  for (const other of ['sprites/figure.png', 'sprites.lock.json', '.spritewright/results/x.zip']) expect(await due(other)).toHaveLength(2)
})

test('a spec that asks for something else, is broken, shares its name or is gone has nothing due; one that is as it was again has', async () => {
  await game.write(hero, spec({ prompt: 'somebody else' }))
  expect(await due(hero)).toEqual([])
  await game.write(hero, '{')
  expect(await due(hero)).toEqual([])
  await game.write(hero, spec({}, { fps: 30 }))
  expect(await due(hero)).toEqual(['hero.walk'])
  await game.write('other/figure.png', figurePng())
  await game.write('other/hero.sprite.json', spec())
  expect(await due('other/hero.sprite.json')).toEqual([])
  await game.remove('other')
  // The name is unique again, although this file was not saved since.
  expect(await due('other/hero.sprite.json')).toEqual(['hero.walk'])
  await game.remove(hero)
  expect(await due(hero)).toEqual([])
  expect(await due()).toEqual(['coin.spin'])
})
