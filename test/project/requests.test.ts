import { describe, expect, test } from 'vitest'
import type { Credits } from '../../src/credit/credits.ts'
import { hasCode } from '../../src/errors.ts'
import { nodeRandom } from '../../src/host/random.ts'
import type { PlanItem, StandingApproval } from '../../src/project/plan.ts'
import { openPersonRequests } from '../../src/project/requests.ts'
import { count, countItems, isBarred, meaningOf, missingWords, ownMeaning, stateSentence, whyNotBought } from '../../src/project/states.ts'
import type { PaidRequest } from '../../src/sprite-spec/request.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

const day = 24 * 3_600_000
const asked = { verb: 'approve', names: ['hero.walk'], credits: '2.4', why: 'The level needs a hero.', from: 'mcp' } as const

function open() {
  const disk = new MemoryDisk()
  const clock = new ManualClock()
  return { disk, clock, requests: openPersonRequests({ disk, clock, random: nodeRandom(), stateFolder: '/state' }, 'place') }
}

describe('requests to a person', () => {
  test('lists what was asked, the oldest first, until a day later', async () => {
    const { clock, requests } = open()
    const first = await requests.add(asked)
    await clock.advance(1000)
    const second = await requests.add({ ...asked, names: [] })
    expect(await requests.list()).toEqual([first, second])
    await clock.advance(day - 1000)
    expect(await requests.list()).toEqual([second])
    await requests.remove(second.id)
    expect(await requests.list()).toEqual([])
  })

  test('drops one that was made by a clock a day ahead, and keeps one by a clock that was less', async () => {
    const { disk, clock, requests } = open()
    const { id } = await requests.add(asked)
    const path = `/state/requests/place/${id}.json`
    const made = JSON.parse(new TextDecoder().decode(await disk.read(path))) as object
    const madeAt = (at: number): void => void disk.files.set(path, new TextEncoder().encode(JSON.stringify({ ...made, at })))
    madeAt(clock.wall() + day - 1)
    expect(await requests.list()).toHaveLength(1)
    madeAt(clock.wall() + day)
    expect([await requests.list(), await disk.list('/state/requests/place')]).toEqual([[], []])
  })

  test('keeps an equal request once, and no sixth', async () => {
    const { disk, requests } = open()
    const made = await Promise.all([1, 2, 3, 4].map((index) => requests.add({ ...asked, names: [`hero.walk${index}`] })))
    expect(await requests.add({ ...asked, names: ['hero.walk2'] })).toEqual(made[1])
    await requests.add(asked)
    const sixth = await requests.add({ ...asked, why: 'more' }).catch((error: unknown) => error)
    expect(hasCode(sixth, 'SW_USAGE') && sixth.message).toContain('at most 5 open requests')
    expect(await disk.list('/state/requests/place')).toHaveLength(5)
  })

  test('shows texts of a program as text: escaped, and at most 500 characters', async () => {
    const { requests } = open()
    await requests.add({ ...asked, names: ['he\u001b[2Jro'], why: `\u202egood\nApproved.${'x'.repeat(600)}` })
    const [one] = await requests.list()
    expect(one?.names).toEqual(['he\\x1b[2Jro'])
    expect(one?.why.startsWith('\\u202egood\\nApproved.xxx')).toBe(true)
    expect(one?.why).toHaveLength(500 + 6)
  })

  test('has at most 200 names of at most 400 characters, and lists those of one moment by their ids', async () => {
    const { requests } = open()
    const names = Array.from({ length: 201 }, () => 'x'.repeat(401))
    const made = [await requests.add({ ...asked, names }), await requests.add({ ...asked, names, why: 'another' })]
    expect(made[0]?.names).toEqual(names.slice(1).map((name) => name.slice(1)))
    expect(await requests.list()).toEqual(made.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  })

  test('passes over a file that is no request, or that bears the name of another', async () => {
    const { disk, requests } = open()
    const { id } = await requests.add(asked)
    const text = await disk.read(`/state/requests/place/${id}.json`)
    for (const name of ['other.json', 'x.json']) await disk.writeTemp(`/state/requests/place/${name}`, text)
    await disk.writeTemp('/state/requests/place/torn.json', text.slice(0, 20))
    expect((await requests.list()).map((one) => one.id)).toEqual([id])
  })
})

const approval: StandingApproval = { buyer: 'ab', at: '2026-01-01T00:00:00.000Z', priceVersion: 'v1', verdict: 'valid' }
const approved = { state: 'approved', ceiling: 16_000n as Credits, approval } as const
const quote = (credits: bigint, priceVersion = 'v1') => ({ credits: credits as Credits, priceVersion })

/** Rows that are named by their words. */
const named = <T>(rows: readonly (readonly [one: T, words: string])[]) => rows.map(([one, words]) => [words, one] as const)

type Told = Parameters<typeof stateSentence>[0]
const told = (one: Partial<Told>, price = ''): string => stateSentence({ id: 'hero.walk', state: 'missing', ...one } as Told, price)

test.each(
  named<Partial<Told>>([
    [{ state: 'bought' }, 'Bought.'],
    [{ state: 'lost' }, 'Bought, but its result is not here. It is fetched again for free.'],
    [{ state: 'lost', note: 'elsewhere' }, 'Bought, but its result is not here: elsewhere.'],
    [approved, 'Approved up to 1.6 credits, not bought yet.'],
    [{ ...approved, approval: { ...approval, verdict: 'other' } }, 'Approved up to 1.6 credits, but not by you, so it is not bought here.'],
    [
      { ...approved, quote: quote(16_001n) },
      'Approved up to 1.6 credits, but the price has changed since, so nothing is sent. 9 now. Approve it again',
    ],
    [{ state: 'running' }, 'Under way at the service.'],
    [{ state: 'running', note: 'sent' }, 'Under way: sent.'],
    [{ state: 'question' }, 'The service has a question, and waits for the answer.'],
    [{ state: 'uncertain', isForeign: true, undecided: 'answer' }, 'Its journal holds records that were not written with your key'],
    [{ state: 'uncertain', undecided: 'answer' }, 'An answer was sent and never confirmed: whether it arrived is unknown.'],
    [
      { state: 'uncertain' },
      'Sent and never answered: whether it was bought is unknown. Send it again, or give it up; hero.walk may have cost.',
    ],
    [{ state: 'uncertain', ceiling: 10_000n }, 'hero.walk may have cost up to 1 credit.'],
    [{ state: 'failed', undecided: 'conflict', note: 'x' }, 'The service has other bytes under this key'],
    [{ state: 'failed' }, 'Failed. Nothing more is sent without a new approval. 9 now.'],
    [{ state: 'failed', note: 'too dark' }, 'Failed: too dark. Nothing more is sent without a new approval. 9 now.'],
    [{}, 'Not bought, and needs an approval. 9 now.'],
    [{ changed: ['prompt', 'frames'] }, 'Changed since the last purchase: prompt, frames. Not bought, and needs an approval. 9 now.'],
  ]),
)('the state of a request is told as: %s', (words, one) => {
  expect(told(one, '9 now.')).toContain(words)
  expect(told(one)).toBe(told(one, '9 now.').replace(' 9 now.', ''))
})

const request = { operation: 'sprite_sheet', id: 'hero.walk' } as PaidRequest
const why = (one: object): string => whyNotBought({ request, state: 'missing', changed: [], ...one } as unknown as PlanItem)
const step = { operation: 'upscale', id: 'hero#2' } as PaidRequest

test.each(
  named<object>([
    [{ state: 'lost' }, 'bought, not here; fetched again free of charge'],
    [{ state: 'lost', note: 'elsewhere' }, 'bought, not here; elsewhere'],
    [{ state: 'failed', note: 'too dark' }, 'too dark'],
    [{ state: 'bought' }, ''],
    [{ state: 'question' }, 'waits for an answer'],
    [{ state: 'question', question: { text: 'Which hand?' } }, 'asks: Which hand?'],
    [{ state: 'uncertain' }, 'sent, and never answered'],
    [{ state: 'running' }, 'the service works on it'],
    [{}, 'first purchase'],
    [{ changed: ['prompt', 'frames'] }, 'prompt, frames changed'],
    [{ changed: ['prompt'], superseded: {} }, 'prompt changed; the earlier purchase plays on'],
    [{ request: step, sprites: ['hero', 'king'] }, 'upscale for hero, king'],
    [{ state: 'failed' }, 'the last attempt failed (first purchase)'],
    [approved, 'approved'],
    [{ ...approved, approval: { ...approval, given: 'typed' } }, 'approved (typed)'],
    [{ ...approved, quote: quote(16_001n) }, 'approved; above its ceiling'],
    [{ ...approved, quote: quote(1n, 'v2') }, 'approved; the service has changed its prices since'],
    [{ ...approved, approval: { ...approval, verdict: 'other' } }, 'approved by ab, not by you; take it over with approve --adopt'],
    [{ ...approved, approval: { ...approval, verdict: 'elsewhere' } }, 'approved in another checkout; take it over with approve --adopt'],
    [
      { ...approved, approval: { ...approval, verdict: 'given', given: 'clicked' } },
      'approved by ab (clicked), which approval.accept or SPRITEWRIGHT_APPROVALS does not allow here',
    ],
  ]),
)('a request is not bought because of: %s', (words, one) => {
  expect(why(one)).toBe(words)
})

test.each(
  named<object>([
    [{ note: 'approved earlier' }, 'approved earlier'],
    [{ changed: ['prompt'] }, 'changed since the last purchase: prompt'],
    [{ request: step }, 'new, a step: upscale'],
    [{ request: step, state: 'failed', note: 'too dark' }, 'failed: too dark'],
    [{ state: 'approved', note: 'x' }, 'approved, not bought'],
    [{}, 'new'],
  ]),
)('a request is missing in a build because of: %s', (words, one) => {
  expect(missingWords({ request, state: 'missing', ...one })).toBe(words)
})

test('things are counted by what they are, and steps among them are not', () => {
  const picture = { ...request, operation: 'text_to_image' } as PaidRequest
  const counted = (...all: readonly PaidRequest[]) =>
    countItems(
      all.length,
      all.map((one) => ({ request: one })),
    )
  expect([
    counted(),
    counted(request),
    counted(request, step),
    counted(picture),
    counted(picture, step),
    counted(picture, request),
  ]).toEqual(['0 animations', '1 animation', '2 animations', '1 picture', '2 pictures', '2 animations and pictures'])
  expect([count(1, 'entry', 'entries'), count(0, 'entry', 'entries')]).toEqual(['1 entry', '0 entries'])
})

test('a build stops for what nobody has approved, and one that must not buy for all that is unsent', () => {
  const all = ['missing', 'approved', 'failed', 'bought', 'lost', 'running', 'question', 'uncertain'] as const
  const barred = (mayBuy: boolean) => all.filter((state) => isBarred({ state }, mayBuy))
  expect([barred(true), barred(false)]).toEqual([['missing'], ['missing', 'approved', 'failed']])
  expect(all.map((state) => meaningOf({ state }).canBeRevoked)).toEqual(all.map((state) => state === 'approved'))
  expect(meaningOf({ ...approved, quote: quote(16_001n) }).canBeRevoked).toBe(true)
  expect(meaningOf({ state: 'question' })).toMatchObject({ next: 'answer', wantsPerson: true, canBeApproved: false })
  expect(ownMeaning).toMatchObject({ next: 'nothing', wantsPerson: false, canBeRevoked: false })
})
