import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startEmbeddedService } from '../../src/embedded/service.ts'
import { createWorkshop, type Overview, type Workshop } from '../../src/workshop.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type Game, hostOf, key, openGame, spec } from '../plugin/world.ts'

let service: Awaited<ReturnType<typeof startEmbeddedService>>
let game: Game
let workshop: Workshop
beforeAll(async () => {
  service = await startEmbeddedService({
    jobMs: 0,
    limits: { windowMs: 1 },
    accounts: [{ name: 'test', keys: [{ key }] }],
    makers: quickMakers(),
  })
})
afterAll(() => service.close())
beforeEach(async () => {
  game = await openGame()
  await game.write('package.json', '{"name":"game","private":true}')
  await game.write('aa.sprite.json', chain('a knight', 'one'))
  await game.write('bb.sprite.json', chain('a knight', 'two'))
  const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: key }
  workshop = await createWorkshop({ root: game.root, host: hostOf(game, env) })
  return async () => {
    await workshop.close()
    await game.remove()
  }
})

/** A sprite whose picture is made from a text. Sprites with the same text share the picture. */
const chain = (text: string, prompt: string): string => spec({ prompt, reference: { steps: [{ text }] } })
const stepsOf = ({ steps }: Overview): readonly unknown[] =>
  steps
    .map(({ id, request, sprites, hash }) => ({ id, asked: request.id, prompt: request.prompt, sprites, hash }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))

const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['asks for another one', () => game.write('aa.sprite.json', chain('a dragon', 'one'))],
  ['is deleted', () => game.remove('aa.sprite.json')],
  ['is broken', () => game.write('aa.sprite.json', '{')],
]

test.each(changes)('a shared step is called by a sprite that needs it, also once the first of them %s', async (_how, change) => {
  await workshop.approve({ names: [], confirm: async () => true })
  expect(stepsOf(await workshop.overview())).toMatchObject([{ id: 'aa#1', sprites: ['aa', 'bb'] }])
  await change()
  const part = await workshop.overview([game.path('aa.sprite.json')])
  expect(part.steps.find(({ sprites }) => sprites.includes('bb'))).toMatchObject({ id: 'bb#1', sprites: ['bb'] })
  expect(stepsOf(part)).toEqual(stepsOf(await workshop.overview()))
  expect(new Set(part.steps.map(({ id }) => id)).size).toBe(part.steps.length)
})

test('what is due of a sprite has the same mark whichever sprites are looked at beside it', async () => {
  await workshop.approve({ names: [], confirm: async () => true })
  const all = (await workshop.pending()).orders
  const one = (await workshop.pending([game.path('bb.sprite.json')])).orders
  expect(one.map(({ id }) => id)).toEqual(['bb.walk'])
  expect(one).toEqual(all.filter(({ id }) => id === 'bb.walk'))
})
