import { describe, expect, test } from 'vitest'
import type { NetRequest } from '../../src/host/net.ts'
import type { AnswerSubmission, ImageSubmission } from '../../src/service/client.ts'
import type { Profile } from '../../src/service/profile.ts'
import { readExecution } from '../../src/service/replies.ts'
import { json, type Reply, refused, scriptedNet } from '../kit/scripted-net.ts'
import { canary, capabilitiesBody, errorOf, executionId, testClient } from './fixtures.ts'

const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
const answer: AnswerSubmission = {
  executionId: 'exec-1',
  conversationId: 'conv/1',
  questionId: 'q1',
  text: 'the left hand',
  assetId: 'asset-9',
  key: 'sw1-answer',
}
const next = { execution_id: '1b9f3c1e-55aa-4c0e-8a77-2f1d6a9b4c22', conversation_id: 'conv/1', status: 'queued' }

describe('answers', () => {
  const send = async (reply: Reply | ((request: NetRequest) => Reply), profile: Partial<Profile> = {}, signal?: AbortSignal) => {
    const order: string[] = []
    const net = scriptedNet((request) => {
      order.push('sent')
      return typeof reply === 'function' ? reply(request) : reply
    })
    const { client, clock } = testClient(net, { profile })
    const outcome = client.answer(answer, async () => void order.push('recorded'), signal)
    return { order, net, clock, outcome: clock.run(outcome) }
  }

  test('C10, C2, C3: an answer is recorded, then sent once under its own key, and names the new execution', async () => {
    const { order, net, outcome } = await send(json(202, next))
    expect(await outcome).toEqual({ kind: 'accepted', executionId: next.execution_id, conversationId: 'conv/1' })
    expect(order).toEqual(['recorded', 'sent'])
    expect(net.requests).toHaveLength(1)
    expect(net.requests[0]).toMatchObject({
      method: 'POST',
      url: 'https://api.example.com/v1/conversations/conv%2F1/answers',
      headers: {
        'idempotency-key': 'sw1-answer',
        'service-version': '1',
        'content-type': 'application/json',
        authorization: `Bearer ${canary}`,
      },
    })
    expect(JSON.parse(new TextDecoder().decode(net.requests[0]?.body))).toEqual({
      question_id: 'q1',
      text: 'the left hand',
      asset_id: 'asset-9',
    })
  })

  test('C32: an answer that was lost is unknown, and sending it again sends the same bytes under the same key', async () => {
    const net = scriptedNet((_, number) => (number === 0 ? lost : json(202, next)))
    const { client, clock } = testClient(net)
    expect(await clock.run(client.answer(answer, async () => {}))).toMatchObject({ kind: 'unknown', status: null })
    expect(net.requests).toHaveLength(1)
    expect(await clock.run(client.answer(answer, async () => {}))).toMatchObject({ kind: 'accepted' })
    expect(net.requests[1]?.body).toEqual(net.requests[0]?.body)
    expect(net.requests[1]?.headers).toEqual(net.requests[0]?.headers)
  })

  test('a readable 4xx refuses an answer; a 5xx, a cut body and a 2xx without an id leave it unknown; none is sent twice', async () => {
    const replies: [Reply, object][] = [
      [refused(409, 'conflict'), { kind: 'refused', status: 409, error: { reason: 'conflict' } }],
      [refused(429, 'rate_limited', { retryable: true }), { kind: 'refused', status: 429 }],
      [refused(503, 'temporarily_unavailable', { retryable: true }), { kind: 'unknown', status: 503 }],
      [
        { status: 502, body: '<html>' },
        { kind: 'unknown', status: 502 },
      ],
      [
        { status: 202, body: '{}' },
        { kind: 'unknown', status: 202 },
      ],
      [
        { status: 202, body: JSON.stringify(next), cutAfter: 9 },
        { kind: 'unknown', status: null },
      ],
      ['silence', { kind: 'unknown', status: null }],
    ]
    for (const [reply, expected] of replies) {
      const { net, outcome } = await send(reply)
      expect(await outcome).toMatchObject(expected)
      expect(net.requests).toHaveLength(1)
    }
  })

  test('an abort before the record sends nothing; one after it does not cut the POST', async () => {
    const before = await send(json(202, next), {}, AbortSignal.abort(new Error('stopped')))
    await expect(before.outcome).rejects.toThrow('stopped')
    expect(before.order).toEqual([])
    const stop = new AbortController()
    const { client, clock } = testClient(scriptedNet(() => 'silence'))
    const outcome = client.answer(answer, async () => stop.abort(new Error('Ctrl-C')), stop.signal)
    expect(await clock.run(outcome)).toMatchObject({ kind: 'unknown', message: expect.stringContaining('300 seconds') })
  })

  test('when the record cannot be made, no answer is sent', async () => {
    const net = scriptedNet(() => lost)
    const { client } = testClient(net)
    await expect(
      client.answer(answer, async () => {
        throw new Error('disk full')
      }),
    ).rejects.toThrow('disk full')
    expect(net.requests).toHaveLength(0)
  })

  test('a profile that sends an answer twice, not at all, with GET or as a submission cannot: one request leaves, or none', async () => {
    const twice = await send(json(202, next), {
      answer: async (request) => {
        await request({ method: 'POST', path: '/v1/a' })
        await request({ method: 'POST', path: '/v1/a' })
        return { executionId: 'x' }
      },
    })
    expect(await twice.outcome).toMatchObject({ kind: 'unknown', message: expect.stringContaining('one request and no second') })
    expect(twice.net.requests).toHaveLength(1)
    const parts: Partial<Profile>[] = [
      { answer: async () => ({ executionId: 'x' }) },
      { answer: async (request) => ({ executionId: String((await request({ method: 'GET', path: '/v1/a' })).status) }) },
      { answer: async (request) => ({ executionId: String((await request({ method: 'POST', path: '/v1/execute' })).status) }) },
    ]
    for (const part of parts) {
      const { net, order, outcome } = await send(json(202, next), part)
      expect((await errorOf(outcome)).code).toBe('SW_CONFIG')
      expect(net.requests).toHaveLength(0)
      expect(order).toEqual([])
    }
  })

  test('an answer goes out under its own key whatever the profile writes', async () => {
    const { net, outcome } = await send(json(200, { made: 'e2' }), {
      answer: async (request, question, given) => {
        const reply = await request({
          method: 'POST',
          path: `/v1/executions/${given.executionId}/reply/${question.questionId}`,
          idempotencyKey: 'other',
          isManaged: false,
        })
        return { executionId: (reply.body.value as { made: string }).made, conversationId: given.conversationId }
      },
    })
    expect(await outcome).toEqual({ kind: 'accepted', executionId: 'e2', conversationId: 'conv/1' })
    expect(net.requests[0]?.headers).toMatchObject({ 'idempotency-key': 'sw1-answer', 'service-version': '1' })
    expect(net.requests[0]?.url).toContain('/v1/executions/exec-1/reply/q1')
  })
})

