import { afterEach, describe, expect, test } from 'vitest'
import { jsonResponse, Refusal, splitPath, toEnvelope } from '../../src/embedded/http/http.ts'
import { failureIn } from '../../src/embedded/options/prompt-words.ts'
import { type Reason, reasons } from '../../src/embedded/reasons.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { callerOf, closeAll, type Reply, start, submission } from './fixtures.ts'

afterEach(closeAll)

const nobody = '00000000-0000-4000-8000-000000000000'
const wizard = { operation: 'text_to_image', prompt: 'a wizard', reference_asset_id: undefined }

/** The reason of an answer or of an execution. */
function reasonOf({ json }: Pick<Reply, 'json'>): string | undefined {
  return json?.error?.reason ?? json?.image_job?.sanitized_error?.reason
}

async function executed(
  prompt: string,
  accounts = [{ name: 'studio' }] as { name: string; credits?: string }[],
): Promise<Pick<Reply, 'json'>> {
  const { me } = await start({ accounts })
  return { json: await me.buy('first', { ...wizard, prompt }) }
}

/** A way for a client to get each reason. It uses no option of the service except its accounts and limits. */
const ways: Readonly<Record<Reason, () => Promise<Pick<Reply, 'json'>>>> = {
  invalid_request: async () => (await start()).me.submit(nobody, { body: { prompt: '' } }),
  authentication_failed: async () => callerOf(await start(), 'key-of-nobody').call('/v1/balance'),
  access_denied: async () => {
    const service = await start({ accounts: [{ name: 'studio' }, { name: 'other', keys: [{ key: 'key-of-the-other' }] }] })
    const { execution_id: id } = await service.me.buy('first', wizard)
    return callerOf(service, 'key-of-the-other').call(`/v1/executions/${id}`)
  },
  resource_not_found: async () => (await start()).me.call(`/v1/executions/${nobody}`),
  insufficient_credits: async () => executed('a wizard', [{ name: 'poor', credits: '0.5' }]),
  conflict: async () => {
    const { me } = await start()
    await me.buy('first', wizard)
    return me.submit(nobody, { key: 'first', body: { ...wizard, prompt: 'another wizard' } })
  },
  too_many_active_jobs: async () => {
    const service = await start({ jobMs: 1000 }, { clock: new ManualClock() })
    for (const key of ['one', 'two']) await service.me.submit(nobody, { key, body: wizard })
    const { json } = await service.me.submit(nobody, { key: 'three', body: wizard })
    await (await service.me.stream(json.execution_id)).text()
    return service.me.call(`/v1/executions/${json.execution_id}`)
  },
  rate_limited: async () => {
    const { me } = await start({ limits: { get: 1 } })
    await me.call('/v1/balance')
    return me.call('/v1/balance')
  },
  quota_exceeded: async () => executed('[fail quota_exceeded]'),
  content_refused: async () => executed('[fail content_refused]'),
  temporarily_unavailable: async () => executed('[fail temporarily_unavailable]'),
  generation_failed: async () => executed('[fail generation_failed]'),
  insufficient_frames: async () => executed('[fail insufficient_frames]'),
  prompt_policy_blocked: async () => executed('[fail prompt_policy_blocked]'),
  feature_unavailable: async () => {
    const { me } = await start({ accounts: [{ name: 'small', operations: ['upscale'] }] })
    return me.submit(await me.upload())
  },
}

describe('the fifteen public reasons', () => {
  test('C28: are those of the interface', () => {
    expect(reasons).toHaveLength(15)
    expect(Object.keys(ways).sort()).toEqual([...reasons].sort())
  })

  test.each(reasons)('C28: %s can be met by a client', async (reason) => {
    expect(reasonOf(await ways[reason]())).toBe(reason)
  })

  test.each(reasons)('C8, C28: [fail %s at admission] fails the execution with its error, and nothing is charged', async (reason) => {
    const service = await start()
    const execution = await service.me.buy('first', { prompt: `a knight [fail ${reason} at admission]` })
    expect(execution).toMatchObject({ status: 'failed', error: { reason, retryable: false }, image_job: { sanitized_error: null } })
    expect([service.charges(), service.holds()]).toEqual([[], []])
  })

  test.each(reasons)('C14, C36: [fail %s at job] fails the job with it and restores the hold', async (reason) => {
    const service = await start()
    const execution = await service.me.buy('first', { prompt: `a knight [fail ${reason} at job retryable]` })
    expect(execution).toMatchObject({ status: 'failed', error: null, image_job: { sanitized_error: { reason, retryable: true } } })
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '100' })
  })

  test('a reason that there is not is said to be none', async () => {
    const { json } = await executed('[fail bad_weather]')
    expect(json.error).toMatchObject({ reason: 'invalid_request', message: expect.stringContaining('quota_exceeded') })
  })

  test('C7: [busy 2] leaves the execution queued for two tries, then it is made', async () => {
    const clock = new ManualClock()
    const service = await start({}, { clock })
    const { json } = await service.me.submit(nobody, { body: { ...wizard, prompt: '[busy 2] a wizard' } })
    while (clock.sleepers === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(1000)
    expect((await service.me.call(`/v1/executions/${json.execution_id}`)).json).toMatchObject({ status: 'queued', error: null })
    await clock.advance(1000)
    await (await service.me.stream(json.execution_id)).text()
    expect((await service.me.call(`/v1/executions/${json.execution_id}`)).json.status).toBe('completed')
  })
})

