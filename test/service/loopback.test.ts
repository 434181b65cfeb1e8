import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodeClock } from '../../src/host/clock.ts'
import { type Net, nodeNet } from '../../src/host/net.ts'
import { type Listener, listen, type RequestHandler, type ServedRequest, type ServedResponse } from '../../src/host/server.ts'
import { createClient, type ServiceClient } from '../../src/service/client.ts'
import type { ServiceEvent } from '../../src/service/wire.ts'
import { patienceMs } from '../kit/patience.ts'
import { canary, errorOf, executionId, expectNoKey, steadyRandom } from './fixtures.ts'

// Real sockets on this machine. Waits between tries are multiplied by a random number, which is 0 here, so
// nothing sleeps.
const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const reply = (status: number, body: string | Uint8Array = '', headers: Record<string, string> = {}): ServedResponse => ({
  status,
  headers,
  body: typeof body === 'string' ? toBytes(body) : body,
})

let net: Net
let open: Listener[]
beforeEach(() => {
  net = nodeNet()
  open = []
})
afterEach(async () => {
  for (const listener of open) await listener.close()
  await net.close()
})

async function serve(handle: RequestHandler): Promise<{ url: string; seen: ServedRequest[]; close(): Promise<void> }> {
  const seen: ServedRequest[] = []
  const listener = await listen(async (request) => {
    seen.push(request)
    return handle(request)
  })
  open.push(listener)
  return { url: listener.url, seen, close: () => listener.close() }
}

const clientOf = (baseUrl: string): ServiceClient =>
  createClient({ net, clock: nodeClock(), random: { ...steadyRandom, unit: () => 0 } }, { baseUrl, key: canary })

