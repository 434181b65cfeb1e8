import { expect, test } from 'vitest'
import type { Context } from '../../src/project/context.ts'
import type { Quotes } from '../../src/project/quotes.ts'
import type { PaidRequest } from '../../src/sprite-spec/request.ts'
import { type Missing, missingError } from '../../src/workshop/missing.ts'

const sheet = { operation: 'sprite_sheet', id: 'hero.walk' } as unknown as PaidRequest
const edit = { operation: 'upscale', id: 'hero#1' } as unknown as PaidRequest
const quotes = { of: async ({ operation }: PaidRequest) => ({ credits: operation === 'upscale' ? 10_000n : 24_000n }) } as unknown as Quotes

function contextAt(root: string, isCi = false): Context {
  return { host: { workingFolder: '/game' }, options: { root, isCi } } as unknown as Context
}

const items: readonly Missing[] = [
  { id: 'hero#1', state: 'missing', request: edit },
  { id: 'hero.walk', state: 'missing', request: sheet, changed: ['prompt', 'frames'] },
  { id: 'coin.spin', state: 'failed', request: sheet, note: 'no frames' },
  { id: 'coin.fall', state: 'approved', request: sheet, changed: [] },
  { id: 'ant.run', state: 'missing', request: sheet },
]

test('what is not approved is listed with its price and reason, and the command that approves it', async () => {
  const error = await missingError(contextAt('/game/packages/art'), items, quotes, true, ['perRun is 1 credit.'])
  expect(error).toMatchObject({ code: 'SW_APPROVAL', exitCode: 3 })
  expect(error.message.split('\n')).toEqual([
    "4 animations and 1 step of the project are not bought and not approved, together 10.6 credits by today's estimate (not binding):",
    '  hero#1     1 credits  new, a step: upscale',
    '  hero.walk  2.4 credits  changed since the last purchase: prompt, frames',
    '  coin.spin  2.4 credits  failed: no frames',
    '  coin.fall  2.4 credits  approved, not bought',
    '  ant.run    2.4 credits  new',
    'perRun is 1 credit.',
    'Nothing was bought. Approve with: npx spritewright approve hero coin ant --root packages/art',
  ])
  expect(error.facts).toMatchObject({ total: '10.6', items: expect.arrayContaining([{ id: 'ant.run', state: 'missing', credits: '2.4' }]) })
})

test.each([
  [true, 'CI does not buy'],
  [false, 'nothing may be bought now (frozen, or build.generate is "never")'],
])('where nothing may be bought, the reason is told, without prices that nobody could ask for (CI: %s)', async (isCi, why) => {
  const error = await missingError(contextAt('/game', isCi), items.slice(4), undefined, false)
  expect(error).toMatchObject({ code: 'SW_MISSING', exitCode: 3 })
  expect(error.message.split('\n')).toEqual([
    `1 animation of the project is not bought, and ${why}:`,
    '  ant.run  new',
    'Nothing was bought. On a machine that may buy: npx spritewright approve ant && npx spritewright build --buy-only, then commit sprites.lock* and .spritewright/results.',
  ])
  expect(error.facts).toEqual({ items: [{ id: 'ant.run', state: 'missing', credits: undefined }], total: undefined })
})
