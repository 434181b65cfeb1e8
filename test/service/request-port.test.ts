import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { createCancel, createDeletion } from '../../src/service/conversation.ts'
import { toWireRequest } from '../../src/service/http/request-port.ts'

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