describe('cancellation', () => {
  const cancel = async (script: (request: NetRequest, number: number) => Reply) => {
    const net = scriptedNet(script)
    const { client, clock } = testClient(net)
    return { net, result: clock.run(client.cancel(executionId)) }
  }
  const state = (status: string): Reply => json(200, { execution_id: executionId, conversation_id: 'c', status })

  test('C11, C2: a cancellation has no body and answers the state that the service names', async () => {
    const { net, result } = await cancel(() => state('cancelled'))
    expect(await result).toEqual({ executionId, conversationId: 'c', status: 'cancelled' })
    expect(net.requests[0]).toMatchObject({
      method: 'POST',
      url: `https://api.example.com/v1/executions/${executionId}/cancel`,
      headers: { 'service-version': '1' },
    })
    expect(net.requests[0]?.body).toBeUndefined()
  })

  test('C11, C39: a cancellation whose answer says nothing is read from the execution', async () => {
    for (const empty of [{ status: 204 }, json(200, {})] as Reply[]) {
      const { result } = await cancel((request) => (request.method === 'POST' ? empty : state('running')))
      expect(await result).toEqual({ executionId, conversationId: 'c', status: 'running' })
    }
  })

  test('C11: a refusal after a lost try of ours is a success where the execution is cancelled, and a refusal where it is not', async () => {
    for (const [status, isDone] of [
      ['cancelled', true],
      ['completed', false],
    ] as const) {
      const { result } = await cancel((request, number) =>
        number === 0 ? lost : request.method === 'POST' ? refused(409, 'conflict') : state(status),
      )
      if (isDone) expect(await result).toMatchObject({ status: 'cancelled' })
      else expect((await errorOf(result)).code).toBe('SW_REFUSED')
    }
    const plain = await cancel(() => refused(422, 'invalid_request'))
    expect((await errorOf(plain.result)).code).toBe('SW_REFUSED')
    expect(plain.net.requests).toHaveLength(1)
    const other = await cancel(() => json(200, { execution_id: 'another', status: 'cancelled' }))
    expect(await errorOf(other.result)).toMatchObject({
      code: 'SW_WIRE',
      message: `Expected the cancellation of ${executionId}, found that of another. Read the execution's status before anything else; if this repeats, report it to the service.`,
      facts: { what: 'the cancellation', asked: executionId, found: 'another' },
    })
  })

  test('C11: a sprite is never cancellable, an image as the profile says and never after its end', () => {
    const net = scriptedNet(() => lost)
    const plain = testClient(net).client
    const { client } = testClient(net, { profile: { cancellable: () => true } })
    for (const [status, byDefault, byProfile] of [
      ['queued', true, true],
      ['running', true, true],
      ['needs_input', true, true],
      ['brand_new', false, true],
      ['completed', false, false],
      ['failed', false, false],
      ['cancelled', false, false],
    ] as const) {
      const now = readExecution({ execution_id: executionId, status })
      expect([status, plain.isCancellable(now, 'upscale'), client.isCancellable(now, 'upscale')]).toEqual([status, byDefault, byProfile])
      expect(client.isCancellable(now, 'sprite_sheet')).toBe(false)
    }
  })
})

