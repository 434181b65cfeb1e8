import { afterEach, describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { createWindows } from '../../src/embedded/accounts/windows.ts'
import { resolveOptions } from '../../src/embedded/options/options.ts'
import { defaultPricing, estimateOf, priceOf, readEstimateQuery } from '../../src/embedded/options/pricing.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { callerOf, closeAll, start } from './fixtures.ts'
import { finish, until } from './waiting.ts'

afterEach(closeAll)

describe('holds', () => {
  test('C14, C20: a running sprite holds its price, a completed one settles it', async () => {
    const clock = new ManualClock()
    const service = await start({ jobMs: 1200 }, { clock })
    const accepted = await service.me.submit(await service.me.upload(), { body: { max_credits: '9' } })
    const id = accepted.json.execution_id
    const reading = await service.me.stream(id)
    await until(() => service.holds().length === 1)
    expect(service.holds()).toMatchObject([{ executionId: id, credits: parseCredits('2.4'), account: 'demo', prompt: 'a knight\nwalk' }])
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '97.6' })
    expect((await service.me.call(`/v1/executions/${id}`)).json.status).toBe('running')
    await finish(clock, reading.text())
    expect(service.holds()).toEqual([])
    expect(service.charges()).toMatchObject([{ executionId: id, credits: parseCredits('2.4') }])
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '97.6' })
  })

  test('C14, C36: a job that fails restores its hold and says why', async () => {
    const failure = { reason: 'generation_failed', message: 'No.', retryable: true } as const
    const service = await start({ verdict: ({ stage }) => (stage === 'job' ? failure : undefined) })
    const execution = await service.me.buy()
    expect(execution).toMatchObject({ status: 'failed', error: null, image_job: { finished_assets: [] } })
    expect(execution.image_job.sanitized_error).toEqual({ code: 'GENERATION_FAILED', ...failure, request_id: expect.any(String) })
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '100' })
    expect(service.charges()).toEqual([])
  })

  test('C4, C8: too few credits fail the execution after its acceptance, with the error in done', async () => {
    const service = await start({ accounts: [{ name: 'poor', credits: '2.3' }] })
    const accepted = await service.me.submit(await service.me.upload())
    expect(accepted.status).toBe(202)
    const id = accepted.json.execution_id
    const events = await (await service.me.stream(id)).text()
    const { json } = await service.me.call(`/v1/executions/${id}`)
    expect(json.status).toBe('failed')
    expect(json.error).toEqual({ reason: 'insufficient_credits', message: expect.any(String), retryable: false })
    expect(JSON.parse(/event: done\n.*\ndata: (.*)/.exec(events)![1]!).error).toEqual(json.error)
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '2.3' })
  })

  test('C31: a third active job of an account fails at admission; another account has its own two', async () => {
    const accounts = [{ name: 'studio' }, { name: 'other', keys: [{ key: 'key-of-the-other' }] }]
    const service = await start({ accounts, jobMs: 1000 }, { clock: new ManualClock() })
    const reference = await service.me.upload()
    for (const key of ['one', 'two']) await service.me.submit(reference, { key })
    await until(() => service.holds().length === 2)
    const third = await service.me.submit(reference, { key: 'three' })
    await (await service.me.stream(third.json.execution_id)).text()
    const { json } = await service.me.call(`/v1/executions/${third.json.execution_id}`)
    expect(json).toMatchObject({ status: 'failed', error: { reason: 'too_many_active_jobs', retryable: false } })
    const other = callerOf(service, 'key-of-the-other')
    await other.submit(await other.upload())
    await until(() => service.holds().length === 3)
  })

  test('C7: a retryable admission failure leaves it queued until the service has tried again', async () => {
    const clock = new ManualClock()
    const failure = { reason: 'temporarily_unavailable', message: 'Busy.', retryable: true } as const
    let tries = 0
    const verdict = ({ stage, attempt }: { stage: string; attempt: number }): typeof failure | undefined => {
      if (stage === 'admission') tries = attempt
      return stage === 'admission' && attempt < 3 ? failure : undefined
    }
    const service = await start({ verdict }, { clock })
    const { json } = await service.me.submit(await service.me.upload())
    await until(() => clock.sleepers === 1)
    expect((await service.me.call(`/v1/executions/${json.execution_id}`)).json).toMatchObject({ status: 'queued', error: null })
    await finish(
      clock,
      service.me.stream(json.execution_id).then((response) => response.text()),
    )
    expect(tries).toBe(3)
    expect(service.charges()).toHaveLength(1)
  })

  test('C15, N11: a price above max_credits is 422 with the price; nothing is held', async () => {
    const service = await start()
    const reply = await service.me.submit(await service.me.upload(), { body: { max_credits: '2.3999' } })
    expect(reply.status).toBe(422)
    expect(reply.json.error).toMatchObject({
      reason: 'invalid_request',
      retryable: false,
      details: { field: 'max_credits', current_credits: '2.4' },
    })
    expect(service.holds()).toEqual([])
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '100' })
  })
})

