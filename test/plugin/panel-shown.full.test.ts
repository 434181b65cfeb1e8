import { afterEach, expect, test } from 'vitest'
import { toRecover } from '../../plugin/panel/ui/money/decision-words.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import type { PanelClient, WholeState } from './panel-client.ts'
import { approveHero, find, openPanelWorld, type PanelWorld, stands, toQuestion } from './panel-world.ts'
import { spec } from './world.ts'

const open: PanelWorld[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** A world in which an unanswered submission may be replayed for this long. */
async function world(
  options: EmbeddedOptions = {},
  replayWindow = '5s',
  files: Readonly<Record<string, string>> = {},
): Promise<PanelWorld> {
  const config = { 'spritewright.config.mjs': `export default ${JSON.stringify({ replayWindow, limits: { windowMs: 1 } })}` }
  const opened = await openPanelWorld({ ...config, ...files }, options)
  open.push(opened)
  return opened
}

const heroFile = 'sprites/hero.sprite.json'
const hero = (state: WholeState) => find(state, 'hero.walk')
const isSubmission = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === 'POST' && path === '/v1/execute'
const posts = ({ service }: PanelWorld): number => service.requests().filter(isSubmission).length
const refusalOf = async (panel: PanelClient, ...ask: Parameters<PanelClient['refused']>): Promise<unknown> =>
  JSON.parse((await panel.refused(...ask)).text).error

/** The connection ends, and the service has not received the request. */
const unheard: ServedResponse = { status: 500, headers: {}, body: new Uint8Array(), cutAfter: 0 }

test('an approval is for the request that was shown: other words at the same price are refused, and written nowhere', async () => {
  const made = await world()
  const { panel } = await made.start()
  const offer = await panel.act('offer', { ids: ['hero'] })
  expect(offer.lines).toMatchObject([{ id: 'hero.walk', prompt: expect.stringContaining('a small figure') }])
  await made.game.write(heroFile, spec({ prompt: 'quite another figure' }))
  await panel.stateWhere(({ sprites }) => sprites.find(({ name }) => name === 'hero')?.prompt === 'quite another figure')
  const { status, text } = await panel.refused('approve', { ids: ['hero'], lines: offer.lines, sum: offer.sum })
  const { error, offer: now } = JSON.parse(text)
  expect([status, error.code]).toEqual([409, 'SW_CHANGED'])
  expect(error.message).toContain('requests have changed: hero.walk')
  expect(now).toMatchObject({ sum: offer.sum, lines: [{ id: 'hero.walk', prompt: expect.stringContaining('quite another figure') }] })
  expect(await made.game.list()).not.toContain('sprites.lock.json')
  await panel.act('approve', { ids: ['hero'], lines: now.lines, sum: now.sum })
  await panel.stateWhere(stands('hero.walk', 'bought'))
  expect(made.service.charges()).toHaveLength(1)
})

test('a decision is about the one request that was shown, and not about an earlier one of the same name', async () => {
  let isDeaf = true
  const made = await world({ before: async (request) => (isDeaf && isSubmission(request) ? unheard : undefined) })
  const { panel } = await made.start()
  await approveHero(panel)
  const first = hero(await panel.stateWhere((state) => hero(state).undecided === 'submission' && hero(state).progress === undefined))
  await made.game.write(heroFile, spec({ prompt: 'quite another figure' }))
  const edited = await panel.stateWhere(stands('hero.walk', 'missing'))
  // It remains visible, under a name of its own, with the possible decisions about it.
  expect(edited.orphans).toMatchObject([
    { was: 'hero.walk', hash: first.hash, attempt: 1, state: 'uncertain', undecided: 'submission', ceiling: first.ceiling },
  ])
  expect(edited.orphans[0]?.words).toContain('An earlier version of its spec requested it. Sent and never answered')
  expect(edited.orphans).toEqual((await panel.state()).orphans)
  await approveHero(panel)
  const second = hero(await panel.stateWhere((state) => hero(state).undecided === 'submission' && hero(state).progress === undefined))
  expect(second.hash).not.toBe(first.hash)
  isDeaf = false
  const sent = posts(made)
  for (const other of [{ attempt: 2 }, { about: 'conflict' }, { hash: '0'.repeat(64) }])
    expect(await refusalOf(panel, 'recover', { ...toRecover(second, 'replay'), ...other })).toMatchObject({ code: 'SW_CHANGED' })
  expect(posts(made)).toBe(sent)
  await panel.act('recover', toRecover(second, 'replay'))
  const isSettled = ({ ledger }: WholeState): boolean => ledger.lines.some(({ state }) => state === 'settled')
  const after = await panel.stateWhere((state) => stands('hero.walk', 'bought')(state) && isSettled(state))
  expect(made.service.charges()).toHaveLength(1)
  expect(after.ledger.lines.map(({ state }) => state).sort()).toEqual(['settled', 'uncertain'])
  // The same decision again finds no submission that waits for it.
  expect(await refusalOf(panel, 'recover', toRecover(second, 'replay'))).toMatchObject({ code: 'SW_CHANGED' })
  const [orphan] = after.orphans
  expect(after.orphans).toHaveLength(1)
  await panel.act('recover', toRecover(orphan!, 'abandon'))
  const given = await panel.stateWhere(({ orphans }) => orphans.length === 0)
  expect([given.errors, hero(given).state]).toEqual([[], 'bought'])
  expect(made.service.charges()).toHaveLength(1)
  // After it was given up, its old approval does not buy it. Its prompt needs a new approval.
  const before = posts(made)
  await made.game.write(heroFile, spec())
  await panel.stateWhere(stands('hero.walk', 'failed'))
  expect(posts(made)).toBe(before)
})

test('what was sent under earlier words is sent again from its own line, and brought home once; the present one is left alone', async () => {
  let isDeaf = true
  const made = await world({ before: async (request) => (isDeaf && isSubmission(request) ? unheard : undefined) })
  const { panel } = await made.start()
  await approveHero(panel)
  await panel.stateWhere((state) => hero(state).undecided === 'submission' && hero(state).progress === undefined)
  await made.game.write(heroFile, spec({ prompt: 'quite another figure' }))
  const { orphans } = await panel.stateWhere((state) => state.orphans.length === 1 && stands('hero.walk', 'missing')(state))
  const sent = posts(made)
  for (const decision of ['replay', 'abandon'] as const)
    expect(await refusalOf(panel, 'recover', { ...toRecover(orphans[0]!, decision), attempt: 2 })).toMatchObject({ code: 'SW_CHANGED' })
  expect(posts(made)).toBe(sent)
  isDeaf = false
  await panel.act('recover', toRecover(orphans[0]!, 'replay'))
  const after = await panel.stateWhere((state) => state.orphans.length === 0 && state.ledger.uncertain === '0')
  expect([hero(after).state, after.errors]).toEqual(['missing', []])
  expect(made.service.charges()).toHaveLength(1)
  // The earlier prompt finds it again.
  await made.game.write(heroFile, spec())
  await panel.stateWhere(stands('hero.walk', 'bought'))
  expect(made.service.charges()).toHaveLength(1)
})

test('an answer is for the question that was shown: the next one is not answered with it', async () => {
  const made = await world({}, '60s', { [heroFile]: spec({ prompt: 'a figure [ask]' }) })
  const { panel } = await made.start()
  await approveHero(panel)
  const asked = toQuestion(hero(await panel.stateWhere((state) => hero(state).question !== undefined)))
  expect(await refusalOf(panel, 'answer', { ...asked, questionId: 'another', text: 'to the left' })).toMatchObject({ code: 'SW_CHANGED' })
  expect(await refusalOf(panel, 'answer', { ...asked, hash: '0'.repeat(64), text: 'to the left' })).toMatchObject({ code: 'SW_CHANGED' })
  expect(made.service.requests().some(({ path }) => path.endsWith('/answers'))).toBe(false)
  await panel.act('answer', { ...asked, text: 'to the left' })
  await panel.stateWhere(stands('hero.walk', 'bought'))
  expect(made.service.charges()).toHaveLength(1)
})

test('a conflict waits for a decision: no approval is offered or written, and given up it can be approved anew', async () => {
  let isTaken = true
  const reply: ServedResponse = {
    status: 409,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(
      JSON.stringify({
        error: { code: 'CONFLICT', reason: 'idempotency_conflict', message: 'other bytes', retryable: false, request_id: 'r' },
      }),
    ),
  }
  const made = await world({ before: async (request) => (isTaken && isSubmission(request) ? reply : undefined) }, '60s')
  const { panel } = await made.start()
  await approveHero(panel)
  const conflict = hero(await panel.stateWhere((state) => hero(state).undecided === 'conflict'))
  expect(conflict.canBeApproved).toBe(false)
  expect(conflict.words).toContain('Until you decide, nothing is sent')
  expect(conflict.words).not.toContain('new approval')
  isTaken = false
  const lock = await made.game.read('sprites.lock.json')
  const sent = posts(made)
  expect(await panel.act('offer', { ids: ['hero'] })).toMatchObject({ lines: [], untouched: ['hero.walk'] })
  expect((await panel.refused('approve', { ids: ['hero'], lines: [], sum: '0' })).status).toBe(409)
  expect(await made.game.read('sprites.lock.json')).toEqual(lock)
  await panel.act('recover', toRecover(conflict, 'abandon'))
  await panel.stateWhere((state) => hero(state).state === 'failed' && hero(state).undecided === undefined)
  expect(posts(made)).toBe(sent)
  await approveHero(panel)
  await panel.stateWhere(stands('hero.walk', 'bought'))
  expect(made.service.charges()).toHaveLength(1)
}, 30_000)
