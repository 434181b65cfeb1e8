import { afterEach, describe, expect, test } from 'vitest'
import { callerOf, closeAll, knight, type Reply, start, submission } from './fixtures.ts'

afterEach(closeAll)

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function expectEnvelope(reply: Reply, status: number, reason: string): void {
  expect(reply.status).toBe(status)
  expect(Object.keys(reply.json)).toEqual(['error'])
  const { details: _, ...error } = reply.json.error
  expect(Object.keys(error).sort()).toEqual(['category', 'code', 'message', 'reason', 'request_id', 'retryable'])
  expect(error.reason).toBe(reason)
  expect(error.request_id).toMatch(uuid)
  expect(reply.headers.get('x-request-id')).toBe(error.request_id)
  expect(reply.headers.get('cache-control')).toBe('no-store')
  expect(reply.headers.get('pragma')).toBe('no-cache')
}

describe('keys', () => {
  test('C1, C27: a missing Authorization header is 422 invalid_request', async () => {
    const { me } = await start()
    expectEnvelope(await me.call('/v1/balance', { headers: { authorization: undefined } }), 422, 'invalid_request')
  })

  test.each(['Bearer wrong-key-of-nobody', 'Bearer', 'Basic abc'])('C1: %s is 401 authentication_failed', async (authorization) => {
    const { me } = await start()
    const reply = await me.call('/v1/balance', { headers: { authorization } })
    expectEnvelope(reply, 401, 'authentication_failed')
    expect(reply.text).not.toContain('wrong-key-of-nobody')
  })

  test('C1: a revoked key is 401', async () => {
    const service = await start({ accounts: [{ name: 'studio', keys: [{ key: 'key-of-the-studio' }] }] })
    expect((await service.me.call('/v1/balance')).status).toBe(200)
    await service.putAccount({ name: 'studio', keys: [{ key: 'key-of-the-studio', isRevoked: true }] })
    expectEnvelope(await service.me.call('/v1/balance'), 401, 'authentication_failed')
  })

  test('C1, C26: what belongs to another account is 403, what is nowhere is 404', async () => {
    const service = await start({
      accounts: [
        { name: 'studio', keys: [{ key: 'key-of-the-studio' }] },
        { name: 'other', keys: [{ key: 'key-of-the-other', mode: 'live' }] },
      ],
    })
    const bought = await service.me.buy()
    const other = callerOf(service, 'key-of-the-other')
    expectEnvelope(await other.call(`/v1/executions/${bought.execution_id}`), 403, 'access_denied')
    expectEnvelope(await other.call(`/v1/executions/${bought.execution_id}/events`), 403, 'access_denied')
    expectEnvelope(await other.call(`/v1/image-jobs/${bought.image_job.public_job_id}/asset`), 403, 'access_denied')
    expectEnvelope(await other.call('/v1/executions/00000000-0000-4000-8000-000000000000'), 404, 'resource_not_found')
    expectEnvelope(await other.call('/v1/nothing'), 404, 'resource_not_found')
    expectEnvelope(await other.submit(await service.me.upload()), 403, 'access_denied')
    expect((await other.call('/v1/capabilities')).json.key_mode).toBe('live')
  })

  test('C17: an account without sprites is told so, by capabilities and by feature_unavailable', async () => {
    const { me } = await start({ accounts: [{ name: 'small', operations: [] }] })
    expect((await me.call('/v1/capabilities')).json.operations).toEqual([])
    expectEnvelope(await me.call('/v1/sprite-pricing'), 403, 'feature_unavailable')
    expectEnvelope(await me.submit(await me.upload()), 403, 'feature_unavailable')
  })
})

describe('pricing', () => {
  test('C18, C19: the estimate has exactly its seven fields and is private', async () => {
    const { me } = await start()
    const reply = await me.call('/v1/sprite-pricing')
    expect(reply.json).toEqual({
      price_version: 'sprite-base-frame-20261017-v1',
      frame_count: 12,
      background: 'remove',
      credits: '2.4',
      reference_usd: '0.60',
      reference_credit_cents: 25,
      binding: false,
    })
    expect(reply.headers.get('cache-control')).toBe('private, no-store')
  })

  test.each([
    [7, 'remove', '1.6'],
    [13, 'remove', '2.6'],
    [12, 'keep', '1.5'],
    [100, 'remove', '20'],
  ])('N15: %i frames with the background to %s cost %s credits, rounded up to a tenth', async (frames, background, credits) => {
    const { me } = await start()
    expect((await me.call(`/v1/sprite-pricing?frame_count=${frames}&background=${background}`)).json.credits).toBe(credits)
  })

  test.each([
    ['frame_count=6', 'frame_count'],
    ['frame_count=101', 'frame_count'],
    ['frame_count=12.0', 'frame_count'],
    ['frame_count=', 'frame_count'],
    ['frame_count=12&frame_count=13', 'frame_count'],
    ['background=blue', 'background'],
    ['account=another', 'query'],
  ])('C18: the query %s is 422 and names the field, not the value', async (query, field) => {
    const { me } = await start()
    const reply = await me.call(`/v1/sprite-pricing?${query}`)
    expectEnvelope(reply, 422, 'invalid_request')
    expect(reply.json.error.details.field).toBe(field)
    expect(reply.text).not.toMatch(/blue|another/)
  })

  test('C16: capabilities give the price of the default frames from the pricing in force', async () => {
    const service = await start()
    service.setPricing({ first_tier_cents: 65 })
    const { json } = await service.me.call('/v1/capabilities')
    expect(json).toMatchObject({ api_version: '1', sprite_sheet_credits: 3.4, sprite_pricing: { first_tier_cents: 65 } })
    expect((await service.me.call('/v1/sprite-pricing')).json.credits).toBe('3.4')
  })
})

