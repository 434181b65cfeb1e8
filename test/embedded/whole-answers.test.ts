import { describe, expect, test } from 'vitest'
import { createEmbeddedService } from '../../src/embedded/core.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { figurePng } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { jsonOf, knight, noLimits, type Reply, served, submission } from './fixtures.ts'

type Headers = Readonly<Record<string, string>>
type Request = readonly [method: string, path: string, headers?: Headers, body?: Uint8Array | string | object]

const accounts: NonNullable<EmbeddedOptions['accounts']> = [
  { name: 'studio', credits: '100', keys: [{ key: 'key-of-the-studio' }] },
  { name: 'other', credits: '0', keys: [{ key: 'key-of-the-other', mode: 'live' }] },
]

/** A service without sockets, whose pictures take no time to draw. */
async function service(options: EmbeddedOptions = {}) {
  const image = async () => ({ bytes: figurePng(7), contentType: 'image/png', width: 64, height: 64, review: null })
  const core = await createEmbeddedService(
    { clock: new ManualClock(), disk: new MemoryDisk(), random: countingRandom() },
    { jobMs: 0, makers: { ...quickMakers(), image }, accounts, ...options, limits: { ...noLimits, ...options.limits } },
    { api: 'http://api.test', assets: 'http://assets.test' },
  )
  const send = (...[method, path, headers = {}, body = '']: Request): Promise<ServedResponse> => {
    const own = { host: 'api.test', authorization: 'Bearer key-of-the-studio', 'service-version': '1', ...headers }
    return core.handle(served(method, path, own, typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)))
  }
  const upload = async (): Promise<string> =>
    jsonOf(await send('POST', '/v1/reference-assets', { 'content-type': 'image/png' }, knight)).asset_id
  /** Reads all events of an execution, until its end or its question. */
  const events = async (id: string): Promise<readonly string[]> => {
    let text = ''
    const { body } = await send('GET', `/v1/executions/${id}/events`)
    for await (const part of body as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(part)
      if (text.includes('"status":"needs_input"')) break
    }
    return text.trimEnd().split('\n\n')
  }
  return { core, send, upload, events }
}

const json = (key: string): Headers => ({ 'content-type': 'application/json', 'idempotency-key': key })
const privately = { 'cache-control': 'private, no-store' }

