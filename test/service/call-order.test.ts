import { describe, expect, test } from 'vitest'
import type { SpritewrightError } from '../../src/errors.ts'
import type { Net, NetRequest } from '../../src/host/net.ts'
import { parseServiceAddress } from '../../src/service/address.ts'
import { createAnswer } from '../../src/service/answer.ts'
import { createFreeExchange } from '../../src/service/http/free-request.ts'
import { sendOnce, toAcceptance, toRejection } from '../../src/service/http/one-shot.ts'
import { type Fault, retrying } from '../../src/service/http/retry.ts'
import { tellPauses } from '../../src/service/http/told-pauses.ts'
import { type Answer, createTransport, describeCause, parseApiKey } from '../../src/service/http/transport.ts'
import type { Limiter } from '../../src/service/limits/limits.ts'
import { defaultProfile, type Profile } from '../../src/service/profile.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { json, type Reply, refused } from '../kit/scripted-net.ts'
import { canary } from './fixtures.ts'

import { refusalOf, world } from './noted-calls.ts'

describe('a free request', () => {
  const request = { path: '/v1/x', what: 'the x' }
  const bodies = { status: 200, body: '{"a": 1}' }

  test.each([
    ['GET', 'get'],
    ['POST', 'post'],
    ['DELETE', 'post'],
  ] as const)('%s takes a slot of its own kind for every try and gives it back, and each lost answer is told', async (method, bucket) => {
    const script = [new Error('lost'), { status: 502 }, refused(429, 'x', { retryable: true }, { 'retry-after': '2' }), bodies]
    const { calls, clock, signals, pauses, transport, limiter, tools } = world(...(script as Reply[]))
    const { signal } = new AbortController()
    const exchange = createFreeExchange(transport, limiter, tools)
    const answer = await clock.run(exchange({ ...request, method }, signal, () => void calls.push('lost')))
    expect(answer).toEqual({ status: 200, headers: {}, body: new TextEncoder().encode(bodies.body) })
    const begin = [`take ${bucket}`, `${method} /v1/x`]
    expect(calls.map((call) => call.replace(/part \d+/, 'part'))).toEqual([
      ...[...begin, 'lost', 'release', 'token'],
      ...[...begin, 'part', 'closed', 'lost', 'release', 'token'],
      ...[...begin, 'note /v1/x 2000', 'part', 'closed', 'release', 'token'],
      ...[...begin, 'part', 'closed', 'release', 'token back'],
    ])
    expect(signals).toEqual([signal, signal, signal, signal])
    expect(pauses).toEqual([
      [250, { kind: 'transport' }],
      [500, { kind: 'transport', retryAfterMs: null }],
      [3000, { kind: 'answer', status: 429, retryable: true, retryAfterMs: 2000 }],
    ])
  })

  test('whose answer is longer than the longest JSON is not sent again, and one whose reading is no JSON is', async () => {
    const long = world({ status: 200, parts: Array.from({ length: 17 }, () => 2 ** 20) })
    const send = ({ transport, limiter, tools, clock }: ReturnType<typeof world>, method: 'GET' | 'POST') =>
      clock.run(createFreeExchange(transport, limiter, tools)({ ...request, method }))
    expect(await refusalOf(send(long, 'POST'))).toMatchObject({ code: 'SW_UNREACHABLE', facts: { what: 'the x' } })
    expect([long.calls.at(-1), long.pauses]).toEqual(['release', []])
    const page = Array.from({ length: 5 }, () => ({ status: 200, body: '<html>' }))
    const read = world(...page)
    expect((await refusalOf(send(read, 'GET'))).code).toBe('SW_WIRE')
    expect(read.pauses.map(([ms]) => ms)).toEqual([250, 500, 1000, 2000])
    expect(await send(world(...page), 'POST')).toMatchObject({ status: 200 })
  })

  test('that has no token left ends with the last error, before any pause', async () => {
    const { calls, clock, pauses, tools } = world()
    const errors = [1, 2, 3].map((number) => Object.assign(new Error(`${number}`), { number }) as never as SpritewrightError)
    let tokens = 1
    const budget = { ...tools.budget, take: () => tokens-- > 0 }
    let tries = 0
    const fault: Fault = { kind: 'transport' }
    const work = retrying({ ...tools, budget }, async () => ({ kind: 'failed', error: errors[tries++] as SpritewrightError, fault }))
    await expect(clock.run(work)).rejects.toBe(errors[1])
    expect([tries, pauses, calls]).toEqual([2, [[250, fault]], []])
    await expect(retrying(tools, async () => ({ kind: 'failed', error: errors[2] as SpritewrightError, fault: null }))).rejects.toBe(
      errors[2],
    )
    expect(calls).toEqual([])
  })
})

