import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { ServiceClient } from '../../src/service/client.ts'
import { createCancel, createDeletion } from '../../src/service/conversation.ts'
import { createAskedPauses } from '../../src/service/http/asked-pauses.ts'
import { toWireRequest } from '../../src/service/http/request-port.ts'
import { createRetryBudget, retryWaitMs } from '../../src/service/http/retry.ts'
import type { Limiter } from '../../src/service/limits/limits.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { json, scriptedNet } from '../kit/scripted-net.ts'
import { canary, estimateBody, executionId, testClient } from './fixtures.ts'

const read = (path: string): unknown => toWireRequest({ method: 'GET', path }, 'uploadReference', 'the upload')

test.each([
  '/v1',
  '/v2/references',
  'v1/references',
  '/v1/../v2/references',
  '/v1/references/..',
  '/v1/./references',
  '/v1/references/%2e%2E/execute',
  '/v1/references/.%2e?a=b',
  '/v1/x/../execute',
  '/v1/execute',
  '/v1/execute/',
  '/v1/execute?again=1',
  'https://other.example.com/v1/references',
])('a profile sends nothing to %s', (path) => {
  expect(() => read(path)).toThrow(
    expect.objectContaining({ code: 'SW_CONFIG', facts: expect.objectContaining({ part: 'uploadReference' }) }),
  )
})

test.each(['/v1/references', '/v1/references/a..b', '/v1/references?name=..', '/v1/executions/e/events', '/v1/execute/e'])(
  'a profile may ask %s',
  (path) => {
    expect(read(path)).toMatchObject({ method: 'GET', path })
  },
)

test('a request of a profile is sent with what it says, and with nothing else', () => {
  const request = {
    method: 'POST',
    path: '/v1/references',
    body: new Uint8Array(1),
    contentType: 'image/png',
    idempotencyKey: 'k',
  } as const
  const sent = toWireRequest({ ...request, isManaged: true }, 'uploadReference', 'the upload')
  expect(sent).toEqual({ ...request, isManaged: true, what: 'the upload', deadlineMs: 300_000 })
  const bare = { method: 'GET', path: '/v1/a' } as const
  expect(toWireRequest(bare, 'x', 'y')).toEqual({ ...bare, what: 'y', deadlineMs: 300_000 })
})

describe('a cancellation or deletion', () => {
  const { signal } = new AbortController()
  const refusal = (status: number, reason = 'conflict') => new SpritewrightError('SW_REFUSED', { message: 'no', facts: { status, reason } })
  const path = '/v1/executions/e1'

  /** Sends to a service with this body or error. `isLost`: an earlier try got no answer. */
  function sending(reply: object | Error | '', { isLost = false, now = 'cancelled' } = {}) {
    const calls: unknown[] = []
    const ports = {
      transport: { json: (_answer: unknown, what: string) => ({ value: reply, what }) },
      exchange: async (request: unknown, one: unknown, onLost: () => void) => {
        calls.push([request, one])
        if (isLost) onLost()
        if (reply instanceof Error) throw reply
        return { body: new Uint8Array(reply === '' ? 0 : 1) }
      },
      execution: async (...of: unknown[]) => {
        calls.push(of)
        return { executionId: 'e1', conversationId: 'c1', status: now, question: null }
      },
    } as unknown as Parameters<typeof createCancel>[0]
    return {
      calls,
      cancel: () => createCancel(ports)('e1', path, signal),
      remove: () => createDeletion(ports)('/v1/conversations/c1', signal),
    }
  }
  const posted = [{ method: 'POST', path: `${path}/cancel`, what: 'the cancellation', isManaged: true }, signal]
  const read = ['e1', signal]

  test.each<[string, object | '', string, readonly unknown[]]>([
    ['answers with its state alone', { execution_id: 'e1', conversation_id: 'c2', status: 'cancelling' }, 'c2 cancelling', [posted]],
    ['answers without a name', { conversation_id: 'c2', status: 'cancelling' }, 'c2 cancelling', [posted]],
    ['is read again without a status', { execution_id: 'e1' }, 'c1 cancelled', [posted, read]],
    ['is read again without a body', '', 'c1 cancelled', [posted, read]],
  ])('%s', async (_how, reply, state, expected) => {
    const { calls, cancel } = sending(reply)
    const [conversationId, status] = state.split(' ')
    expect([await cancel(), calls]).toEqual([{ executionId: 'e1', conversationId, status }, expected])
  })

  test('of another execution is SW_WIRE with both names', async () => {
    await expect(sending({ execution_id: 'e7', status: 'cancelled' }).cancel()).rejects.toMatchObject({
      code: 'SW_WIRE',
      facts: { what: 'the cancellation', asked: 'e1', found: 'e7' },
    })
  })

  test.each([
    ['after a lost try, if it is cancelled now', refusal(409), { isLost: true }, true, [posted, read]],
    ['after a lost try, if it still runs', refusal(409), { isLost: true, now: 'running' }, false, [posted, read]],
    ['without a lost try', refusal(409), {}, false, [posted]],
    ['if no answer came at all', new SpritewrightError('SW_UNREACHABLE', { message: 'no' }), { isLost: true }, false, [posted]],
    ['if something else failed', Object.assign(new Error('x'), { code: 'SW_REFUSED' }), { isLost: true }, false, [posted]],
  ])('that is refused %s', async (_when, error, how, isCancelled, expected) => {
    const { calls, cancel } = sending(error, how)
    const end = await cancel().catch((thrown: unknown) => thrown)
    expect(end).toEqual(isCancelled ? { executionId: 'e1', conversationId: 'c1', status: 'cancelled' } : error)
    expect(calls).toEqual(expected)
  })

  test.each([
    ['404', refusal(404), true, true],
    ['the reason that it is gone', refusal(410, 'resource_not_found'), true, true],
    ['another refusal', refusal(409), true, false],
    ['404 without a lost try', refusal(404), false, false],
    ['a wrong key', new SpritewrightError('SW_KEY_REFUSED', { message: 'no', facts: { status: 404 } }), true, false],
  ])('of a conversation with %s has happened only if an earlier try was lost and it is gone', async (_what, error, isLost, isDone) => {
    const { calls, remove } = sending(error, { isLost })
    expect(await remove().catch((thrown: unknown) => thrown)).toBe(isDone ? undefined : error)
    expect(calls).toEqual([
      [{ method: 'DELETE', path: '/v1/conversations/c1', what: 'the deletion of the conversation', isManaged: true }, signal],
    ])
  })
})

