import { afterEach, describe, expect, test } from 'vitest'
import { jsonResponse } from '../../src/embedded/http/http.ts'
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
