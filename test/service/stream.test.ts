import { describe, expect, test } from 'vitest'
import type { SpritewrightError } from '../../src/errors.ts'
import type { Limiter } from '../../src/service/limits/limits.ts'
import { streamEvents } from '../../src/service/stream.ts'
import { json, type Reply } from '../kit/scripted-net.ts'
import { canary } from './fixtures.ts'
import { world } from './noted-calls.ts'

describe('a stream of events', () => {
  const headers = { 'content-type': 'text/event-stream' }
  const read = async (
    reply: Reply,
    lastEventId: string | null = null,
    limits: Partial<Limiter> = {},
    signal = new AbortController().signal,
  ) => {
    const { calls, clock, signals, ports } = world(reply)
    const found: unknown[] = []
    const all = async (): Promise<void> => {
      for await (const event of streamEvents({ ...ports, limiter: { ...ports.limiter, ...limits } }, '/v1/e/events', lastEventId, signal))
        found.push(event)
    }
    const error = await clock.run(all()).catch((cause: SpritewrightError) => cause)
    return { calls: calls.map((call) => call.replace(/part \d+/, 'part')), signals, found, error }
  }
  const begin = ['take stream', 'take get', 'GET /v1/e/events 0 ms', 'release']

  test('takes one of the streams and a read, gives the read back before it reads and the stream after it', async () => {
    const body = `retry: 900\nid: 7\nevent: progress ${canary}\ndata: {"status": "running", "progress": 0.5, "message": "${canary}"}\n\ndata: {}\n\n`
    const { calls, signals, found, error } = await read({ status: 200, headers, body }, '6')
    expect([error, calls]).toEqual([undefined, [...begin, 'part', 'closed', 'release stream']])
    expect(signals[0]).toBe(signals[1])
    expect(found).toEqual([
      { kind: expect.stringMatching(/^progress /), id: '7', status: 'running', progress: 0.5, message: expect.any(String), retryMs: 900 },
      { kind: 'message', id: '7', status: null, progress: null, message: null, retryMs: 900 },
    ])
    expect(JSON.stringify(found)).not.toContain(canary)
  })

  test.each<[string, Reply, string | undefined, object | undefined]>([
    ['204', { status: 204 }, undefined, undefined],
    ['a cut', { status: 200, headers, body: 'data: {}\n\n', cutAfter: 3 }, undefined, undefined],
    ['a page', { status: 200, headers, body: 'page' }, 'SW_WIRE', { what: 'the event stream', found: 'text without any event' }],
    ['JSON', json(200, {}), 'SW_WIRE', { what: 'the event stream', status: 200, contentType: 'application/json' }],
    ['no type', { status: 200 }, 'SW_WIRE', { what: 'the event stream', status: 200, contentType: null }],
    ['201', { status: 201, headers }, 'SW_WIRE', { what: 'the event stream', status: 201 }],
    [
      '503',
      { status: 503, body: 'page', cutAfter: 1 },
      'SW_UNREACHABLE',
      { what: 'the event stream', host: 'api.example.com', status: 503 },
    ],
    ['no answer', new Error('lost'), 'SW_UNREACHABLE', { what: 'the event stream', host: 'api.example.com', status: null }],
  ])('that is answered by %s ends so, and its place is given back', async (_, reply, code, facts) => {
    const { calls, error } = await read(reply)
    expect([error?.code, error?.facts]).toEqual([code, facts])
    expect([calls.slice(0, 4), calls.at(-1)]).toEqual([begin, 'release stream'])
  })

  test('that the caller ends, or whose place another process has, ends without an error', async () => {
    const over = new AbortController()
    const lost = new AbortController()
    const stopping = (stop: AbortController) => async () => {
      stop.abort(new Error('over'))
      return () => {}
    }
    expect((await read('silence', null, { take: stopping(over) }, over.signal)).error).toBeUndefined()
    const calls: string[] = []
    const openStream = async () => Object.assign(() => void calls.push('given back'), { lost: lost.signal })
    expect((await read('silence', null, { openStream, take: stopping(lost) })).error).toBeUndefined()
    expect(calls).toEqual(['given back'])
  })
})
