import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NetRequest } from '../../src/host/net.ts'
import type { SheetSubmission } from '../../src/service/client.ts'
import { adviceFor, type PublicReason, reasonAdvice } from '../../src/service/reasons.ts'
import { json, type Reply, refused, scriptedNet } from '../kit/scripted-net.ts'
import { canary, capabilitiesBody, errorOf, estimateBody, executionId, expectNoKey, testClient } from './fixtures.ts'

const lost = Object.assign(new Error(`connect ECONNREFUSED with ${canary}`), { code: 'ECONNREFUSED', request: { headers: canary } })
const submission: SheetSubmission = {
  operation: 'sprite_sheet',
  prompt: 'a fox\nwalks',
  referenceId: 'ref',
  frames: 12,
  background: 'remove',
  maxCredits: 24_000n,
}
const submitted = { key: 'sw1-abc', body: new TextEncoder().encode('{"a":1}') }

/** The parts of a request that a service sees. */
const seen = (request: NetRequest | undefined): unknown => ({ method: request?.method, url: request?.url, headers: request?.headers })

describe('requests', () => {
  test('C1, C2: every request carries the key; Service-Version goes with managed ones only', async () => {
    const net = scriptedNet((request) =>
      json(200, request.url.includes('capabilities') ? capabilitiesBody : { execution_id: executionId, status: 'queued', credits: '1' }),
    )
    const { client, clock } = testClient(net, { key: ` ${canary}\n`, baseUrl: 'https://api.example.com/base/' })
    await clock.run(client.capabilities())
    await clock.run(client.balance())
    await clock.run(client.execution(executionId))
    const authorization = `Bearer ${canary}`
    expect(net.requests.map(seen)).toEqual([
      { method: 'GET', url: 'https://api.example.com/base/v1/capabilities', headers: { accept: 'application/json', authorization } },
      { method: 'GET', url: 'https://api.example.com/base/v1/balance', headers: { accept: 'application/json', authorization } },
      {
        method: 'GET',
        url: `https://api.example.com/base/v1/executions/${executionId}`,
        headers: { accept: 'application/json', authorization, 'service-version': '1' },
      },
    ])
    expect(client.host).toBe('api.example.com/base')
  })

  test('C40: printing the client or its error after any failure shows no key, also where the service or the net repeats it', async () => {
    const replies: Reply[] = [
      lost,
      refused(403, 'access_denied', { message: `key ${canary}`, request_id: canary, details: { [canary]: canary } }),
      { status: 500, body: canary },
      { status: 200, body: `"${canary}` },
      refused(401, 'authentication_failed', { message: canary }),
    ]
    for (const reply of replies) {
      const { client, clock } = testClient(scriptedNet(() => reply))
      expectNoKey(client)
      await errorOf(clock.run(client.balance()))
      expectNoKey(await clock.run(client.submit(submitted, async () => {})))
      if (reply instanceof Error || (reply as { status: number }).status !== 200) {
        await errorOf(clock.run(client.download('https://api.example.com/v1/image-jobs/j/asset')))
      }
    }
  })

  test('a key that cannot stand in a header, and a base URL that would carry it in the open, are refused without being repeated', () => {
    for (const key of ['', '  ', `${canary}\nx`, `${canary} x`, `${canary}é`]) {
      expect(() =>
        testClient(
          scriptedNet(() => lost),
          { key },
        ),
      ).toThrowError(expect.objectContaining({ code: 'SW_NO_KEY', message: expect.not.stringContaining(canary) }))
    }
    for (const baseUrl of ['http://api.example.com', 'ftp://x', 'no', `https://u:${canary}@x`, `https://x/?${canary}`, 'https://x/#a']) {
      expect(() =>
        testClient(
          scriptedNet(() => lost),
          { baseUrl },
        ),
      ).toThrowError(expect.objectContaining({ code: 'SW_CONFIG', message: expect.not.stringContaining(canary) }))
    }
    for (const baseUrl of ['http://127.0.0.1:1', 'http://localhost:8000/x', 'http://[::1]:2'])
      testClient(
        scriptedNet(() => lost),
        { baseUrl },
      )
  })

  test('the tag of a key changes with key and salt and does not hold the key', () => {
    const tag = (key: string, salt: string): string =>
      testClient(
        scriptedNet(() => lost),
        { key },
      ).client.keyTag(salt)
    expect(tag(canary, 's')).toMatch(/^[0-9a-f]{16}$/)
    expect(tag(` ${canary} `, 's')).toBe(tag(canary, 's'))
    expect(new Set([tag(canary, 's'), tag(canary, 't'), tag(`${canary}2`, 's')]).size).toBe(3)
  })

  test('C18: an answer about another execution, or another estimate than asked for, is SW_WIRE', async () => {
    const { client, clock } = testClient(
      scriptedNet((request) => json(200, request.url.includes('pricing') ? estimateBody : { execution_id: 'other', status: 'queued' })),
    )
    expect((await errorOf(clock.run(client.execution(executionId)))).code).toBe('SW_WIRE')
    expect((await errorOf(clock.run(client.estimate(20, 'remove')))).code).toBe('SW_WIRE')
    expect((await clock.run(client.estimate(12, 'remove'))).credits).toBe(24_000n)
    expect((await errorOf(clock.run(client.execution('..')))).code).toBe('SW_WIRE')
  })
})

