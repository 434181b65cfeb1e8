import { describe, expect, test } from 'vitest'
import { createCaller, type Reply as Seen } from '../../../src/contract/caller.ts'
import { judge } from '../../../src/contract/check.ts'
import { envelopeFaults, errorOf, notOurs, refusalFaults, strange, unknownReasons } from '../../../src/contract/envelope.ts'
import { isUuid, kindOf, type RecordFields, wrongKinds } from '../../../src/contract/records.ts'
import { SpritewrightError } from '../../../src/errors.ts'
import { ManualClock } from '../../kit/manual-clock.ts'
import { json, type Reply, scriptedNet } from '../../kit/scripted-net.ts'

const key = 'sw_test_canary_4711'
const base = 'https://api.example.com/base'

/** A caller over a service that answers by a script, with a clock that the test moves. */
function world(script: (number: number) => Reply, limits = {}, signal?: AbortSignal) {
  const clock = new ManualClock()
  const times: number[] = []
  const net = scriptedNet((_, number) => {
    times.push(clock.mono() - 1000)
    return script(number)
  })
  return { clock, times, net, caller: createCaller({ net, clock }, `${base}/`, key, limits, signal) }
}

describe('a caller', () => {
  test('sends what a call says and nothing else, and tells the whole answer', async () => {
    const { signal } = new AbortController()
    const headers = { 'content-type': 'application/json', location: 'x' }
    const { net, caller } = world(() => ({ status: 201, headers, body: '{"a": 1}' }), {}, signal)
    const body = new Uint8Array(1)
    const whole = { status: 201, headers, bytes: new TextEncoder().encode('{"a": 1}'), text: '{"a": 1}', json: { a: 1 } }
    expect(await caller.call({ path: '/v1/a' })).toEqual({ method: 'GET', path: '/v1/a', ...whole })
    const more = { accept: 'a/b', 'idempotency-key': 'k' }
    expect(await caller.call({ method: 'POST', path: '/v1/b', headers: more, body, isManaged: false })).toMatchObject({
      method: 'POST',
      path: '/v1/b',
    })
    await caller.call({ method: 'DELETE', path: '/v1/c', key: 'none' })
    await caller.call({ path: '/v1/d', key: 'wrong' })
    expect(await caller.outside('https://cdn.test/f?secret')).toEqual({ method: 'GET', path: 'https://cdn.test', ...whole })
    const authorization = `Bearer ${key}`
    const accept = 'application/json'
    const version = { 'service-version': '1' }
    expect(net.requests).toEqual([
      { method: 'GET', url: `${base}/v1/a`, headers: { accept, authorization, ...version }, signal },
      { method: 'POST', url: `${base}/v1/b`, headers: { ...more, authorization }, body, signal },
      { method: 'DELETE', url: `${base}/v1/c`, headers: { accept, ...version }, signal },
      {
        method: 'GET',
        url: `${base}/v1/d`,
        headers: { accept, authorization: expect.stringMatching(/^Bearer sw_test_this/), ...version },
        signal,
      },
      { method: 'GET', url: 'https://cdn.test/f?secret', headers: { accept: '*/*' }, signal },
    ])
    const alone = world(() => ({ status: 200 }))
    await alone.caller.call({ path: '/v1/a' })
    await alone.caller.outside('https://cdn.test/f')
    expect(alone.net.requests.map((request) => 'signal' in request)).toEqual([false, false])
    expect([alone.caller.address.host, alone.caller.hide(`a ${key}`).includes(key)]).toEqual(['api.example.com/base', false])
  })

  test.each([
    ['GET', '/v1/a', 'get'],
    ['GET', '/v1/image-jobs/j/asset', 'download'],
    ['POST', '/v1/image-jobs/j/asset', 'post'],
    ['DELETE', '/v1/a', 'post'],
  ] as const)('keeps the limit of its kind for %s %s', async (method, path, bucket) => {
    const limits = { windowMs: 1000, get: 2, post: 2, download: 2, [bucket]: 1 }
    const { clock, times, caller } = world(() => ({ status: 200 }), limits)
    await clock.run(Promise.all([caller.call({ method, path }), caller.call({ method, path })]))
    expect(times).toEqual([0, 1000])
  })

  test('waits longer after each 429, or as long as it is asked to up to two minutes, and gives up after six', async () => {
    const bare = world(() => ({ status: 429 }))
    expect((await bare.clock.run(bare.caller.call({ path: '/v1/a' }))).status).toBe(429)
    expect(bare.times).toEqual([0, 4_000, 12_000, 28_000, 60_000, 120_000])
    expect(bare.caller.refusals.map(({ method, path, status }) => [method, path, status])).toEqual(
      bare.times.map(() => ['GET', '/v1/a', 429]),
    )
    const asked = ['121', '120', '0', '7']
    const { clock, times, caller } = world((number) =>
      asked[number] === undefined ? { status: 503 } : { status: 429, headers: { 'retry-after': asked[number] } },
    )
    expect((await clock.run(caller.call({ path: '/v1/a' }))).status).toBe(503)
    expect(times).toEqual([0, 120_000, 240_000, 240_000, 247_000])
  })

  test('keeps every refusal, and notes each answer that has the key in a header or in its text', async () => {
    const replies: Reply[] = [
      ...[399, 400, 404].map((status) => ({ status })),
      { status: 200, headers: { etag: key } },
      { status: 500, body: `x ${key}` },
    ]
    const { caller } = world((number) => replies[number] ?? { status: 200 })
    for (const path of ['/v1/a', '/v1/b', '/v1/c', `/v1/${key}`, '/v1/e', '/v1/f']) await caller.call({ path })
    expect(caller.refusals.map(({ path, status }) => [path, status])).toEqual([
      ['/v1/b', 400],
      ['/v1/c', 404],
      ['/v1/e', 500],
    ])
    expect(caller.leaks).toEqual([expect.stringMatching(/^GET \/v1\//), 'GET /v1/e'])
    expect(caller.leaks.join()).not.toContain(key)
  })

  test('has no text of a body above 1 MiB, and no JSON of one that is none', async () => {
    const sizes = [2 ** 20, 2 ** 20 + 1]
    const { caller } = world((number) =>
      number < 2 ? { status: 200, body: ' '.repeat(sizes[number] as number) } : { status: 200, body: '{' },
    )
    const read = async () => {
      const { bytes, text, json: value } = await caller.call({ path: '/v1/a' })
      return [bytes.length, text.length, value]
    }
    expect([await read(), await read(), await read()]).toEqual([
      [sizes[0], sizes[0], undefined],
      [sizes[1], 0, undefined],
      [1, 1, undefined],
    ])
  })

  test('that gets no answer says which request, and gives on its own errors and the reason of an interruption', async () => {
    const own = new SpritewrightError('SW_CONFIG', { message: 'proxy' })
    const failures = [Object.assign(new Error(key), { code: 'ECONNRESET' }), Object.assign(new Error('x'), { code: 7 }), own]
    const { caller } = world((number) => failures[number] as Error)
    const lost = (found: string) => ({
      code: 'SW_UNREACHABLE',
      facts: { path: '/v1/a' },
      message: expect.stringContaining(`POST /v1/a, found none (${found})`),
    })
    const call = { method: 'POST', path: '/v1/a' } as const
    await expect(caller.call(call)).rejects.toMatchObject(lost('ECONNRESET'))
    await expect(caller.call(call)).rejects.toMatchObject(lost('the connection failed'))
    await expect(caller.call(call)).rejects.toBe(own)
    const stop = new AbortController()
    const stopped = world(() => 'silence', {}, stop.signal)
    const ended = expect(stopped.caller.call(call)).rejects.toThrow('stopped')
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    stop.abort(new Error('stopped'))
    await ended
  })

  test('opens a stream where it was left, reads each of its events, and tells a refusal of it', async () => {
    const body = 'id: 7\ndata: a\n\ndata: b\n\ndata: c'
    const opened = world((number) => (number < 2 ? { status: 200, headers: { 'content-type': 'text/event-stream' }, body } : json(429, {})))
    const { caller, net } = opened
    const stream = await caller.stream('/v1/e/events', '6')
    const event = { event: 'message', lastEventId: '7' }
    expect([stream.status, stream.contentType, await stream.next(), await stream.next(), await stream.next()]).toEqual([
      ...[200, 'text/event-stream', { ...event, data: 'a' }, { ...event, data: 'b' }, null],
    ])
    const other = await caller.stream('/v1/e/events')
    await other.next()
    await other.close()
    expect(await other.next()).toEqual({ ...event, data: 'b' })
    expect(await other.next()).toBeNull()
    const refused = await caller.stream('/v1/e/events')
    expect([refused.status, refused.contentType, await refused.next(), await refused.close()]).toEqual([429, '', null, undefined])
    expect(caller.refusals.map(({ path, status }) => [path, status])).toEqual([['/v1/e/events', 429]])
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${key}`, 'service-version': '1' }
    expect(net.requests.map(({ headers, bodyTimeoutMs }) => [headers, bodyTimeoutMs])).toEqual([
      ...[
        [{ ...headers, 'last-event-id': '6' }, 0],
        [headers, 0],
        [headers, 0],
      ],
    ])
  })
})

const uuid = '0B9f3c1e-55aa-4c0e-8a77-2f1d6a9b4c21'
const answer = (status: number, value: unknown, headers: Record<string, string> = {}): Seen => ({
  ...{ method: 'POST', path: '/v1/x?secret=1\n2', status, headers, bytes: new Uint8Array(), text: '', json: value },
})

describe('an envelope', () => {
  const error = { code: 'X', reason: 'conflict', message: 'm', category: 'C', retryable: false, request_id: uuid }
  const headers = { 'x-request-id': uuid, 'cache-control': 'private, No-Store', pragma: 'no-cache' }
  const faults = (value: unknown, of: Record<string, string> = headers) =>
    envelopeFaults(answer(409, value, of)).map((fault) => {
      expect(fault).toMatch(/^POST \/v1\/x \(409\): /)
      return fault.slice('POST /v1/x (409): '.length)
    })

  test('of six fields and three headers has no fault, and every other one is told without its values', () => {
    expect([faults({ error }), faults({ error: { ...error, details: { a: 1 } } })]).toEqual([[], []])
    const none = (found: string) => [`expected a JSON object with one key "error", found ${found}`]
    expect([[], null, { error: [] }, undefined, 'x', 7, true].map((value) => faults(value))).toEqual(
      ['a list', 'null', 'an object', 'nothing', 'a text', 'a number', 'a boolean'].map(none),
    )
    expect(faults({ error, a: 1, b: 2 })).toEqual(['expected one key "error", found also a, b'])
    expect(faults({ error: { ...error, code: null, reason: undefined, x: 1, y: 2 } })).toEqual([
      'expected error.code, error.reason, found none',
      'expected six fields and details in error, found also x, y',
    ])
    expect(faults({ error: { ...error, retryable: 'no', request_id: 'r', details: [1] } })).toEqual([
      'Expected error.retryable as a boolean, found a text',
      'expected error.request_id as a UUID, found another text',
      'expected error.details as an object, found a list',
    ])
    expect(faults({ error }, {})).toEqual([
      'expected X-Request-ID as a UUID, found none',
      'expected Cache-Control: no-store, found it missing',
      'expected Pragma: no-cache, found it missing',
    ])
    expect(faults({ error }, { 'x-request-id': 'r', 'cache-control': 'no-storex', pragma: 'xno-cache' })[0]).toContain('found another text')
    expect(faults({ error }, { 'x-request-id': 'r', 'cache-control': 'no-storex', pragma: 'xno-cache' })).toHaveLength(3)
  })

  test('of a refusal is the expected one by status and reason, and a reason that is missing is no fault of it', () => {
    const refusal = (status: number, reason?: unknown) => refusalFaults(answer(status, { error: { reason } }), 'it', notOurs)
    for (const status of [403, 404])
      for (const reason of ['access_denied', 'resource_not_found', undefined, 7]) expect(refusal(status, reason)).toEqual([])
    const wanted = 'Expected 403 or 404 access_denied or resource_not_found for it, found'
    expect(refusal(409, 'x'.repeat(70))).toEqual([`${wanted} 409 ${'x'.repeat(60)}`])
    expect([refusal(500), refusal(404, 'conflict')]).toEqual([[`${wanted} 500`], [`${wanted} 404 conflict`]])
    expect(strange(answer(502, 'x'), 'it')).toEqual({ broken: expect.stringContaining('found 502.') })
    expect(strange(answer(418, { error: { reason: 'tea' } }), 'it')).toEqual({
      broken: expect.stringContaining('to it as the interface shows it, found 418 tea.'),
    })
    const replies = ['conflict', 'b', 'toString', 'b', 7, undefined].map((reason) => answer(400, { error: { reason } }))
    expect(unknownReasons(replies)).toEqual(['b', 'toString'])
    expect([{ error: { a: 1 } }, { error: 7 }, [], null].map((value) => errorOf(answer(400, value)))).toEqual([{ a: 1 }, {}, {}, {}])
  })
})

test('a field of each kind is told apart from every other kind, and a missing one is none', () => {
  const values = { string: 'a', boolean: true, integer: 7, number: 7.5, strings: ['a'], integers: [7], objects: [{}], object: {} }
  const names = Object.keys(values) as (keyof typeof values)[]
  const right: Partial<Record<string, readonly string[]>> = { number: ['integer', 'number'] }
  for (const kind of names) {
    const fits = names.filter((name) => wrongKinds({ x: values[name] }, { x: kind }, 'it').length === 0)
    expect([kind, fits]).toEqual([kind, right[kind] ?? [kind]])
    for (const value of [{}, { x: null }, { x: kind.endsWith('s') ? [] : undefined }])
      expect(wrongKinds(value, { x: kind }, 'it')).toEqual([])
    if (kind.endsWith('s')) expect(wrongKinds({ x: [...(values[kind] as unknown[]), null] }, { x: kind }, 'it')).toHaveLength(1)
  }
  const fields: RecordFields = { a: 'integer', b: 'strings', c: 'object' }
  expect(wrongKinds({ a: 'x', b: [7], c: 1, d: 1 }, fields, 'it')).toEqual([
    'Expected it.a as an integer, found a text',
    'Expected it.b as a list of texts, found a list',
    'Expected it.c as an object, found a number',
  ])
  expect(wrongKinds([], fields, 'it')).toEqual(['Expected it as an object, found a list'])
  expect([uuid, uuid.slice(1), `${uuid}0`, `x${uuid.slice(1)}`, 7].map(isUuid)).toEqual([true, false, false, false, false])
  expect(kindOf(1n)).toBe('bigint')
})

test('complaints are one text of sentences, with the part of the profile that would help', () => {
  expect([judge([]), judge([], 'answer'), judge(['A', 'B.'])]).toEqual(['kept', 'kept', { broken: 'A. B.' }])
  expect(judge(['A'], 'answer')).toEqual({ broken: 'A.', profilePart: 'answer' })
})