describe('a paid request', () => {
  const request = { method: 'POST', path: '/v1/execute', what: 'the submission' } as const
  const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
    ...{ status, headers, body: new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)) },
  })

  test('takes its slot, is recorded, is sent once without the signal, and gives the slot back however it ends', async () => {
    const send = async (reply: Reply, record: (stop: AbortController) => void = () => {}, isStopped = false) => {
      const { calls, clock, signals, ports } = world(reply)
      const stop = new AbortController()
      const limiter = {
        ...ports.limiter,
        take: (...asked: Parameters<Limiter['take']>) => {
          if (isStopped) stop.abort(new Error('stopped'))
          return ports.limiter.take(...asked)
        },
      }
      const note = async (): Promise<void> => {
        calls.push('record')
        record(stop)
      }
      const shot = sendOnce({ ...ports, limiter }, request, note, stop.signal)
      const end = await clock.run(shot).catch((error: Error) => error.message)
      expect(signals).toEqual([stop.signal])
      return [end, calls.map((call) => call.replace(/part \d+/, 'part'))]
    }
    const sent = ['take post', 'record', 'POST /v1/execute']
    const read = [...sent, 'part', 'closed', 'release']
    expect(await send({ status: 202, body: '{}' })).toEqual([{ answer: answer(202, '{}') }, read])
    expect(await send({ status: 202, body: '{}' }, (stop) => stop.abort())).toEqual([{ answer: answer(202, '{}') }, read])
    expect(await send(new Error(`no ${canary}`))).toEqual([{ lost: expect.not.stringContaining(canary) }, [...sent, 'release']])
    expect(await send('silence')).toEqual([{ lost: 'no whole answer within 60 seconds' }, [...sent, 'release']])
    const full = (): never => {
      throw new Error('full')
    }
    expect(await send(new Error('lost'), full)).toEqual(['full', ['take post', 'record', 'release']])
    expect(await send(new Error('lost'), () => {}, true)).toEqual(['stopped', ['take post', 'release']])
  })

  test('that is not accepted is refused by an envelope of 400 to 499, and is else unknown, with all that the service asks', () => {
    const { ports } = world()
    const error = { code: 'X', reason: 'x', message: 'm'.repeat(400), retryable: true, request_id: 'r', details: { a: 1 } }
    const end = (status: number, body: unknown, headers?: Record<string, string>) => toRejection(ports, answer(status, body, headers))
    const wait = { 'retry-after': '7' }
    const read = { reason: 'x', message: 'm'.repeat(400), retryable: true, requestId: 'r', details: { a: 1 } }
    for (const status of [400, 499]) {
      expect(end(status, { error }, wait)).toEqual({ kind: 'refused', status, error: expect.objectContaining(read), retryAfterMs: 7000 })
      expect(end(status, { error })).toEqual({ kind: 'refused', status, error: expect.objectContaining(read) })
    }
    for (const status of [399, 500]) {
      const message = `The service answered with status ${status} (x: ${'m'.repeat(300)}).`
      expect(end(status, { error }, wait)).toEqual({ kind: 'unknown', status, message, retryAfterMs: 7000 })
    }
    const message = 'The service answered with status 422 (an answer that cannot be read).'
    expect(end(422, '<html>')).toEqual({ kind: 'unknown', status: 422, message })
  })

  test('that is accepted names its execution, or is unknown with the answer if it is whole', async () => {
    const { ports } = world()
    const accepted = (body: unknown, read: object | Error, isStream = false) =>
      toAcceptance(ports, answer(202, body), isStream ? undefined : 'the acceptance', () => {
        if (read instanceof Error) throw read
        return read as never
      })
    const whole = { kind: 'accepted', executionId: 'e', conversationId: 'c' }
    expect(await accepted({}, { executionId: 'e', conversationId: 'c' })).toEqual(whole)
    expect(await accepted('no JSON', { executionId: 'e' }, true)).toEqual({ ...whole, conversationId: null })
    expect(await accepted('no JSON', new Error('none'), true)).toEqual({ kind: 'unknown', status: 202, message: 'none' })
    for (const conversationId of [null, undefined])
      expect(await accepted({}, { executionId: 'e', conversationId })).toEqual({ ...whole, conversationId: null })
    for (const odd of [{}, { executionId: 7 }, { executionId: '..' }, { executionId: 'e', conversationId: 7 }, new Error(`no ${canary}`)]) {
      const end = await accepted({ a: 'b'.repeat(600) }, odd)
      expect(end).toEqual({ kind: 'unknown', status: 202, message: expect.stringMatching(/ Its answer: \{"a":"b{494}$/), isUnread: true })
      expect(JSON.stringify(end)).not.toContain(canary)
    }
    expect(await accepted('{', {})).toEqual({ kind: 'unknown', status: null, message: expect.stringContaining('the acceptance') })
  })
})

test('an answer ends by what the service said to its one request, whatever a profile makes of it', async () => {
  const given = { executionId: 'e', conversationId: 'c', questionId: 'q', text: 't', key: 'k' }
  const end = async (reply: Reply) => {
    const seen: unknown[] = []
    const answer: Profile['answer'] = async (request, question, { ...said }) => {
      seen.push(question, said)
      const body = new Uint8Array(1)
      const sent = { method: 'POST', path: '/v1/a', body, contentType: 'a/b', idempotencyKey: 'mine', isManaged: false } as const
      seen.push(await request(sent).catch((error: SpritewrightError) => error.code ?? error.message))
      return { executionId: 'made', conversationId: 'up' }
    }
    const { calls, clock, ports } = world(reply)
    const outcome = await clock.run(
      createAnswer({ ...ports, profile: { ...defaultProfile, answer } })(given, async () => void calls.push('record')),
    )
    expect(seen.slice(0, 2)).toEqual([
      { questionId: 'q' },
      { executionId: 'e', conversationId: 'c', text: 't', assetId: undefined, idempotencyKey: 'k' },
    ])
    expect(calls.slice(0, 3)).toEqual(['take post', 'record', 'POST /v1/a'])
    return [outcome, seen[2]]
  }
  const accepted = { kind: 'accepted', executionId: 'made', conversationId: 'up' }
  for (const status of [200, 299])
    expect(await end(json(status, { a: 1 }))).toEqual([accepted, { status, body: { text: '{"a":1}', value: { a: 1 } } }])
  expect(await end(new Error('cut off'))).toEqual([{ kind: 'unknown', status: null, message: 'cut off' }, 'cut off'])
  expect(await end(json(300, {}))).toEqual([{ kind: 'unknown', status: 300, message: expect.stringContaining('300') }, 'SW_WIRE'])
  expect(await end(refused(409, 'conflict'))).toMatchObject([{ kind: 'refused', status: 409, error: { reason: 'conflict' } }, 'SW_REFUSED'])
  expect(await end({ status: 202, body: '{' })).toMatchObject([{ kind: 'unknown', status: null }, 'SW_WIRE'])
})

describe('a transport', () => {
  const request = { method: 'POST', path: '/v1/x', what: 'the x' } as const

  test('sends the headers that a request names, and hides the key in those of the answer', async () => {
    const sent: NetRequest[] = []
    const net: Net = {
      request: async (asked) => {
        sent.push(asked)
        return { status: 200, headers: { location: `a ${canary}` }, body: (async function* () {})() }
      },
      close: async () => {},
    }
    const transport = createTransport(net, new ManualClock(), parseServiceAddress(`https://api.example.com/base/`), canary, async () => {})
    const { signal } = new AbortController()
    const body = new Uint8Array(1)
    const full = { ...request, accept: 'a/b', body, contentType: 'c/d', idempotencyKey: 'k', lastEventId: 'l', isManaged: true }
    expect((await transport.open(full, signal, 7)).headers.location).not.toContain(canary)
    await transport.open(request)
    const url = `https://api.example.com/base/v1/x`
    const authorization = `Bearer ${canary}`
    const named = { 'service-version': '1', 'content-type': 'c/d', 'idempotency-key': 'k', 'last-event-id': 'l' }
    expect(sent).toEqual([
      { method: 'POST', url, headers: { accept: 'a/b', authorization, ...named }, body, signal, bodyTimeoutMs: 7 },
      { method: 'POST', url, headers: { accept: 'application/json', authorization } },
    ])
    expect(Object.keys(sent[1]?.headers ?? {})).toEqual(['accept', 'authorization'])
  })

  test('notes a pause of a 429 alone, and before its answer is read', async () => {
    const calls = async (status: number, headers: Record<string, string>) => {
      const { calls, clock, transport } = world({ status, headers })
      await clock.run(transport.exchange(request))
      return calls
    }
    const read = ['part 0', 'closed']
    expect(await calls(429, { 'retry-after': '0' })).toEqual(['POST /v1/x', 'note /v1/x 0', ...read])
    expect(await calls(429, {})).toEqual(['POST /v1/x', ...read])
    expect(await calls(503, { 'retry-after': '7' })).toEqual(['POST /v1/x', ...read])
  })

  test('reads an event stream until it is enough, and any other answer whole, within the time of the request', async () => {
    const parts = [1, 2, 3, 4]
    const read = async (headers: Record<string, string>) => {
      const { calls, clock, transport } = world({ status: 200, headers, parts })
      const answer = await clock.run(transport.exchange({ ...request, isEnough: (part) => part.length === 2 }))
      return [answer.body.length, calls.slice(1)]
    }
    expect(await read({ 'content-type': 'Text/Event-Stream ; charset=utf-8' })).toEqual([3, ['part 1', 'part 2', 'closed']])
    for (const headers of [{ 'content-type': 'text/event-stream2' }, {}] as Record<string, string>[])
      expect(await read(headers)).toEqual([10, ['part 1', 'part 2', 'part 3', 'part 4', 'closed']])
    for (const [deadlineMs, seconds] of [
      [undefined, 60],
      [7_000, 7],
    ] as const) {
      const { clock, transport } = world('silence')
      const limit = deadlineMs === undefined ? {} : { deadlineMs }
      await expect(clock.run(transport.exchange({ ...request, ...limit }))).rejects.toThrow(`within ${seconds} seconds`)
    }
  })

  test.each<[number, string | undefined, string, object, Fault | null]>([
    [401, undefined, 'SW_KEY_REFUSED', { reason: 'authentication_failed', retryable: false }, null],
    [403, undefined, 'SW_REFUSED', { reason: 'access_denied', retryable: false }, null],
    [
      429,
      undefined,
      'SW_REFUSED',
      { reason: 'rate_limited', retryable: true },
      { kind: 'answer', status: 429, retryable: true, retryAfterMs: 7000 },
    ],
    [404, undefined, 'SW_WIRE', { what: 'the x' }, null],
    [399, 'x', 'SW_WIRE', { what: 'the x' }, null],
    [500, undefined, 'SW_UNREACHABLE', { what: 'the x', host: 'api.example.com' }, { kind: 'transport', retryAfterMs: 7000 }],
    [400, 'x', 'SW_REFUSED', { reason: 'x', retryable: true }, { kind: 'answer', status: 400, retryable: true, retryAfterMs: 7000 }],
    [500, 'x', 'SW_REFUSED', { reason: 'x', retryable: true }, { kind: 'answer', status: 500, retryable: true, retryAfterMs: 7000 }],
  ])('takes %i with the reason %s for %s, with the time of the next try', (status, reason, code, facts, fault) => {
    const { transport } = world()
    const envelope = JSON.stringify({ error: { code: 'X', reason, message: 'm', retryable: true } })
    const body = new TextEncoder().encode(reason === undefined ? '<html>' : envelope)
    const failure = transport.refusal({ status, headers: { 'retry-after': '7' }, body }, 'the x')
    const retryAt = '2025-10-09T08:53:28.000Z'
    const own =
      code === 'SW_REFUSED' || code === 'SW_KEY_REFUSED' ? { message: reason === undefined ? '' : 'm', requestId: null, details: null } : {}
    expect([failure.error.code, failure.error.facts, failure.fault]).toEqual([code, { status, ...own, ...facts, retryAt }, fault])
    expect(failure.error.message).toContain('the x')
  })

  test('tells a failure by the messages of its first three causes, with codes that they lack, and cuts it', () => {
    const cause = (message: string, fields: object = {}) => Object.assign(new Error(message), fields)
    const third = cause('third', { cause: cause('fourth') })
    expect(describeCause(cause('first ECODE', { code: 'ECODE', cause: cause('', { code: 'EIN', cause: third }) }))).toBe(
      'first ECODE: Error (EIN): third',
    )
    expect([describeCause('text'), describeCause(undefined), describeCause(cause('x', { code: 7 }))]).toEqual([
      'no answer',
      'no answer',
      'x',
    ])
    expect(describeCause(cause('m'.repeat(400)))).toBe('m'.repeat(300))
    expect([' k\n', '!~'].map(parseApiKey)).toEqual(['k', '!~'])
  })
})

test('a pause is told from three seconds on, with its cause and whether it is asked for, and not while another one lasts', () => {
  const told: string[] = []
  let now = 0
  const tell = tellPauses({ ...new ManualClock(), mono: () => now } as never, (sentence) => void told.push(sentence))
  const limit = (retryAfterMs: number | null): Fault => ({ kind: 'answer', status: 429, retryable: true, retryAfterMs })
  const steps: [at: number, waitMs: number, Fault][] = [
    [0, 2_999, { kind: 'transport' }],
    [0, 3_000, { kind: 'transport' }],
    [2_999, 9_000, limit(9_000)],
    [3_000, 4_001, limit(4_001)],
    [7_001, 5_000, limit(null)],
    [20_000, 6_000, { kind: 'answer', status: 503, retryable: true, retryAfterMs: 6_000 }],
    [30_000, 7_000, { kind: 'transport', retryAfterMs: 0 }],
  ]
  for (const [at, waitMs, fault] of steps) {
    now = at
    tell(waitMs, fault)
  }
  expect(told.map((one) => [/\d+ s/.exec(one)?.[0], /limit|could not/.exec(one)?.[0], one.includes('asks for this')])).toEqual([
    ['3 s', 'could not', false],
    ['5 s', 'limit', true],
    ['5 s', 'limit', false],
    ['6 s', 'could not', true],
    ['7 s', 'could not', true],
  ])
})