describe('a client', () => {
  const calls: Readonly<Record<string, (client: ServiceClient, signal: AbortSignal) => Promise<unknown>>> = {
    capabilities: (client, signal) => client.capabilities(signal),
    balance: (client, signal) => client.balance(signal),
    estimate: (client, signal) => client.estimate(7, 'keep', signal),
    uploadReference: (client, signal) => client.uploadReference({ bytes: new Uint8Array(1), contentType: 'image/png' }, signal),
    execution: (client, signal) => client.execution(executionId, signal),
    cancel: (client, signal) => client.cancel(executionId, signal),
    deleteConversation: (client, signal) => client.deleteConversation('c', signal),
    download: (client, signal) => client.download('https://api.example.com/v1/image-jobs/j/asset', signal),
  }

  test.each(Object.keys(calls))('that is interrupted in %s ends with the reason, and sends nothing again', async (name) => {
    const over = new AbortController()
    const net = scriptedNet(() => {
      queueMicrotask(() => over.abort(new Error('interrupted')))
      return 'silence'
    })
    await expect(calls[name]?.(testClient(net).client, over.signal)).rejects.toThrow('interrupted')
    expect(net.requests).toHaveLength(1)
  })

  test.each([
    ['{"max_credits":"2.4"}', 24_000n],
    ['{"max_credits":2.10}', 21_000n],
    ['{"prompt":"max_credits"}', undefined],
  ])('reads the most credits of the body %s as they are written', (body, credits) => {
    expect(testClient(scriptedNet(() => 'silence')).client.maxCreditsOf(new TextEncoder().encode(body))).toBe(credits)
  })

  test('refuses an address that has its key, and shared limits without a disk', () => {
    const client = (options: object) => () =>
      testClient(
        scriptedNet(() => 'silence'),
        options,
      )
    for (const [options, option] of [
      [{ baseUrl: `https://api.example.com/${canary}` }, 'service.baseUrl'],
      [{ limitsFolder: '/limits' }, 'limitsFolder'],
    ] as const)
      expect(client(options)).toThrow(expect.objectContaining({ code: 'SW_CONFIG', facts: expect.objectContaining({ option }) }))
  })

  test.each([7, ''])('takes no %j of a profile for the id of a picture', async (id) => {
    const { client } = testClient(
      scriptedNet(() => 'silence'),
      { profile: { uploadReference: async () => id as string } },
    )
    await expect(client.uploadReference({ bytes: new Uint8Array(1), contentType: 'image/png' })).rejects.toMatchObject({
      code: 'SW_CONFIG',
      facts: { part: 'uploadReference' },
    })
  })

  test.each([
    [{ frame_count: 8 }, '8 frames, background remove'],
    [{ background: 'keep' }, '12 frames, background keep'],
  ])('takes an estimate with %j for none, and says what it is about', async (other, found) => {
    const { client } = testClient(scriptedNet(() => json(200, { ...estimateBody, ...other })))
    await expect(client.estimate(12, 'remove')).rejects.toMatchObject({
      code: 'SW_WIRE',
      facts: { what: 'the estimate', asked: '12 frames, background remove', found },
    })
  })

  test('writes what it gives back of its limits before it closes the network', async () => {
    const disk = new MemoryDisk()
    const order: string[] = []
    const net = {
      ...scriptedNet(() => json(200, { credits: '1' })),
      close: async () => void order.push(`closed after ${disk.calls.length}`),
    }
    const { client } = testClient(net, { limitsFolder: '/limits' }, disk)
    await client.balance()
    await client.close()
    expect(order).toEqual([`closed after ${disk.calls.length}`])
    expect(disk.calls.length).toBeGreaterThan(0)
  })
})

