import { afterEach, expect, test } from 'vitest'
import type { PanelState, PanelUndecided } from '../../plugin/panel/protocol.ts'
import type { EmbeddedOptions } from '../../src/embedded/options.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { approveHero, find, openPanelWorld, type PanelWorld, stands } from './panel-world.ts'
import { spec } from './world.ts'

const open: PanelWorld[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** What was never answered may be sent again by itself for a second. */
const config = { 'spritewright.config.json': '{"replayWindow":"1s","limits":{"windowMs":1}}' }

async function world(files: Readonly<Record<string, string>>, options: EmbeddedOptions): Promise<PanelWorld> {
  const opened = await openPanelWorld({ ...config, ...files }, options)
  open.push(opened)
  return opened
}

/** The connection ends, and the service has not seen the request. */
const unheard: ServedResponse = { status: 500, headers: {}, body: new Uint8Array(), cutAfter: 0 }
/** As a service answers for an execution that it does not have. */
const unknown: ServedResponse = {
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(
    JSON.stringify({
      error: { ...{ code: 'NOT_FOUND', reason: 'not_found', message: 'There is none.' }, retryable: false, request_id: 'r' },
    }),
  ),
}

const waitsFor = (undecided: PanelUndecided | undefined) => (state: PanelState) => find(state, 'hero.walk').undecided === undecided
const isSound = (state: PanelState): boolean => state.errors.length === 0

test('a submission that nobody answered waits for a person, who sends it again from the panel', async () => {
  let isDeaf = true
  const { start, service, game } = await world(
    {},
    {
      after: async ({ method, path }, response) =>
        isDeaf && method === 'POST' && /execut/.test(path) ? { ...response, cutAfter: 0 } : response,
    },
  )
  const { panel } = await start()
  for (const decision of ['replay', 'abandon'] as const)
    expect(JSON.parse((await panel.refused('recover', { id: 'hero.walk', decision })).text).error).toMatchObject({ code: 'SW_USAGE' })
  expect(await panel.refused('cancel', { id: 'hero.walk' })).toMatchObject({ status: 400 })
  await approveHero(panel)
  const uncertain = await panel.stateWhere(waitsFor('submission'))
  expect(find(uncertain, 'hero.walk').words).toContain('whether it was bought is unknown')
  expect(uncertain.ledger.uncertain).not.toBe('0')
  isDeaf = false
  await panel.act('recover', { id: 'hero.walk', decision: 'replay' })
  await panel.stateWhere((state) => stands('hero.walk', 'bought')(state) && isSound(state))
  expect(service.charges()).toHaveLength(1)
  expect(await game.list()).toContain('sprites.lock.json')
})

test('an answer that nobody confirmed can be taken back: the question is there again, and another answer leads on', async () => {
  let isDeaf = true
  const { start, service } = await world(
    { 'sprites/hero.sprite.json': spec({ prompt: 'a figure [ask]' }) },
    { before: async ({ path }) => (isDeaf && path.endsWith('/answers') ? unheard : undefined) },
  )
  const { panel } = await start()
  await approveHero(panel)
  await panel.stateWhere(stands('hero.walk', 'question'))
  expect(await panel.refused('answer', { id: 'hero.walk', text: 'to the left' })).toMatchObject({ status: 502 })
  const open = await panel.stateWhere(waitsFor('answer'))
  expect(find(open, 'hero.walk')).toMatchObject({ standing: 'uncertain', words: expect.stringContaining('whether it arrived is unknown') })
  isDeaf = false
  await panel.act('recover', { id: 'hero.walk', decision: 'abandon' })
  const asked = await panel.stateWhere((state) => stands('hero.walk', 'question')(state) && isSound(state))
  expect(find(asked, 'hero.walk').question).toBeDefined()
  await panel.act('answer', { id: 'hero.walk', text: 'to the right' })
  await panel.stateWhere(stands('hero.walk', 'bought'))
  expect(service.charges()).toHaveLength(1)
})

test('an execution that the service has lost can only be given up, and then approved anew', async () => {
  let isLost = true
  const { start, service } = await world(
    {},
    { before: async ({ method, path }) => (isLost && method === 'GET' && path.startsWith('/v1/executions/') ? unknown : undefined) },
  )
  const { panel } = await start()
  await approveHero(panel)
  await panel.stateWhere(waitsFor('execution'))
  expect(JSON.parse((await panel.refused('recover', { id: 'hero.walk', decision: 'replay' })).text).error).toMatchObject({
    code: 'SW_USAGE',
  })
  await panel.act('recover', { id: 'hero.walk', decision: 'abandon' })
  await panel.stateWhere((state) => stands('hero.walk', 'failed')(state) && waitsFor(undefined)(state) && isSound(state))
  isLost = false
  await approveHero(panel)
  await panel.stateWhere(stands('hero.walk', 'bought'))
  // The lost one was charged at the service all the same.
  expect(service.charges()).toHaveLength(2)
})