describe('a purchase', () => {
  test('has these answers from the first request to the deletion', async () => {
    const { core, send, upload, events } = await service()
    const get = async (path: string): Promise<Reply['json']> => jsonOf(await send('GET', path))
    expect(await get('/v1/capabilities')).toEqual({
      api_version: '1',
      key_mode: 'test',
      operations: ['text_to_image', 'image_to_image', 'background_remove', 'upscale', 'sprite_sheet'],
      managed_execute: true,
      server_sent_events: true,
      interactive_questions: true,
      maximum_input_bytes: 10_485_760,
      maximum_input_dimension: 4096,
      staged_input_uploads: true,
      maximum_source_input_bytes: 10_485_760,
      supported_input_extensions: ['png', 'jpg', 'jpeg', 'webp'],
      live_charge_credits_per_image: 1,
      sprite_sheet_credits: 2.4,
      sprite_pricing: {
        ...{ minimum_frames: 7, maximum_frames: 100, default_frames: 12, tier_boundary: 8, first_tier_cents: 40 },
        ...{ additional_frame_cents: 5, credit_cents: 25, charge_rounding: 'up_to_tenth', plain_frame_cents: 3 },
      },
      test_mode_uses_credits: true,
    })
    expect(await get('/v1/sprite-pricing?frame_count=20&background=keep')).toEqual({
      ...{ price_version: 'sprite-base-frame-20261017-v1', frame_count: 20, background: 'keep', credits: '2.4' },
      ...{ reference_usd: '0.60', reference_credit_cents: 25, binding: false },
    })
    const uploaded = await send('POST', '/v1/reference-assets', { 'content-type': 'image/png; x=y' }, knight)
    const reference = jsonOf(uploaded).asset_id
    const picture = { asset_id: reference, content_type: 'image/png', width: 32, height: 32, bytes: knight.length }
    expect([uploaded.status, jsonOf(uploaded)]).toEqual([201, picture])
    const accepted = await send('POST', '/v1/execute', json('one'), submission(reference))
    const { execution_id: id, conversation_id: conversation } = jsonOf(accepted)
    expect([accepted.status, accepted.headers, jsonOf(accepted)]).toEqual([
      202,
      { 'content-type': 'application/json; charset=utf-8', 'content-length': '130', ...privately, 'x-request-id': expect.any(String) },
      { execution_id: id, conversation_id: conversation, status: 'queued' },
    ])
    const said: readonly (readonly [string, object])[] = [
      ['started', { status: 'queued', message: 'Taken in.' }],
      ['thinking', { status: 'running', message: 'Looking at the reference.' }],
      ['progress', { status: 'running', progress: 1 }],
      ['job', { status: 'running', message: 'Packing the delivery.' }],
      ['asset', { status: 'completed', message: 'Delivered.' }],
      ['done', { status: 'completed' }],
    ]
    const lines = said.map(
      ([kind, data], at) => `event: ${kind}\nid: event-${at + 1}\ndata: ${JSON.stringify({ execution_id: id, ...data })}`,
    )
    expect(await events(id)).toEqual(lines)
    const view = await get(`/v1/executions/${id}`)
    const job = view.image_job.public_job_id
    const asset = {
      ...{ asset_id: expect.any(String), download_url: `http://api.test/v1/image-jobs/${job}/asset` },
      ...{ content_type: 'application/zip', width: 32, height: 24 },
    }
    const review = { kept_background_frames: [], inspection_frames: [], source_shifted_frames: [] }
    expect(view).toEqual({
      execution_id: id,
      conversation_id: conversation,
      status: 'completed',
      image_job: {
        public_job_id: job,
        status: 'delivered',
        finished_assets: [asset],
        sanitized_error: null,
        frame_review: { frame_count: 12, background: 'remove', ...review },
      },
      question: null,
      error: null,
    })
    expect(new Set([id, conversation, job, reference, view.image_job.finished_assets[0].asset_id]).size).toBe(5)
    expect(jsonOf(await send('POST', '/v1/execute', json('one'), submission(reference)))).toEqual(jsonOf(accepted))
    expect([await get('/v1/balance'), reference === (await upload())]).toEqual([{ credits: '97.6' }, false])
    const link = await send('GET', `/v1/image-jobs/${job}/asset`)
    const { location = '' } = link.headers
    expect([link.status, link.headers]).toEqual([
      302,
      { location, 'content-length': '0', 'cache-control': 'no-store', 'x-request-id': expect.any(String) },
    ])
    const signed = location.replace(/^http:\/\/assets\.test(?=\/deliveries\/)/, '')
    const file = await core.handleAsset(served('GET', signed))
    const bytes = file.body as Uint8Array
    expect([file.status, file.headers]).toEqual([
      200,
      {
        'content-type': 'application/zip',
        'content-length': `${bytes.length}`,
        ...privately,
        etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      },
    ])
    const gone = await send('DELETE', `/v1/conversations/${conversation}`)
    expect([gone.status, gone.headers]).toEqual([204, { ...privately, 'x-request-id': expect.any(String) }])
    const texts: unknown[] = []
    const other = signed.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    for (const [path, headers] of [[signed], [other], [signed, { authorization: 'Bearer key-of-the-studio' }]] as const) {
      const { status, body } = await core.handleAsset(served('GET', path, headers))
      texts.push([status, new TextDecoder().decode(body as Uint8Array)])
    }
    expect(texts).toEqual([
      [404, 'This was deleted.\n'],
      [403, 'Expected a link that the service has signed.\n'],
      [400, 'Expected no credentials here: they belong to the API origin alone.\n'],
    ])
    expect((await send('GET', `/v1/executions/${id}`)).status).toBe(404)
  })

  test('of a picture can be cancelled while it asks, of a sprite not; an answer goes on elsewhere, and a deletion ends all', async () => {
    const { send, upload, events } = await service({
      ask: ({ answers }) => (answers.length === 0 ? { text: 'Which hand?', requiresAsset: true } : undefined),
    })
    const reference = await upload()
    const submit = async (key: string, body: object): Promise<Reply['json']> => jsonOf(await send('POST', '/v1/execute', json(key), body))
    const sprite = await submit('one', submission(reference))
    const still = await submit('two', { operation: 'image_to_image', prompt: 'a sword', reference_asset_id: reference })
    const asks = await events(sprite.execution_id)
    expect(asks.at(-1)).toContain('"status":"needs_input"')
    await events(still.execution_id)
    const view = async (id: string): Promise<Reply['json']> => jsonOf(await send('GET', `/v1/executions/${id}`))
    const before = await view(sprite.execution_id)
    const question = before.question.question_id
    expect([before.status, before.image_job.status, before.question]).toEqual([
      'needs_input',
      'waiting',
      { question_id: question, text: 'Which hand?', requires_asset: true },
    ])
    const answers = `/v1/conversations/${sprite.conversation_id}/answers`
    const cancel = `/v1/executions/${sprite.execution_id}/cancel`
    const good = { question_id: question, text: 'left', asset_id: reference }
    const requests: readonly Request[] = [
      ['POST', cancel],
      ['POST', `/v1/executions/${still.execution_id}/cancel`],
      ['POST', `/v1/executions/${still.execution_id}/cancel`],
      ['GET', `/v1/executions/${sprite.execution_id}`, { authorization: 'Bearer key-of-the-other' }],
      ['POST', answers, json('a'), { ...good, question_id: 'x' }],
      ['POST', answers, json('a'), { ...good, question_id: reference }],
      ['POST', answers, json('a'), { ...good, text: ' ' }],
      ['POST', answers, json('a'), { ...good, asset_id: undefined }],
      ['POST', answers, json('a'), { ...good, asset_id: 'x' }],
      ['POST', answers, json('a'), good],
      ['POST', answers, json('b'), good],
      ['DELETE', `/v1/conversations/${still.conversation_id}`],
    ]
    const found: unknown[] = []
    for (const request of requests) {
      const { status, body } = await send(...request)
      const { error, ...rest } = (body as Uint8Array).length === 0 ? {} : JSON.parse(new TextDecoder().decode(body as Uint8Array))
      found.push([status, error ? [error.reason, error.message, error.details] : rest])
    }
    const cancelled = { execution_id: still.execution_id, conversation_id: still.conversation_id, status: 'cancelled' }
    const invalid = (field: string, expected: string): unknown => [
      422,
      ['invalid_request', `Expected ${field} as ${expected}.`, { field, expected }],
    ]
    const next = { execution_id: expect.any(String), conversation_id: sprite.conversation_id, status: 'queued' }
    expect(found).toEqual([
      invalid('operation', 'an image operation: a sprite cannot be cancelled'),
      [200, cancelled],
      [200, cancelled],
      [403, ['access_denied', 'This key cannot access the execution.', undefined]],
      invalid('question_id', 'the id of the question'),
      invalid('question_id', "the id of this conversation's question"),
      invalid('text', 'a text of 1 to 4000 characters'),
      invalid('asset_id', 'the id of an uploaded reference: this question asks for a picture'),
      invalid('asset_id', 'the id of an uploaded reference'),
      [202, next],
      [409, ['conflict', 'This question has been answered.', { field: 'question_id' }]],
      [204, {}],
    ])
    const [, { execution_id: after }] = found[9] as [number, Reply['json']]
    const last = await events(after)
    expect([last[0], last.length > 3, (await view(after)).status, (await view(sprite.execution_id)).question]).toEqual([
      expect.stringContaining('"message":"Taken in with an answer."'),
      true,
      'completed',
      null,
    ])
    expect(jsonOf(await send('GET', '/v1/balance'))).toEqual({ credits: '97.6' })
  })
})

