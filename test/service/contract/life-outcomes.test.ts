import { expect, test } from 'vitest'
import type { LifeOutcome } from '../../../src/contract/outcome.ts'
import { executed, paidId, zip } from './executed.ts'
import { otherId } from './held-job.ts'
import { type Answer, answer, type LifeWorld, live, path } from './live.ts'

/** All that was seen, in short: an answer by its status, a read by the status of its execution. */
function short(seen: LifeOutcome): Record<string, unknown> {
  const { reads, events, resumed, ...others } = seen
  const isAnswer = (value: unknown): value is Answer => typeof value === 'object' && value !== null && 'bytes' in value
  const rest = Object.entries(others).map(([key, value]) => [key, isAnswer(value) ? value.status : value])
  return {
    ...Object.fromEntries(rest),
    ...(reads && { reads: reads.map(({ json }) => (json as { status: unknown }).status) }),
    ...(events && { events: events.map(({ event }) => event) }),
    ...(resumed && { resumed: [resumed.after, ...resumed.events.map(({ event }) => event)] }),
  }
}

const whole = {
  ...{ isFree: false, price: 16_000n, balanceBefore: 90_000n, balanceAfter: 90_000n, accepted: 202, executionId: paidId, conflicting: 202 },
  ...{ reads: ['queued', 'completed'], balancesHeld: [], events: ['started', 'progress', 'done'], resumed: ['2', 'done'] },
  ...{ redirect: 302, isElsewhere: true, file: 200 },
}
const statuses = ['queued', 'completed']

test('all is seen of an execution that runs for a while under a ceiling for three', async () => {
  let balance = 9
  const { seen } = await live({
    ceiling: 48_000n,
    statuses: ['queued', ...Array(6).fill('running'), 'completed'],
    reply: ({ path: asked, isManaged }) => {
      if (asked === '/v1/balance') return answer(200, { credits: `${balance--}` })
      return asked === path && isManaged === false ? answer(422, {}) : undefined
    },
  })
  expect(short(seen)).toEqual({
    ...{ ...whole, balanceAfter: 50_000n, replayed: 202, underpriced: 202, underpricedStatus: 'completed', initial: 202 },
    reads: ['queued', ...Array(5).fill('running'), 'completed', 'completed'],
    ...{ balancesHeld: [80_000n, 70_000n], streams: [200, 200, 200, 200, 200], versionless: 422, cancelled: 409 },
  })
})

test.each<[string, LifeWorld, object]>([
  ['a key for tests that use no credits', { capabilities: { key_mode: 'test', test_mode_uses_credits: false } }, { isFree: true }],
  ['a key for tests that use credits', { capabilities: { key_mode: 'test', test_mode_uses_credits: true } }, {}],
  ['a live key', { capabilities: { key_mode: 'live', test_mode_uses_credits: false } }, {}],
  ['capabilities that are none', { capabilities: [] }, {}],
  ['an event without a name', { streamed: [{ event: 'started', id: '', data: '' }] }, { events: ['started'], resumed: undefined }],
  ['no event', { streamed: [] }, { events: [], resumed: undefined }],
  [
    'events after the last one',
    { streamed: ['1', '2', '3', '4', '5'].map((id) => ({ event: id === '4' ? 'done' : 'job', id, data: '' })) },
    { events: ['job', 'job', 'job', 'done'], resumed: ['2', 'job', 'done'] },
  ],
  ['a base URL with a path', { base: '/base', download: { download_url: 'https://api.test/base/v1/image-jobs/x/asset' } }, {}],
  ['an asset outside of the path', { base: '/base' }, { redirect: undefined, isElsewhere: undefined, file: undefined }],
  ['a file on this machine', { isLoopback: true, location: 'http://127.0.0.1:5/a.zip' }, {}],
  ['a file of another machine', { isLoopback: true, location: 'http://10.0.0.1/a.zip' }, { file: undefined }],
  [
    'an end before the streams are open',
    { statuses: ['running', 'running', 'completed'] },
    { reads: ['running', 'running', 'completed'], balancesHeld: [90_000n], versionless: 200, conflicting: 202 },
  ],
  [
    'another acceptance for the same bytes',
    {
      ceiling: 32_000n,
      reply: replies(answer(202, { execution_id: paidId }), answer(202, { execution_id: paidId }), answer(202, { execution_id: otherId })),
    },
    { replayed: 202 },
  ],
])('what is seen fits %s', async (_what, world, change) => {
  const { seen } = await live({ statuses, ...world })
  const expected = Object.entries({ ...whole, ...change }).filter(([, value]) => value !== undefined)
  expect(short(seen)).toEqual(Object.fromEntries(expected))
})