describe('failures of free requests', () => {
  test('C27, C28: each of the fifteen reasons becomes a typed error with the envelope as facts and words on what to do', async () => {
    expect(Object.keys(reasonAdvice)).toHaveLength(15)
    for (const reason of Object.keys(reasonAdvice) as PublicReason[]) {
      const { client, clock } = testClient(scriptedNet(() => refused(422, reason, { details: { field: 'x' } })))
      const error = await errorOf(clock.run(client.balance()))
      const code = { authentication_failed: 'SW_KEY_REFUSED', feature_unavailable: 'SW_CAPABILITY' }[reason as string] ?? 'SW_REFUSED'
      expect(error.code).toBe(code)
      expect(error.message).toContain(reasonAdvice[reason])
      expect(error.facts).toEqual({
        status: 422,
        reason,
        message: `about ${reason}`,
        retryable: false,
        requestId: '6f1c9c1e-7d0a-4d3e-9f0e-1c9a7b2d3e4f',
        details: { field: 'x' },
      })
    }
    expect(adviceFor('brand_new')).toContain('brand_new')
    expect(adviceFor('constructor')).toContain('does not know')
  })

  test('C1: a 401 is SW_KEY_REFUSED with an envelope and without, and is not tried again', async () => {
    for (const reply of [refused(401, 'authentication_failed'), refused(401, 'access_denied'), { status: 401, body: '<html>' }]) {
      const net = scriptedNet(() => reply as Reply)
      const { client, clock } = testClient(net)
      expect((await errorOf(clock.run(client.capabilities()))).code).toBe('SW_KEY_REFUSED')
      expect(net.requests).toHaveLength(1)
    }
  })

  test('a bare 403 is SW_REFUSED; another bare 4xx is SW_WIRE, since no service of this interface answers so', async () => {
    for (const [status, code] of [
      [403, 'SW_REFUSED'],
      [404, 'SW_WIRE'],
      [302, 'SW_WIRE'],
    ] as const) {
      const { client, clock } = testClient(scriptedNet(() => ({ status, body: '<html>' })))
      expect((await errorOf(clock.run(client.balance()))).code).toBe(code)
    }
  })

  test('a lost connection, a cut body, a short body and a gateway page are tried again until an answer comes', async () => {
    const whole = JSON.stringify({ credits: '3' })
    const faults: Reply[] = [
      lost,
      { status: 200, body: whole, cutAfter: 4 },
      { status: 200, headers: { 'content-length': '99' }, body: whole },
      { status: 502, body: '<html>' },
    ]
    const net = scriptedNet((_, number) => faults[number] ?? { status: 200, body: whole })
    const { client, clock } = testClient(net)
    expect(await clock.run(client.balance())).toBe(30_000n)
    expect(net.requests).toHaveLength(5)
  })

  test('a service that never answers ends in SW_UNREACHABLE after five tries, with the cause in words', async () => {
    const net = scriptedNet(() => lost)
    const { client, clock } = testClient(net)
    const error = await errorOf(clock.run(client.balance()))
    expect(error).toMatchObject({ code: 'SW_UNREACHABLE', message: expect.stringContaining('ECONNREFUSED') })
    expect(error.cause).toBeUndefined()
    expect(net.requests).toHaveLength(5)
  })

  test('a service that takes the request and stays silent is given up after the deadline', async () => {
    const net = scriptedNet(() => 'silence')
    const { client, clock } = testClient(net)
    expect((await errorOf(clock.run(client.balance()))).message).toContain('60 seconds')
  })

  test('C27: retryable decides, not the status: a retryable 422 is tried again, a 503 that is not retryable is not', async () => {
    const again = scriptedNet((_, number) =>
      number === 0 ? refused(422, 'invalid_request', { retryable: true }) : json(200, { credits: '1' }),
    )
    const one = testClient(again)
    expect(await one.clock.run(one.client.balance())).toBe(10_000n)
    const never = scriptedNet(() => refused(503, 'temporarily_unavailable'))
    const two = testClient(never)
    expect((await errorOf(two.clock.run(two.client.balance()))).code).toBe('SW_REFUSED')
    expect(never.requests).toHaveLength(1)
  })

  test('C29: a 429 waits as long as Retry-After says, in seconds or as a date', async () => {
    for (const after of [(): string => '7', (wall: number): string => new Date(wall + 7000).toUTCString()]) {
      const { client, clock } = ((): ReturnType<typeof testClient> => {
        const made: ReturnType<typeof testClient> = testClient(
          scriptedNet((_, number) =>
            number === 0
              ? refused(429, 'rate_limited', { retryable: true }, { 'retry-after': after(made.clock.wall()) })
              : json(200, { credits: '1' }),
          ),
        )
        return made
      })()
      const start = clock.mono()
      await clock.run(client.balance())
      expect(clock.mono() - start).toBeGreaterThanOrEqual(7000)
      expect(clock.mono() - start).toBeLessThan(10_000)
    }
  })

  test('an abort ends a wait at once with its own reason', async () => {
    const { client } = testClient(scriptedNet(() => lost))
    const stop = new AbortController()
    const balance = client.balance(stop.signal)
    stop.abort(new Error('stopped by hand'))
    await expect(balance).rejects.toThrow('stopped by hand')
  })
})

