import { afterEach, expect, test } from 'vitest'
import { toRecover } from '../../plugin/panel/ui/money/decision-words.ts'
import type { PanelUndecided } from '../../plugin/protocol/protocol.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import type { WholeState } from './panel-client.ts'
import { approveHero, find, openPanelWorld, type PanelWorld, stands, toQuestion } from './panel-world.ts'
import { spec } from './world.ts'

const open: PanelWorld[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** An unanswered submission may be replayed for five seconds of the faster clock. */
const config = { 'spritewright.config.mjs': 'export default {"replayWindow":"5s","limits":{"windowMs":1}}' }

async function world(files: Readonly<Record<string, string>>, options: EmbeddedOptions, speed?: number): Promise<PanelWorld> {
  const opened = await openPanelWorld({ ...config, ...files }, options, speed)
  open.push(opened)
  return opened
}

/** The connection ends, and the service has not received the request. */
const unheard: ServedResponse = { status: 500, headers: {}, body: new Uint8Array(), cutAfter: 0 }
/** The answer of a service to an execution that it does not have. */
const unknown: ServedResponse = {
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(
    JSON.stringify({
      error: { ...{ code: 'NOT_FOUND', reason: 'not_found', message: 'There is none.' }, retryable: false, request_id: 'r' },
    }),
  ),
}

const nothing = { id: 'hero.walk', hash: '0'.repeat(64) }

const waitsFor = (undecided: PanelUndecided | undefined) => (state: WholeState) => find(state, 'hero.walk').undecided === undecided
const isSound = (state: WholeState): boolean => state.errors.length === 0

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
    expect(
      JSON.parse((await panel.refused('recover', { ...nothing, attempt: 1, about: 'submission', decision })).text).error,
    ).toMatchObject({
      code: 'SW_CHANGED',
    })
  expect(await panel.refused('cancel', nothing)).toMatchObject({ status: 409 })
  await approveHero(panel)
  const uncertain = await panel.stateWhere((state) => waitsFor('submission')(state) && state.ledger.uncertain !== '0')
  expect(find(uncertain, 'hero.walk').words).toContain('whether it was bought is unknown')
  isDeaf = false
  // On a busy machine the server may have written more since the page was told. Then a person looks again.
  const decide = async (): Promise<unknown> =>
    panel.act('recover', toRecover(find(await panel.stateWhere(waitsFor('submission')), 'hero.walk'), 'replay')).catch((error: Error) => {
      if (!error.message.includes('SW_CHANGED')) throw error
      return decide()
    })
  await decide()
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
  const first = find(await panel.stateWhere(stands('hero.walk', 'question')), 'hero.walk')
  expect(await panel.refused('answer', { ...toQuestion(first), text: 'to the left' })).toMatchObject({ status: 502 })
  const open = await panel.stateWhere(waitsFor('answer'))
  expect(find(open, 'hero.walk')).toMatchObject({ state: 'uncertain', words: expect.stringContaining('whether it arrived is unknown') })
  isDeaf = false
  await panel.act('recover', toRecover(find(open, 'hero.walk'), 'abandon'))
  const asked = await panel.stateWhere((state) => stands('hero.walk', 'question')(state) && isSound(state))
  expect(find(asked, 'hero.walk').question).toBeDefined()
  await panel.act('answer', { ...toQuestion(find(asked, 'hero.walk')), text: 'to the right' })
  await panel.stateWhere(stands('hero.walk', 'bought'))
  expect(service.charges()).toHaveLength(1)
})

test('an answer does not wait for the purchase that has the only place: it is sent when the place is free', async () => {
  let release = (): void => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const { start, service } = await world(
    {
      'sprites/hero.sprite.json': spec({ prompt: 'a figure [ask]' }),
      'spritewright.config.mjs': 'export default {"limits":{"windowMs":1,"activeJobs":1}}',
    },
    { makers: quickMakers({ until: () => gate }) },
  )
  const { panel } = await start()
  await approveHero(panel)
  const asked = find(await panel.stateWhere(stands('hero.walk', 'question')), 'hero.walk')
  const offer = await panel.act('offer', { ids: ['coin'] })
  await panel.act('approve', { ids: ['coin'], lines: offer.lines, sum: offer.sum })
  await panel.stateWhere(stands('coin.spin', 'running'))
  await panel.act('answer', { ...toQuestion(asked), text: 'to the left' })
  await panel.stateWhere((state) => find(state, 'hero.walk').progress?.phase === 'waiting')
  release()
  await panel.stateWhere((state) => stands('hero.walk', 'bought')(state) && stands('coin.spin', 'bought')(state) && isSound(state))
  expect(service.charges()).toHaveLength(2)
})

test('an execution that the service has lost can only be given up, and then approved anew', async () => {
  let isLost = true
  const { start, service } = await world(
    {},
    { before: async ({ method, path }) => (isLost && method === 'GET' && path.startsWith('/v1/executions/') ? unknown : undefined) },
    // A new execution may be unknown for half a minute.
    20,
  )
  const { panel } = await start()
  await approveHero(panel)
  const lost = find(await panel.stateWhere(waitsFor('execution')), 'hero.walk')
  expect(JSON.parse((await panel.refused('recover', toRecover(lost, 'replay'))).text).error).toMatchObject({
    code: 'SW_USAGE',
  })
  await panel.act('recover', toRecover(lost, 'abandon'))
  const given = await panel.stateWhere((state) => stands('hero.walk', 'failed')(state) && waitsFor(undefined)(state))
  expect(given.errors).toEqual([{ code: 'SW_FAILED', id: 'hero.walk', message: expect.stringContaining('given up') }])
  isLost = false
  await approveHero(panel)
  await panel.stateWhere(stands('hero.walk', 'bought'))
  // The service had charged the lost one too.
  expect(service.charges()).toHaveLength(2)
})