describe('uploads and submissions', () => {
  test('N1: a picture is taken in and described', async () => {
    const { me } = await start()
    const reply = await me.call('/v1/reference-assets', { method: 'POST', headers: { 'content-type': 'image/png' }, body: knight })
    expect(reply.status).toBe(201)
    expect(reply.json).toEqual({
      asset_id: expect.stringMatching(uuid),
      content_type: 'image/png',
      width: 32,
      height: 32,
      bytes: knight.length,
    })
  })

  test.each([
    ['an unknown type', 'image/gif', knight, 'Content-Type'],
    ['another picture than stated', 'image/webp', knight, 'body'],
    ['a damaged picture', 'image/png', knight.slice(0, knight.length - 20), 'body'],
    ['no picture', 'image/png', new Uint8Array(10), 'body'],
  ])('C16: %s is refused', async (_, type, body, field) => {
    const { me } = await start()
    const reply = await me.call('/v1/reference-assets', { method: 'POST', headers: { 'content-type': type }, body })
    expectEnvelope(reply, 422, 'invalid_request')
    expect(reply.json.error.details.field).toBe(field)
  })

  test('C16: a picture above the limits is refused with the limit', async () => {
    const post = { method: 'POST', headers: { 'content-type': 'image/png' }, body: knight }
    const wide = await (await start({ maximumInputDimension: 31 })).me.call('/v1/reference-assets', post)
    expect(wide.json.error.details).toEqual({ field: 'body', maximum_input_dimension: 31 })
    const heavy = await (await start({ maximumInputBytes: 20 })).me.call('/v1/reference-assets', post)
    expect(heavy.json.error.details).toEqual({ field: 'body', maximum_input_bytes: 20 })
  })

  test.each([
    ['prompt', { prompt: '' }],
    ['operation', { operation: 'paint_it' }],
    ['reference_asset_id', { reference_asset_id: '00000000-0000-4000-8000-000000000000' }],
    ['max_credits', { max_credits: 2.4 }],
    ['max_credits', { max_credits: '1e1' }],
    ['animation', { animation: null }],
    ['animation.frame_count', { animation: { frame_count: 101, background: 'remove' } }],
    ['animation.background', { animation: { frame_count: 12, background: 'paint_it' } }],
  ])('C27: a wrong %s is 422 with its name, and nothing starts', async (field, body) => {
    const service = await start()
    const reply = await service.me.submit(await service.me.upload(), { body })
    expectEnvelope(reply, 422, 'invalid_request')
    expect(reply.json.error.details.field).toBe(field)
    expect(reply.text).not.toContain('paint_it')
    expect(service.charges()).toEqual([])
  })

  test('C2: submission and status read want Service-Version: 1', async () => {
    const { me } = await start()
    const { execution_id: id } = await me.buy()
    for (const version of [undefined, '2']) {
      expectEnvelope(await me.call(`/v1/executions/${id}`, { headers: { 'service-version': version } }), 422, 'invalid_request')
      const submitted = await me.call('/v1/execute', {
        method: 'POST',
        headers: { 'service-version': version, 'content-type': 'application/json', 'idempotency-key': 'k' },
        body: JSON.stringify(submission(await me.upload())),
      })
      expectEnvelope(submitted, 422, 'invalid_request')
    }
  })

  test('C11: a sprite is not cancelled', async () => {
    const { me } = await start()
    const { execution_id: id } = await me.buy()
    expectEnvelope(await me.call(`/v1/executions/${id}/cancel`, { method: 'POST' }), 422, 'invalid_request')
  })

  test('a hook can drop a request before the service sees it, and an answer after', async () => {
    let drops: 'before' | 'after' = 'before'
    const nothing = { status: 500, headers: {}, body: new Uint8Array(), cutAfter: 0 }
    const isSubmission = (path: string): boolean => path === '/v1/execute'
    const service = await start({
      before: async ({ path }) => (drops === 'before' && isSubmission(path) ? nothing : undefined),
      after: async ({ path }, response) => (drops === 'after' && isSubmission(path) ? { ...response, cutAfter: 0 } : response),
    })
    const reference = await service.me.upload()
    await expect(service.me.submit(reference)).rejects.toThrow()
    drops = 'after'
    await expect(service.me.submit(reference)).rejects.toThrow()
    expect(service.charges().length + service.holds().length).toBeLessThanOrEqual(1)
    expect(
      service
        .requests()
        .filter(({ path }) => isSubmission(path))
        .map(({ status }) => status),
    ).toEqual([500, 202])
  })
})