describe('keys and accounts', () => {
  test('C38: a test key and a live key of one account say which they are and share its credits', async () => {
    const keys = [{ key: 'key-for-testing' }, { key: 'key-that-is-live', mode: 'live' as const }]
    const service = await start({ accounts: [{ name: 'studio', keys }] })
    const live = callerOf(service, 'key-that-is-live')
    expect((await service.me.call('/v1/capabilities')).json).toMatchObject({
      api_version: '1',
      key_mode: 'test',
      test_mode_uses_credits: true,
    })
    expect((await live.call('/v1/capabilities')).json).toMatchObject({ api_version: '1', key_mode: 'live' })
    await live.buy('first', wizard)
    expect((await service.me.call('/v1/balance')).json).toEqual({ credits: '99' })
  })

  test('C27: no answer that refuses shows what was submitted', async () => {
    const { me } = await start()
    const secret = 'ZEBRA-7731'
    const replies = [
      await me.submit(nobody, { body: { operation: secret } }),
      await me.submit(nobody, { body: { max_credits: secret } }),
      await me.submit(nobody, { body: { animation: { frame_count: secret, background: secret } } }),
      await me.submit(secret),
      await me.call('/v1/execute', { method: 'POST', headers: { 'content-type': secret, 'idempotency-key': 'k' }, body: secret }),
      await me.call('/v1/execute', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': secret.repeat(40) },
        body: JSON.stringify(submission(nobody)),
      }),
      await me.call(`/v1/sprite-pricing?frame_count=${secret}`),
      await me.call(`/v1/sprite-pricing?${secret}=1`),
      await me.call(`/v1/executions/${secret}`),
      await me.call(`/v1/conversations/${secret}`, { method: 'DELETE' }),
      await me.call(`/v1/${secret}`),
    ]
    for (const reply of replies) {
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(reply.text + JSON.stringify([...reply.headers])).not.toContain(secret)
    }
  })
})

test('the length of an answer is that of its bytes, not of its characters', () => {
  const { headers, body } = jsonResponse(200, { prompt: 'Ein Bär – 熊' })
  expect(body).toHaveLength(Number(headers['content-length']))
})

test.each<[Reason, number, string, boolean]>([
  ['invalid_request', 422, 'VALIDATION', false],
  ['authentication_failed', 401, 'AUTHENTICATION', false],
  ['access_denied', 403, 'PERMISSION', false],
  ['resource_not_found', 404, 'NOT_FOUND', false],
  ['insufficient_credits', 422, 'BILLING', false],
  ['conflict', 409, 'CONFLICT', false],
  ['too_many_active_jobs', 422, 'QUOTA', false],
  ['rate_limited', 429, 'RATE_LIMITED', true],
  ['quota_exceeded', 422, 'QUOTA', false],
  ['content_refused', 422, 'POLICY', false],
  ['temporarily_unavailable', 503, 'AVAILABILITY', true],
  ['generation_failed', 422, 'GENERATION', false],
  ['insufficient_frames', 422, 'GENERATION', false],
  ['prompt_policy_blocked', 422, 'POLICY', false],
  ['feature_unavailable', 403, 'PERMISSION', false],
])('C27, C28: %s is answered with %i, %s, and may be tried again: %s', (reason, status, category, retryable) => {
  for (const details of [undefined, { field: 'prompt' }]) {
    const { body, headers, ...rest } = toEnvelope(new Refusal(reason, 'No.', details), 'request-1')
    expect(rest).toEqual({ status })
    expect(headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String((body as Uint8Array).length),
      'x-request-id': 'request-1',
      'cache-control': 'no-store',
      pragma: 'no-cache',
    })
    const told = { code: reason.toUpperCase(), reason, message: 'No.', category, retryable, request_id: 'request-1' }
    expect(JSON.parse(new TextDecoder().decode(body as Uint8Array))).toEqual({ error: details ? { ...told, details } : told })
  }
})

test.each<[string, string, string]>([
  ['a knight', '---', '-'],
  ['[busy 2] a knight', 'tt-', '-'],
  ['[busy 1][fail conflict]', 'tcc', '-'],
  ['[busy 2', '---', '-'],
  ['[fail conflict]', 'ccc', '-'],
  ['[fail generation_failed]', '---', 'g'],
  ['[fail insufficient_frames]', '---', 'i'],
  ['[fail temporarily_unavailable]', '---', 't'],
  ['[fail temporarily_unavailable at admission]', 'ttt', '-'],
  ['[fail conflict at job]', '---', 'c'],
  ['[fail weather at job]', 'iii', '-'],
])('%s fails three attempts of admission by %s, and the job by %s', (prompt, admission, job) => {
  const first = (stage: 'admission' | 'job', attempt: number): string => failureIn(prompt, stage, attempt)?.reason[0] ?? '-'
  expect([1, 2, 3].map((attempt) => first('admission', attempt)).join('')).toBe(admission)
  expect([1, 2, 3].map((attempt) => first('job', attempt)).join('')).toBe(job.repeat(3))
})

test.each<[string, readonly string[], string]>([
  ['/v1/balance', ['v1', 'balance'], ''],
  ['/v1/sprite-pricing?frame_count=7&background=keep', ['v1', 'sprite-pricing'], 'frame_count=7&background=keep'],
  ['/?a=/b?c', [''], 'a=%2Fb%3Fc'],
  ['/a//b/', ['a', '', 'b', ''], ''],
])('the path %s has the parts %j and the query "%s"', (path, segments, query) => {
  const split = splitPath(path)
  expect([split.segments, split.query.toString()]).toEqual([segments, query])
})