test('what cannot be done is refused with the field and what it should be, and nothing is started', async () => {
  const { send, upload } = await service({ maximumInputBytes: 5000, maximumInputDimension: 40 })
  const reference = await upload()
  const whole = submission(reference)
  const execute = (change: object, headers: Headers = {}): Request => [
    'POST',
    '/v1/execute',
    { ...json('a'), ...headers },
    { ...whole, ...change },
  ]
  const post = (type: string, body: Uint8Array): Request => ['POST', '/v1/reference-assets', { 'content-type': type }, body]
  const uploaded = 'the id of an uploaded reference'
  const rows: readonly (readonly [Request, field: string, expected: string])[] = [
    [execute({}, { 'service-version': '2' }), 'Service-Version', '1'],
    [execute({}, { 'content-type': 'text/plain' }), 'Content-Type', 'application/json'],
    [execute({}, { 'idempotency-key': 'a b' }), 'Idempotency-Key', '1 to 255 visible ASCII characters'],
    [['POST', '/v1/execute', json('a'), '{'], 'body', 'JSON in UTF-8'],
    [['POST', '/v1/execute', json('a'), '[]'], 'body', 'a JSON object'],
    [execute({ operation: 'x' }), 'operation', 'one of text_to_image, image_to_image, background_remove, upscale, sprite_sheet'],
    [execute({ prompt: ' ' }), 'prompt', 'a text of 1 to 4000 characters'],
    [execute({ prompt: 'x'.repeat(4001) }), 'prompt', 'a text of 1 to 4000 characters'],
    [execute({ max_credits: '2.40001' }), 'max_credits', 'a decimal text with at most four places, the approved ceiling'],
    [execute({ animation: [] }), 'animation', 'an object'],
    [execute({ animation: { frame_count: 7.5 } }), 'animation.frame_count', 'an integer'],
    [execute({ animation: { frame_count: 6, background: 'keep' } }), 'animation.frame_count', 'an integer from 7 to 100'],
    [execute({ animation: { frame_count: 7, background: 'blue' } }), 'animation.background', 'remove or keep'],
    [execute({ reference_asset_id: 'x' }), 'reference_asset_id', uploaded],
    [execute({ reference_asset_id: reference.replace(/.$/, 'f') }), 'reference_asset_id', uploaded],
    [execute({ operation: 'text_to_image' }), 'reference_asset_id', 'not given: text_to_image takes no reference'],
    [['GET', '/v1/sprite-pricing?frame_count=101'], 'frame_count', 'an integer from 7 to 100'],
    [['GET', '/v1/sprite-pricing?background=blue'], 'background', 'remove or keep'],
    [['GET', '/v1/sprite-pricing?x=1'], 'query', 'frame_count and background alone'],
    [post('text/plain', knight), 'Content-Type', 'one of image/png, image/jpeg, image/webp'],
    [post('image/jpeg', knight), 'body', 'a picture of the stated Content-Type'],
    [post('image/png', knight.slice(0, 80)), 'body', 'a whole PNG, JPEG or WebP picture'],
    [post('image/png', new Uint8Array(5001)), 'body', 'at most 5000 bytes'],
    [post('image/png', figurePng()), 'body', 'a picture of at most 40 pixels a side'],
    [execute({ max_credits: '2.3' }), 'max_credits', 'the current price or more; nothing was started'],
  ]
  const extras: Readonly<Record<string, object>> = {
    'at most 5000 bytes': { maximum_input_bytes: 5000 },
    'a picture of at most 40 pixels a side': { maximum_input_dimension: 40 },
    'the current price or more; nothing was started': { current_credits: '2.4' },
  }
  const refusals: unknown[] = []
  for (const [request] of rows) {
    const { status, body } = await send(...request)
    const { error } = JSON.parse(new TextDecoder().decode(body as Uint8Array))
    const { request_id, ...rest } = error
    refusals.push([status, rest, request_id.length])
  }
  const common = { code: 'INVALID_REQUEST', reason: 'invalid_request', category: 'VALIDATION', retryable: false }
  expect(refusals).toEqual(
    rows.map(([, field, expected]) => {
      const details = { field, ...(extras[expected] ?? { expected }) }
      return [422, { ...common, message: `Expected ${field} as ${expected}.`, details }, 36]
    }),
  )
  const others: readonly Request[] = [
    ['GET', '/v1/nothing'],
    ['GET', '/v1/balance', { authorization: 'Bearer x' }],
    execute({}, { authorization: 'Bearer key-of-the-other' }),
    ['GET', `/v1/executions/${reference}`],
    ['DELETE', `/v1/conversations/${reference}`],
  ]
  const found: unknown[] = []
  for (const request of others) {
    const { status, body } = await send(...request)
    const { code, reason, message, category } = jsonOf({ body } as ServedResponse).error
    found.push([status, code, reason, message, category])
  }
  const lost = (what: string) => [404, 'RESOURCE_NOT_FOUND', 'resource_not_found', `There is no such ${what}.`, 'NOT_FOUND']
  expect(found).toEqual([
    lost('endpoint'),
    [401, 'AUTHENTICATION_FAILED', 'authentication_failed', 'The API key is invalid or was revoked.', 'AUTHENTICATION'],
    [403, 'ACCESS_DENIED', 'access_denied', 'This key cannot access the reference.', 'PERMISSION'],
    lost('execution'),
    lost('conversation'),
  ])
  expect(jsonOf(await send('GET', '/v1/balance'))).toEqual({ credits: '100' })
})
