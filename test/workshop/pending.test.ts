import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Context } from '../../src/project/context.ts'
import type { ServiceConnection } from '../../src/project/session.ts'
import { embeddedHost } from '../../src/sprite-spec/request.ts'
import { createPendingReader, serviceOf } from '../../src/workshop/live/pending-purchases.ts'
import type { SpecReader } from '../../src/workshop/live/spec-book.ts'
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

const contextOf = (over: object = {}, env: object = {}): Context =>
  ({
    options: { service: 'remote', build: { generate: 'approved' }, isCi: false, store: { dir: '/s' }, ...over },
    credentials: { key: 'a key' },
    host: { env },
    lock: { path: '/l', read: async () => ({ version: 1, animations: {} }) },
  }) as unknown as Context
const at = (host?: string, isRemote = false): ServiceConnection => ({ host, isRemote }) as unknown as ServiceConnection

test.each<[what: string, connection: ServiceConnection, options: object, credentials: object, known: object]>([
  ['its address and key', at('api'), {}, { key: 'a' }, { kind: 'remote', host: 'api', canAsk: true }],
  ['its address alone', at('api'), {}, {}, { kind: 'remote', host: 'api', canAsk: false }],
  ['nothing', at(), {}, { key: 'a' }, { kind: 'none', canAsk: false }],
  ['a worker', at(undefined, true), {}, {}, { kind: 'remote', host: 'worker', canAsk: true }],
  ['a worker and its address', at('api', true), {}, {}, { kind: 'remote', host: 'api', canAsk: true }],
  ['that it is embedded', at('api'), { service: 'embedded' }, {}, { kind: 'embedded', host: embeddedHost, canAsk: true }],
])('of the service is known without a request: %s', (_what, connection, options, credentials, known) => {
  expect(serviceOf({ ...contextOf(options), credentials } as unknown as Context, connection)).toEqual(known)
})

test.each<[what: string, context: Context, connection: ServiceConnection, found: object]>([
  ['in a test of a game', contextOf({}, { VITEST: 'true' }), at('api'), { orders: [], mayBuy: false, canAsk: false }],
  ['where nothing may be bought', contextOf({ build: { generate: 'never' } }), at('api'), { orders: [], mayBuy: false, canAsk: true }],
  ['in CI', contextOf({ isCi: true }), at('api'), { orders: [], mayBuy: false, canAsk: true }],
  ['where no service is set', contextOf(), at(), { orders: [], mayBuy: true, canAsk: false }],
])('nothing is due, and no spec is read, %s', async (_what, context, connection, found) => {
  let reads = 0
  const book = { read: async () => ({ specs: [], reads: ++reads }) } as unknown as SpecReader
  expect([await createPendingReader(context, connection, book)(undefined), reads]).toEqual([found, 0])
  expect(await createPendingReader(contextOf(), at('api'), book)(undefined)).toEqual({ orders: [], mayBuy: true, canAsk: true })
  expect(reads).toBe(1)
})