describe('submission', () => {
  const submit = async (reply: Reply, signal?: AbortSignal) => {
    const order: string[] = []
    const net = scriptedNet(() => {
      order.push('sent')
      return reply
    })
    const { client, clock } = testClient(net)
    const outcome = await clock.run(client.submit(submitted, async () => void order.push('recorded'), signal))
    return { outcome, order, net }
  }

  test('C3, C4: one POST with the recorded key and bytes, after the record; 202 is an acceptance', async () => {
    const { outcome, order, net } = await submit(json(202, { execution_id: executionId, conversation_id: 'c', status: 'queued' }))
    expect(outcome).toEqual({ kind: 'accepted', executionId, conversationId: 'c' })
    expect(order).toEqual(['recorded', 'sent'])
    expect(net.requests[0]).toMatchObject({
      method: 'POST',
      url: 'https://api.example.com/v1/execute',
      body: submitted.body,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'idempotency-key': 'sw1-abc',
        'service-version': '1',
        authorization: `Bearer ${canary}`,
      },
    })
  })

  test('I6: when the record cannot be made, nothing is sent', async () => {
    const net = scriptedNet(() => lost)
    const { client } = testClient(net)
    const record = async (): Promise<void> => {
      throw new Error('disk full')
    }
    await expect(client.submit(submitted, record)).rejects.toThrow('disk full')
    await expect(client.submit(submitted, record, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop')
    expect(net.requests).toHaveLength(0)
  })

  test('C32: a 4xx with a readable envelope is a refusal; everything else but a 202 is unknown, and nothing is sent twice', async () => {
    for (const status of [401, 403, 409, 422, 429]) {
      const { outcome, net } = await submit(refused(status, 'conflict', { retryable: true }))
      expect(outcome).toMatchObject({ kind: 'refused', status, error: { reason: 'conflict', retryable: true } })
      expect(net.requests).toHaveLength(1)
    }
    const accepted = JSON.stringify({ execution_id: executionId })
    const unknown: Reply[] = [
      lost,
      'silence',
      refused(503, 'temporarily_unavailable', { retryable: true }),
      { status: 422, body: '<html>' },
      { status: 500, body: '' },
      { status: 302, headers: { location: 'https://elsewhere.example' } },
      { status: 200, body: accepted },
      { status: 202, body: '{}' },
      { status: 202, body: accepted, cutAfter: 5 },
      { status: 202, body: accepted, headers: { 'content-length': '1000' } },
      { status: 202, body: JSON.stringify({ execution_id: '../..'.slice(0, 2) }) },
    ]
    for (const reply of unknown) {
      const { outcome, net } = await submit(reply)
      expect(inspect([reply, outcome])).toContain("kind: 'unknown'")
      expect(net.requests).toHaveLength(1)
    }
  })

  test('C32: an abort after the record does not cut the POST: it ends by its own deadline', async () => {
    const stop = new AbortController()
    const { client, clock } = testClient(scriptedNet(() => 'silence'))
    const outcome = client.submit(submitted, async () => stop.abort(new Error('Ctrl-C')), stop.signal)
    expect(await clock.run(outcome)).toEqual({ kind: 'unknown', status: null, message: 'no whole answer within 60 seconds' })
  })

  test('C30: eleven submissions at once: the eleventh is recorded and sent a window later', async () => {
    const times: number[] = []
    const made: ReturnType<typeof testClient> = testClient(
      scriptedNet(() => {
        times.push(made.clock.mono())
        return json(202, { execution_id: executionId })
      }),
    )
    const records: number[] = []
    const all = Array.from({ length: 11 }, () => made.client.submit(submitted, async () => void records.push(made.clock.mono())))
    await made.clock.run(Promise.all(all))
    expect(times[9]).toBe(times[0])
    expect((times[10] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(60_000)
    expect(records).toEqual(times)
  })

  test('C15, N2: the body is canonical: sorted members, credits as a decimal text, options beside what they may not replace', () => {
    const { client } = testClient(scriptedNet(() => lost))
    const body = client.submissionBody({ ...submission, options: { seed: 7, frame_count: 99 } })
    expect(new TextDecoder().decode(body)).toBe(
      '{"animation":{"background":"remove","frame_count":12,"seed":7},"max_credits":"2.4","operation":"sprite_sheet","prompt":"a fox\\nwalks","reference_asset_id":"ref"}',
    )
  })

  test('C32: equal submissions give equal bytes', () => {
    const { client } = testClient(scriptedNet(() => lost))
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string({ unit: 'grapheme' }), (options, prompt) => {
        const turned = Object.fromEntries(Object.entries(options).reverse())
        expect(client.submissionBody({ ...submission, prompt, options })).toEqual(
          client.submissionBody({ ...submission, prompt, options: turned }),
        )
      }),
    )
  })
})

describe('the profile in the client', () => {
  test('N1: a reference is uploaded with its own content type, again after a lost answer', async () => {
    const net = scriptedNet((_, number) => (number === 0 ? lost : json(201, { asset_id: 'asset-1', width: 64 })))
    const { client, clock } = testClient(net)
    const bytes = new Uint8Array([1, 2, 3])
    expect(await clock.run(client.uploadReference({ bytes, contentType: 'image/png' }))).toBe('asset-1')
    expect(net.requests).toHaveLength(2)
    expect(net.requests[1]).toMatchObject({
      method: 'POST',
      url: 'https://api.example.com/v1/reference-assets',
      body: bytes,
      headers: { 'content-type': 'image/png' },
    })
  })

  test('every part can be replaced, and none sees the key', async () => {
    const handed: unknown[] = []
    const net = scriptedNet((request) => {
      if (request.url.endsWith('/v1/money')) return json(200, {})
      return request.method === 'POST' ? json(202, { id: 'exec' }) : json(200, { amount: { left: 4.25 } })
    })
    const { client, clock } = testClient(net, {
      profile: {
        uploadReference: async (request) => {
          const reply = await request({ method: 'GET', path: '/v1/money' })
          handed.push(request, reply)
          return 'mine'
        },
        readBalance: (body) => {
          handed.push(body)
          return '4.25'
        },
        readAccepted: (body) => ({ executionId: (body.value as { id: string }).id }),
        executeBody: () => ({ mine: true }),
      },
    })
    expect(await clock.run(client.uploadReference({ bytes: new Uint8Array(), contentType: 'image/png' }))).toBe('mine')
    expect(await clock.run(client.balance())).toBe(42_500n)
    expect(await clock.run(client.submit(submitted, async () => {}))).toEqual({
      kind: 'accepted',
      executionId: 'exec',
      conversationId: null,
    })
    expect(new TextDecoder().decode(client.submissionBody(submission))).toBe('{"mine":true}')
    expectNoKey(handed)
  })

  test.each([
    ['readAccepted', { readAccepted: 1 }],
    ['readBalance', { readBalance: null }],
    ['readAcepted', { readAcepted: () => ({ executionId: 'x' }) }],
  ])('a profile whose %s is no part, or no function, is refused before anything is sent', (part, profile) => {
    const net = scriptedNet(() => lost)
    expect(() => testClient(net, { profile: profile as never })).toThrow(
      expect.objectContaining({ code: 'SW_CONFIG', facts: { option: 'service.profile', part } }),
    )
    expect(net.requests).toHaveLength(0)
  })

  test('a profile cannot submit through the request it is handed', async () => {
    for (const path of ['/v1/execute', '/v1/execute?x', '/v1/a/../execute', '/v2/x', '@evil.example/v1/', '//evil.example/v1/x']) {
      const net = scriptedNet(() => json(200, {}))
      const { client, clock } = testClient(net, {
        profile: { uploadReference: async (request) => String((await request({ method: 'POST', path })).status) },
      })
      const error = await errorOf(clock.run(client.uploadReference({ bytes: new Uint8Array(), contentType: 'image/png' })))
      expect(`${path} ${error.code}`).toBe(`${path} SW_CONFIG`)
      expect(net.requests).toHaveLength(0)
    }
  })
})