/** Answers of submissions, in order. */
function replies(...answers: readonly Answer[]): NonNullable<LifeWorld['reply']> {
  const left = [...answers]
  return ({ path: asked }) => (asked === '/v1/execute' ? left.shift() : undefined)
}

const at =
  (asked: string, reply: Answer): NonNullable<LifeWorld['reply']> =>
  (call) =>
    call.path.startsWith(asked) ? reply : undefined
const decimal = 'a decimal with at most four places, like 2.4'
const unfinished = 'The execution did not end within 0.03333333333333333 minutes; it goes on at the service.'

test.each<[string, LifeWorld, string]>([
  ['nothing may be spent', { ceiling: undefined }, 'Nothing may be spent: set a ceiling with --spend.'],
  ['there is no estimate', { reply: at('/v1/sprite-pricing', answer(403, {})) }, 'No estimate could be had for 7 frames (403).'],
  [
    'the estimate is a list',
    { reply: at('/v1/sprite-pricing', answer(200, [])) },
    `Expected the estimate's credits as ${decimal}, found "".`,
  ],
  ['it costs too much', { ceiling: 15_999n }, '7 frames cost 1.6 credits, above the ceiling of 1.5999: nothing was bought.'],
  ['too little is left', { balance: '1.5' }, '7 frames cost 1.6 credits, 1.5 are available: nothing was bought.'],
  ['the balance is none', { balance: 'much' }, `Expected the balance as ${decimal}, found "much".`],
  ['it is refused', { submitted: () => answer(402, {}) }, 'The submission was answered with 402.'],
  ['it cannot be read', { reply: at(path, answer(500, {})) }, 'The execution could not be read (500).'],
  ['it asks', { statuses: ['needs_input'] }, 'The service asked a question about the execution; answer it in its console.'],
  ['it takes too long', { statuses: ['queued'] }, unfinished],
  ['it has no status', { reply: at(path, answer(200, {})) }, unfinished],
])('the execution is left with these words if %s', async (_what, world, words) => {
  const { seen } = await live(world)
  expect(seen.stopped).toBe(words)
})

test('what is submitted is a sheet of seven frames, as JSON with a key; only the last key and maximum are others', async () => {
  const sent: unknown[] = []
  await live({
    ceiling: 48_000n,
    statuses,
    reply: ({ path: asked, headers }, body) => {
      if (asked === '/v1/execute') sent.push([headers?.['idempotency-key'], headers?.accept, headers?.['content-type'], body])
      return undefined
    },
  })
  const key = 'sw1-contract-00000000-0000-4000-8000-000000000001'
  const body = (max: string): unknown => expect.objectContaining({ max_credits: max })
  const json = 'application/json'
  expect(sent).toEqual([
    [key, json, json, body('1.6')],
    [key, json, json, body('0.0001')],
    [key, json, json, body('1.6')],
    [`${key}-under`, json, json, body('0.0001')],
    [key, 'text/event-stream', json, body('1.6')],
  ])
  expect((sent[0] as unknown[])[3]).toMatchInlineSnapshot(`
    {
      "animation": {
        "background": "remove",
        "frame_count": 7,
      },
      "max_credits": "1.6",
      "operation": "sprite_sheet",
      "prompt": "a small round creature, side view
    walk in place",
      "reference_asset_id": "00000000-0000-4000-8000-000000000000",
    }
  `)
})

test('a file that comes without a redirect is kept under the name of the execution', async () => {
  const { kept } = await live({ statuses, reply: at('/v1/image-jobs/', { ...answer(200, ''), bytes: zip }) })
  expect(kept).toEqual([[zip, paidId]])
})

test.each<[string, object]>([
  ['no job', { image_job: null }],
  ['a job that is a text', { image_job: 'x' }],
  ['assets that are a text', { image_job: { finished_assets: 'x' } }],
  ['no assets', { image_job: { finished_assets: [] } }],
  ['an asset that is none', { image_job: { finished_assets: [null] } }],
  ['an address that is none', { image_job: { finished_assets: [{ download_url: 'http://[' }] } }],
])('nothing is downloaded of an execution with %s, and the balance is read', async (_what, change) => {
  const { seen, told } = await live({ reply: at(path, answer(200, { ...executed, ...change })) })
  expect([seen.redirect, seen.stopped, told.at(-1)]).toEqual([undefined, undefined, 'GET /v1/balance'])
})
