import { afterEach, describe, expect, test } from 'vitest'
import { callerOf, closeAll, inProcess, jsonOf, knight, type Reply, served, start, submission } from './fixtures.ts'

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

describe('a service without sockets', () => {
  const wizard = { operation: 'text_to_image', prompt: 'a wizard' }
  const post = { 'content-type': 'application/json', 'idempotency-key': 'first' }

  test('reads headers as HTTP has them: in any case, with parameters, several types in one', async () => {
    const { key, send } = await inProcess()
    expect((await send('GET', '/v1/balance', { authorization: `bearer  ${key}` })).status).toBe(200)
    expect((await send('POST', '/v1/reference-assets', { 'content-type': 'IMAGE/PNG; charset=binary' }, knight)).status).toBe(201)
    const body = JSON.stringify(wizard)
    expect((await send('POST', '/v1/execute', { ...post, 'content-type': 'Application/JSON; charset=utf-8' }, body)).status).toBe(202)
    const streamed = await send('POST', '/v1/execute', { ...post, accept: 'application/json, text/event-stream' }, body)
    expect(streamed.headers['content-type']).toContain('text/event-stream')
  })

  test('takes what just reaches its limits, and refuses one more', async () => {
    const { send } = await inProcess({ maximumInputBytes: knight.length, maximumInputDimension: 32 })
    expect((await send('POST', '/v1/reference-assets', { 'content-type': 'image/png' }, knight)).status).toBe(201)
    const submitted = (prompt: string) =>
      send('POST', '/v1/execute', { ...post, 'idempotency-key': prompt.slice(-9) }, JSON.stringify({ ...wizard, prompt }))
    expect((await submitted('x'.repeat(4000))).status).toBe(202)
    expect(jsonOf(await submitted('y'.repeat(4001))).error.details.field).toBe('prompt')
  })

  test('an account that is put again keeps what is not named, and owes nothing when its credits are lowered', async () => {
    const { putAccount, send, charges, stop } = await inProcess({
      accounts: [{ name: 'studio', credits: '7', operations: ['text_to_image'] }],
      imageCredits: '0.5',
      makers: {
        image: async () => ({ bytes: knight, contentType: 'image/png', width: 32, height: 32, review: null }),
        sheet: async () => ({ reason: 'generation_failed', message: '', retryable: false }),
      },
    })
    await putAccount({ name: 'studio' })
    const told = jsonOf(await send('GET', '/v1/capabilities'))
    expect(told).toMatchObject({ operations: ['text_to_image'], live_charge_credits_per_image: 0.5 })
    expect(jsonOf(await send('GET', '/v1/balance'))).toEqual({ credits: '7' })
    const { execution_id: id, conversation_id: conversation } = jsonOf(await send('POST', '/v1/execute', post, JSON.stringify(wizard)))
    for await (const _ of (await send('GET', `/v1/executions/${id}/events`)).body as AsyncIterable<Uint8Array>);
    expect(charges().map(({ prompt }) => prompt)).toEqual(['a wizard'])
    await putAccount({ name: 'studio', credits: '0.2' })
    expect(jsonOf(await send('GET', '/v1/balance'))).toEqual({ credits: '0' })
    expect((await send('DELETE', `/v1/conversations/${conversation}`)).status).toBe(204)
    expect(charges().map(({ prompt }) => prompt)).toEqual([''])
    await stop()
  })

  test('hands out no key that is revoked or live', async () => {
    const keys = [{ key: 'key-revoked', isRevoked: true }, { key: 'key-live', mode: 'live' as const }, { key: 'key-good' }]
    expect((await inProcess({ accounts: [{ name: 'studio', keys }] })).key).toBe('key-good')
  })

  test('notes a link without its query, which opens the file', async () => {
    const { handleAsset, requests, send } = await inProcess()
    await handleAsset(served('GET', '/deliveries/1?expires=2&signature=3'))
    await send('GET', '/v1/sprite-pricing?frame_count=12')
    expect(requests().map(({ path }) => path)).toEqual(['/deliveries/1', '/v1/sprite-pricing?frame_count=12'])
  })
})
