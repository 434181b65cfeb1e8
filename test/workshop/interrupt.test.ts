import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Workshop } from '../../src/workshop.ts'
import { openShelf, type Shelf } from '../plugin/world.ts'

let shelf: Shelf
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(() => shelf.close())

const stopped = AbortSignal.abort()
const nothing = 'Interrupted. Nothing was bought.'
const paid = 'Interrupted. Paid work goes on at the service; the next run'
const verbs: readonly (readonly [string, (workshop: Workshop) => Promise<unknown>, string])[] = [
  ['plan', (workshop) => workshop.plan([], stopped), nothing],
  ['approve', (workshop) => workshop.approve({ names: [], confirm: async () => true }, stopped), nothing],
  ['forget', (workshop) => workshop.forget('hero', async () => true, stopped), nothing],
  ['acceptance', (workshop) => workshop.acceptStanding({ confirm: async () => true }, stopped), nothing],
  ['look at prices', (workshop) => workshop.prices(stopped), nothing],
  ['check of the ledger', (workshop) => workshop.verifyLedger({}, stopped), nothing],
  ['answer', (workshop) => workshop.answer({ name: 'hero', text: 'left' }, stopped), paid],
  ['decision', (workshop) => workshop.recover({ name: 'hero', decision: 'abandon' }, stopped), paid],
  ['cancellation', (workshop) => workshop.cancel('hero', stopped), paid],
  ['build', (workshop) => workshop.build({ signal: stopped }), paid],
]

test.each(verbs)('an interrupted %s says what is left', async (_verb, run, words) => {
  const game = await shelf.game({}, false)
  const workshop = await shelf.workshop(game)
  try {
    if (_verb === 'build') await workshop.approve({ names: ['hero'], adopt: true, confirm: async () => true })
    await expect(run(workshop)).rejects.toMatchObject({ code: 'SW_INTERRUPTED', message: expect.stringContaining(words) })
  } finally {
    await workshop.close()
  }
})