describe('idempotency', () => {
  test('C3: the same bytes under the same key are the same 202, charged once, also when the price went up', async () => {
    const service = await start()
    const reference = await service.me.upload()
    const [first, second] = await Promise.all([service.me.submit(reference), service.me.submit(reference)])
    expect([first!.status, second!.status]).toEqual([202, 202])
    expect(second!.text).toBe(first!.text)
    await (await service.me.stream(first!.json.execution_id)).text()
    service.setPricing({ first_tier_cents: 9000 })
    const third = await service.me.submit(reference)
    expect([third.status, third.text]).toEqual([202, first!.text])
    expect(service.charges()).toHaveLength(1)
  })

  test('C3: other bytes under the same key are 409 conflict, even one space more', async () => {
    const service = await start()
    const reference = await service.me.upload()
    await service.me.submit(reference)
    const reply = await service.me.submit(reference, { body: { prompt: 'a knight\nwalk ' } })
    expect(reply.status).toBe(409)
    expect(reply.json.error).toMatchObject({ reason: 'conflict', code: 'CONFLICT', retryable: false })
  })

  test('C3: a key is known to its account only, and to each of its API keys', async () => {
    const accounts = [
      { name: 'studio', keys: [{ key: 'key-one-of-studio' }, { key: 'key-two-of-studio' }] },
      { name: 'other', keys: [{ key: 'key-of-the-other' }] },
    ]
    const service = await start({ accounts })
    const reference = await service.me.upload()
    const first = await service.me.submit(reference)
    const rotated = await callerOf(service, 'key-two-of-studio').submit(reference)
    expect(rotated.text).toBe(first.text)
    const other = callerOf(service, 'key-of-the-other')
    expect((await other.submit(await other.upload())).json.execution_id).not.toBe(first.json.execution_id)
  })

  test('N13: after its retention a key starts anew', async () => {
    const clock = new ManualClock()
    const service = await start({ retentionMs: 1000 }, { clock })
    const reference = await service.me.upload()
    const first = await service.me.submit(reference)
    await clock.advance(999)
    expect((await service.me.submit(reference)).text).toBe(first.text)
    await clock.advance(1)
    expect((await service.me.submit(reference)).json.execution_id).not.toBe(first.json.execution_id)
  })
})

test.each([
  [7, 'remove', '1.6', '0.40'],
  [8, 'remove', '1.6', '0.40'],
  [9, 'remove', '1.8', '0.45'],
  [12, 'remove', '2.4', '0.60'],
  [100, 'remove', '20', '5.00'],
  [7, 'keep', '0.9', '0.23'],
  [12, 'keep', '1.5', '0.38'],
] as const)('%i frames with the background to %s cost %s credits, about %s USD', (frames, background, credits, usd) => {
  expect(estimateOf(defaultPricing, frames, background)).toMatchObject({ frame_count: frames, credits, reference_usd: usd })
})

test.each([
  ['', 12, 'remove'],
  ['frame_count=7', 7, 'remove'],
  ['background=keep&frame_count=100', 100, 'keep'],
])('the query "%s" asks for the price of %i frames, %s', (query, frames, background) => {
  expect(readEstimateQuery(new URLSearchParams(query), defaultPricing)).toEqual({ frames, background })
})