async function collect(events: AsyncIterable<ServiceEvent>): Promise<ServiceEvent[]> {
  const all: ServiceEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

describe('downloads', () => {
  const zip = new Uint8Array(200_000).map((_, at) => at % 251)

  test('I7, C25: the second origin sees no Authorization, key, version or cookie, on any hop', async () => {
    const files = await serve(async (request) =>
      request.path === '/signed?s=1' ? reply(307, '', { location: '/file?s=2' }) : reply(200, zip),
    )
    const api = await serve(async () => reply(302, '', { location: `${files.url}/signed?s=1`, 'set-cookie': 'session=1' }))
    const { bytes } = await clientOf(api.url).download(`${api.url}/v1/image-jobs/j/asset`)
    expect(bytes).toEqual(zip)
    expect(api.seen[0]?.headers.authorization).toBe(`Bearer ${canary}`)
    expect(files.seen.map((request) => request.path)).toEqual(['/signed?s=1', '/file?s=2'])
    for (const request of files.seen) {
      expect(Object.keys(request.headers).filter((name) => name !== 'host' && name !== 'connection')).toEqual(['accept-encoding', 'accept'])
      expectNoKey(request.headers)
    }
  })

  test('a file cut in the middle is downloaded again, whole', async () => {
    const files = await serve(async () => ({
      ...reply(200, zip, { 'content-length': String(zip.length) }),
      ...(files.seen.length < 3 ? { cutAfter: 70_000 } : {}),
    }))
    const api = await serve(async () => reply(302, '', { location: `${files.url}/signed` }))
    expect((await clientOf(api.url).download(`${api.url}/v1/image-jobs/j/asset`)).bytes).toEqual(zip)
    expect(files.seen).toHaveLength(3)
  })

  test('a file server that is gone is SW_UNREACHABLE, without its address', async () => {
    const files = await serve(async () => reply(200))
    await files.close()
    const api = await serve(async () => reply(302, '', { location: `${files.url}/signed?s=secret` }))
    const error = await errorOf(clientOf(api.url).download(`${api.url}/v1/image-jobs/j/asset`))
    expect(error.code).toBe('SW_UNREACHABLE')
    expect(error.message).not.toMatch(new RegExp(`secret|${new URL(files.url).port}`))
  })
})

describe('requests', () => {
  test('C32: a connection that is cut before or inside an answer is tried again for a read, never for a submission', async () => {
    const answer = reply(200, '{"credits":"1.5"}', { 'content-length': '17' })
    const api = await serve(async () =>
      api.seen.length === 1 ? { ...answer, cutAfter: 0 } : api.seen.length === 2 ? { ...answer, cutAfter: 5 } : answer,
    )
    expect(await clientOf(api.url).balance()).toBe(15_000n)
    expect(api.seen).toHaveLength(3)

    for (const cutAfter of [0, 10]) {
      const paid = await serve(async () => ({ ...reply(202, JSON.stringify({ execution_id: executionId })), cutAfter }))
      const outcome = await clientOf(paid.url).submit({ key: 'k', body: toBytes('{}') }, async () => {})
      expect(outcome.kind).toBe('unknown')
      expectNoKey(outcome)
      expect(paid.seen).toHaveLength(1)
    }
  })

  test('C3, C32: a submission arrives with its bytes and key as they are', async () => {
    const api = await serve(async () => reply(202, JSON.stringify({ execution_id: executionId, conversation_id: null })))
    const body = toBytes('{"prompt":"ein Füchslein 🦊"}')
    expect(await clientOf(api.url).submit({ key: 'sw1-x', body }, async () => {})).toEqual({
      kind: 'accepted',
      executionId,
      conversationId: null,
    })
    expect(new Uint8Array(api.seen[0]?.body ?? [])).toEqual(body)
    expect(api.seen[0]).toMatchObject({
      method: 'POST',
      path: '/v1/execute',
      headers: { 'idempotency-key': 'sw1-x', 'service-version': '1', accept: 'application/json' },
    })
  })

  test('a service that is not there is SW_UNREACHABLE in words', async () => {
    const api = await serve(async () => reply(200))
    await api.close()
    const error = await errorOf(clientOf(api.url).capabilities())
    expect(error).toMatchObject({ code: 'SW_UNREACHABLE', message: expect.stringContaining('ECONNREFUSED') })
  })
})

describe('event streams', () => {
  const stream = (parts: readonly string[], more: Partial<ServedResponse> = {}): ServedResponse => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    body: (async function* () {
      for (const part of parts) yield toBytes(part)
    })(),
    ...more,
  })

  test('C21, C22: events come as hints with the id to resume from, and the id is sent back', async () => {
    const api = await serve(async () =>
      stream([
        ': hi\n\n',
        'id: 1\nevent: started\ndata: {"status":"running"}\n\nid: 2\nevent: progr',
        'ess\ndata: {"progress":0.5,"message":"half"}\n\n',
        'event: new_kind\ndata: ?\n\n',
        'id: 9\ndata: cut',
      ]),
    )
    const events = await collect(clientOf(api.url).events(executionId, 'evt 0', new AbortController().signal))
    expect(events).toEqual([
      { kind: 'started', id: '1', status: 'running', progress: null, message: null },
      { kind: 'progress', id: '2', status: null, progress: 0.5, message: 'half' },
      { kind: 'new_kind', id: '2', status: null, progress: null, message: null },
    ])
    expect(api.seen[0]).toMatchObject({
      path: `/v1/executions/${executionId}/events`,
      headers: { 'last-event-id': 'evt 0', accept: 'text/event-stream', authorization: `Bearer ${canary}` },
    })
  })

  test('C22: a stream that breaks off ends quietly with what it told', async () => {
    const api = await serve(async () => stream(['data: {}\n\n', 'data: {"message":"never whole'], { cutAfter: 20 }))
    expect(await collect(clientOf(api.url).events(executionId, null, new AbortController().signal))).toHaveLength(1)
    expect(api.seen[0]?.headers).not.toHaveProperty('last-event-id')
  })

  test('C24: an abort ends a silent stream, closes its connection and frees its place', async () => {
    let gone = 0
    const api = await serve(async (request) => {
      request.signal.addEventListener('abort', () => gone++)
      const silent = (async function* (): AsyncGenerator<Uint8Array> {
        yield toBytes('data: {}\n\n')
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
      })()
      return stream([], { body: silent })
    })
    const client = clientOf(api.url)
    for (let round = 0; round < 5; round++) {
      const stop = new AbortController()
      for await (const _ of client.events(executionId, null, stop.signal)) stop.abort()
    }
    await expect.poll(() => gone, { timeout: patienceMs }).toBe(5)
  })

  test('leaving the loop closes the connection too', async () => {
    let isGone = false
    const api = await serve(async (request) => {
      const endless = (async function* (): AsyncGenerator<Uint8Array> {
        yield toBytes('data: {}\n\n')
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
        isGone = true
      })()
      return stream([], { body: endless })
    })
    for await (const _ of clientOf(api.url).events(executionId, null, new AbortController().signal)) break
    await expect.poll(() => isGone, { timeout: patienceMs }).toBe(true)
  })

  test('C24: where no stream can be had the refusal is typed; a wrong content type is SW_WIRE; 204 is an empty stream', async () => {
    const envelope = JSON.stringify({ error: { reason: 'rate_limited', retryable: true, message: canary } })
    const answers = [
      reply(429, envelope),
      reply(200, 'data: x\n\n', { 'content-type': 'text/x-bogus' }),
      reply(200, '{"error": 1}', { 'content-type': 'text/event-stream' }),
      reply(204),
    ]
    const api = await serve(async () => answers[api.seen.length - 1] ?? reply(500))
    const client = clientOf(api.url)
    const events = (): Promise<ServiceEvent[]> => collect(client.events(executionId, null, new AbortController().signal))
    expect(await errorOf(events())).toMatchObject({ code: 'SW_REFUSED', facts: { status: 429, retryable: true } })
    expect((await errorOf(events())).code).toBe('SW_WIRE')
    expect((await errorOf(events())).code).toBe('SW_WIRE')
    expect(await events()).toEqual([])
    expect((await errorOf(events())).code).toBe('SW_UNREACHABLE')
  })
})