describe('deletion of a conversation', () => {
  const remove = async (script: (request: NetRequest, number: number) => Reply) => {
    const net = scriptedNet(script)
    const { client, clock } = testClient(net)
    return { net, result: clock.run(client.deleteConversation('c 1')) }
  }

  test('C12, C2: any 2xx deletes, whatever its body', async () => {
    for (const reply of [{ status: 204 }, { status: 200, body: '<html>' }, json(202, {})] as Reply[]) {
      const { net, result } = await remove(() => reply)
      await result
      expect(net.requests).toHaveLength(1)
      expect(net.requests[0]).toMatchObject({
        method: 'DELETE',
        url: 'https://api.example.com/v1/conversations/c%201',
        headers: { 'service-version': '1', authorization: `Bearer ${canary}` },
      })
    }
  })

  test('C12: "no such conversation" is a refusal at once, and done after a lost answer of ours', async () => {
    const gone = refused(404, 'resource_not_found')
    expect((await errorOf((await remove(() => gone)).result)).code).toBe('SW_REFUSED')
    for (const fault of [lost, { status: 502, body: '<html>' }, { status: 204, body: 'abc', cutAfter: 1 }] as Reply[]) {
      await (await remove((_, number) => (number === 0 ? fault : gone))).result
    }
    // A rate limit is no lost answer: nothing was done.
    const limited = refused(429, 'rate_limited', { retryable: true })
    expect((await errorOf((await remove((_, number) => (number === 0 ? limited : gone))).result)).code).toBe('SW_REFUSED')
    const other = await remove((_, number) => (number === 0 ? lost : refused(403, 'access_denied')))
    expect((await errorOf(other.result)).facts.reason).toBe('access_denied')
  })

  test('an id that a URL would resolve away is refused', async () => {
    const { client } = testClient(scriptedNet(() => lost))
    for (const id of ['', '.', '..']) expect((await errorOf(client.deleteConversation(id))).code).toBe('SW_WIRE')
  })
})

describe('pictures', () => {
  const bodyOf = (submission: ImageSubmission): unknown =>
    JSON.parse(new TextDecoder().decode(testClient(scriptedNet(() => lost)).client.submissionBody(submission)))

  test('N2: an image names its reference where it has one, and neither price nor animation', () => {
    expect(bodyOf({ operation: 'text_to_image', prompt: 'a fox' })).toEqual({ operation: 'text_to_image', prompt: 'a fox' })
    for (const operation of ['image_to_image', 'background_remove', 'upscale'] as const) {
      expect(bodyOf({ operation, prompt: 'p', referenceId: 'r' })).toEqual({ operation, prompt: 'p', reference_asset_id: 'r' })
    }
  })

  const capabilitiesOf = async (body: string) => {
    const { client, clock } = testClient(scriptedNet(() => ({ status: 200, body })))
    return clock.run(client.capabilities())
  }

  test("C13: an image's price is the number as it is written, without a float; what is no plain amount is SW_WIRE; missing is null", async () => {
    const withPrice = (raw: string): string => `{"key_mode": "test", "live_charge_credits_per_image": ${raw}}`
    for (const [raw, credits] of [
      ['1', 10_000n],
      ['1.0', 10_000n],
      ['0.3', 3_000n],
      ['2.1001', 21_001n],
      ['"1.5"', 15_000n],
      ['123456789012345.6789', 1_234_567_890_123_456_789n],
    ] as const) {
      expect((await capabilitiesOf(withPrice(raw))).imageCredits).toBe(credits)
    }
    for (const raw of ['1e0', '1E1', '-1', '0.00001', '"free"', '[]', 'true', '1e999']) {
      expect(`${raw} ${(await errorOf(capabilitiesOf(withPrice(raw)))).code}`).toBe(`${raw} SW_WIRE`)
    }
    expect((await capabilitiesOf(withPrice('null'))).imageCredits).toBeNull()
  })

  test('C38, C39: without api_version and operations the capabilities say what is assumed; without key_mode they are SW_WIRE with words', async () => {
    expect(await capabilitiesOf('{"key_mode": "live"}')).toMatchObject({
      apiVersion: '1',
      keyMode: 'live',
      operations: ['text_to_image', 'image_to_image', 'background_remove', 'upscale', 'sprite_sheet'],
      assumed: ['api_version', 'operations'],
      imageCredits: null,
    })
    expect(await capabilitiesOf(JSON.stringify(capabilitiesBody))).toMatchObject({ assumed: [], imageCredits: 10_000n })
    for (const body of ['{}', '{"key_mode": null}']) {
      expect(await errorOf(capabilitiesOf(body))).toMatchObject({ code: 'SW_WIRE', message: expect.stringContaining('key_mode') })
    }
  })
})