describe('the pauses that the service asks for', () => {
  const account = { baseUrl: 'https://api.example.com', key: canary }
  /** A machine whose processes share the pauses in a folder. */
  function machine() {
    const [disk, clock] = [new MemoryDisk(), new ManualClock()]
    const granted: string[] = []
    const take = async (bucket: string): Promise<() => void> => {
      granted.push(bucket)
      return () => {}
    }
    const limiter = { take } as unknown as Limiter
    const open = (key = canary) => {
      const pauses = createAskedPauses({ disk, clock, random: countingRandom() }, '/limits', { ...account, key })
      return { pauses, take: pauses.over(limiter).take }
    }
    return { disk, clock, granted, open }
  }

  test('stop every process of the key until then, with the time, and no other kind of request and no other key', async () => {
    const { clock, granted, open } = machine()
    await open().pauses.note('post', 360_000)
    const facts = { status: 429, reason: 'rate_limited', retryable: true, requestId: null, details: null }
    const retryAt = new Date(clock.wall() + 360_000).toISOString()
    await expect(open().take('post')).rejects.toMatchObject({ code: 'SW_REFUSED', facts: { ...facts, retryAt } })
    await open().take('get')
    await open('another').take('post')
    await clock.advance(360_000)
    await open().take('post')
    expect(granted).toEqual(['get', 'post', 'post'])
  })

  test('count until the later end, of this process or of another one', async () => {
    const { clock, open } = machine()
    const [one, other] = [open(), open()]
    await one.pauses.note('get', 900_000)
    await other.pauses.note('get', 400_000)
    await clock.advance(400_000)
    await expect(one.take('get')).rejects.toMatchObject({ code: 'SW_REFUSED' })
    await other.take('get')
    await one.pauses.note('get', 2_000_000)
    await expect(other.take('get')).rejects.toMatchObject({ code: 'SW_REFUSED' })
  })

  test('of a clock that was ahead, of a few seconds and of a damaged file count for nothing', async () => {
    const { disk, clock, granted, open } = machine()
    await open().pauses.note('get', 2_999)
    expect([...disk.files.keys()].filter((path) => path.includes('pause-'))).toEqual([])
    await open().pauses.note('get', 900_000)
    const [path] = [...disk.files.keys()].filter((one) => one.endsWith('/pause-get'))
    for (const text of [JSON.stringify({ at: clock.wall() + 1, until: clock.wall() + 900_000 }), '{', '']) {
      disk.files.set(path as string, new TextEncoder().encode(text))
      await open().take('get')
    }
    expect(granted).toHaveLength(3)
  })
})

test.each([
  ['a lost connection', { kind: 'transport' }, [250, 500, 1000, 2000, null]],
  ['a gateway that names a time', { kind: 'transport', retryAfterMs: 7_000 }, [7_250, 7_250, 7_250, 7_250, null]],
  ['an answer that may be retried', { kind: 'answer', status: 503, retryable: true, retryAfterMs: null }, [250, 500, 1000, 2000, null]],
  [
    'a rate limit',
    { kind: 'answer', status: 429, retryable: true, retryAfterMs: null },
    [1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000, null],
  ],
  ['a rate limit that names a time', { kind: 'answer', status: 429, retryable: true, retryAfterMs: 300_000 }, [301_000]],
  ['a rate limit that names a long time', { kind: 'answer', status: 429, retryable: true, retryAfterMs: 300_001 }, [null]],
  ['an answer that may not be retried', { kind: 'answer', status: 429, retryable: false, retryAfterMs: 1 }, [null]],
] as const)('after %s the waits of a free request grow to their end', (_what, fault, waits) => {
  expect(waits.map((_, index) => retryWaitMs(fault, index + 1, 0.5))).toEqual(waits)
})

test('sixty retries in a row are granted, and one more after each success', () => {
  const budget = createRetryBudget()
  budget.giveBack()
  const granted = (): number => Array.from({ length: 70 }, () => budget.take()).filter(Boolean).length
  expect(granted()).toBe(60)
  budget.giveBack()
  expect(granted()).toBe(1)
})