test.each([
  'frame_count=6',
  'frame_count=101',
  'frame_count=8.5',
  'frame_count=',
  'background=none',
  'account=x',
  'frame_count=8&frame_count=8',
])('the query "%s" is refused', (query) => {
  expect(() => readEstimateQuery(new URLSearchParams(query), defaultPricing)).toThrow(
    expect.objectContaining({ reason: 'invalid_request' }),
  )
})

test('a window lets so many requests of a kind through, by key and by account, until the oldest is as old as it is long', async () => {
  const clock = new ManualClock()
  const limits = { post: 2, get: Number.POSITIVE_INFINITY, download: 1, windowMs: 1000 }
  const windows = createWindows(clock, limits as never)
  const caller = (key: string, account: string) => ({ key: { hash: key }, account: { id: account } }) as never
  const enter = (kind: 'post' | 'get' | 'download', key: string, account: string): string => {
    try {
      windows.enter(kind, caller(key, account))
      return 'in'
    } catch (error) {
      return (error as { readonly reason: string }).reason
    }
  }
  expect(['k', 'k', 'k', 'l'].map((key) => enter('post', key, 'a'))).toEqual(['in', 'in', 'rate_limited', 'rate_limited'])
  expect([enter('post', 'l', 'b'), enter('download', 'k', 'a'), enter('get', 'k', 'a')]).toEqual(['in', 'in', 'in'])
  await clock.advance(999)
  expect(enter('post', 'k', 'a')).toBe('rate_limited')
  await clock.advance(1)
  expect([enter('post', 'k', 'a'), enter('post', 'm', 'a'), enter('post', 'n', 'a')]).toEqual(['in', 'in', 'rate_limited'])
})

test('what no option says is as documented, and an option changes itself alone', () => {
  const { verdict: _, ask: __, before: ___, after: ____, onRequest: _____, makers: ______, shapes: _______, ...plain } = resolveOptions({})
  const limits = { windowMs: 60_000, post: 10, get: 120, download: 20, activeJobs: 2, streams: 4 }
  const usual = {
    accounts: [{ name: 'demo' }],
    jobMs: 600,
    limits,
    pricing: defaultPricing,
    retentionMs: 86_400_000,
    linkMs: 900_000,
    heartbeatMs: 15_000,
    admissionRetryMs: 1000,
    maximumInputBytes: 10_485_760,
    maximumInputDimension: 4096,
    imageCredits: '1',
    faults: { rules: [] },
  }
  expect(plain).toEqual(usual)
  const own = {
    accounts: [{ name: 'studio' }],
    jobMs: 0,
    retentionMs: 1,
    linkMs: 2,
    heartbeatMs: 3,
    admissionRetryMs: 4,
    maximumInputBytes: 5,
    maximumInputDimension: 6,
    imageCredits: '0.5',
    faults: { rules: [{ do: {} }] },
  }
  expect(resolveOptions({ ...own, limits: { get: 1 }, pricing: { default_frames: 9 }, shapes: { uploadPath: '/in' } })).toMatchObject({
    ...own,
    limits: { ...limits, get: 1 },
    pricing: { ...defaultPricing, default_frames: 9 },
    shapes: { uploadPath: '/in', answerPath: '/v1/conversations/*/answers' },
  })
})

test.each([
  ['remove', 1, 25, '0.4'],
  ['remove', 8, 25, '0.4'],
  ['remove', 9, 25, '0.6'],
  ['remove', 9, 20, '0.7'],
  ['keep', 9, 25, '0.8'],
] as const)(
  'with the background to %s, %i frames at %i cents a credit cost %s credits, rounded up to a tenth',
  (background, frames, cents, credits) => {
    const pricing = { ...defaultPricing, first_tier_cents: 10, additional_frame_cents: 4, plain_frame_cents: 2, credit_cents: cents }
    expect(priceOf(pricing, frames, background)).toBe(parseCredits(credits))
  },
)
