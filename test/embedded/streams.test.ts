import { afterEach, describe, expect, test } from 'vitest'
import type { Caller } from '../../src/embedded/accounts/accounts.ts'
import { createStreams } from '../../src/embedded/api/streams.ts'
import type { Ground } from '../../src/embedded/executions/ground.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { callerOf, closeAll, eventsOf, start } from './fixtures.ts'

afterEach(closeAll)

describe('event streams', () => {
  test('C21: the events of a sprite come in order, with ids, up to done', async () => {
    const { me } = await start()
    const { execution_id: id } = await me.buy()
    const events = eventsOf(await (await me.stream(id)).text())
    const progress = Array.from({ length: 12 }, () => 'progress')
    expect(events.map(({ kind }) => kind)).toEqual(['started', 'thinking', ...progress, 'job', 'asset', 'done'])
    expect(new Set(events.map((event) => event.id)).size).toBe(events.length)
    expect(events.filter(({ kind }) => kind === 'progress').map(({ data }) => Math.round((data.progress as number) * 12))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
    ])
    expect(events.at(-1)!.data).toEqual({ execution_id: id, status: 'completed' })
  })

  test('C22: a stream resumed after any event brings exactly the later ones; an unknown id brings all', async () => {
    const { me } = await start()
    const { execution_id: id } = await me.buy()
    const all = eventsOf(await (await me.stream(id)).text())
    for (const [index, event] of all.entries()) {
      const rest = eventsOf(await (await me.stream(id, event.id)).text())
      expect(rest).toEqual(all.slice(index + 1))
    }
    expect(eventsOf(await (await me.stream(id, 'of another service')).text())).toEqual(all)
  })

  test('C5: a submission that accepts an event stream gets one from the start, the same on a replay', async () => {
    const service = await start()
    const reference = await service.me.upload()
    const first = await service.me.submit(reference, { accept: 'text/event-stream' })
    expect(first.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(eventsOf(first.text).map(({ kind }) => kind)).toContain('done')
    expect((await service.me.submit(reference, { accept: 'text/event-stream' })).text).toBe(first.text)
    expect(service.charges()).toHaveLength(1)
  })

  test('C23: a closed connection does not end the job', async () => {
    const clock = new ManualClock()
    const service = await start({ jobMs: 1200 }, { clock })
    const { json } = await service.me.submit(await service.me.upload())
    const leaving = new AbortController()
    await service.me.stream(json.execution_id, undefined, leaving.signal)
    leaving.abort()
    while (service.charges().length === 0) await clock.advance(1000)
    expect((await service.me.call(`/v1/executions/${json.execution_id}`)).json.status).toBe('completed')
  })

  test('C24: the fifth open stream of a key is 429, also as an initial stream, which starts nothing; a closed one makes room', async () => {
    const accounts = [{ name: 'studio', keys: [{ key: 'key-one-of-studio' }, { key: 'key-two-of-studio' }] }]
    const service = await start({ accounts, jobMs: 1000 }, { clock: new ManualClock() })
    const reference = await service.me.upload()
    const { json } = await service.me.submit(reference)
    const leaving = [1, 2, 3, 4].map(() => new AbortController())
    for (const { signal } of leaving) expect((await service.me.stream(json.execution_id, undefined, signal)).status).toBe(200)
    expect((await service.me.stream(json.execution_id)).status).toBe(429)
    const refused = await service.me.submit(reference, { key: 'second', accept: 'text/event-stream' })
    expect(refused.json.error).toMatchObject({ code: 'RATE_LIMITED', reason: 'rate_limited', category: 'RATE_LIMITED', retryable: true })
    expect((await callerOf(service, 'key-two-of-studio').stream(json.execution_id)).status).toBe(200)
    leaving[0]!.abort()
    let status = 429
    while (status === 429) status = (await service.me.stream(json.execution_id)).status
    expect(status).toBe(200)
  })

  test('C24: a client that leaves before a byte of its stream was read makes room too', () => {
    const caller = { key: { hash: 'a' } } as Caller
    const ground = { options: { limits: { streams: 4 } } } as unknown as Ground
    const streams = createStreams(ground)
    const open = (signal: AbortSignal): number => streams.open(caller, 'an execution', undefined, signal).status
    const leaving = new AbortController()
    expect([1, 2, 3, 4].map(() => open(leaving.signal))).toEqual([200, 200, 200, 200])
    expect(() => open(leaving.signal)).toThrow(expect.objectContaining({ reason: 'rate_limited' }))
    leaving.abort()
    expect(open(new AbortController().signal)).toBe(200)
  })

  test('a silent stream says so in a comment, which is no event', async () => {
    const clock = new ManualClock()
    const service = await start({ jobMs: 12 * 60_000, heartbeatMs: 15_000 }, { clock })
    const { json } = await service.me.submit(await service.me.upload())
    const reader = (await service.me.stream(json.execution_id)).body!.getReader()
    let text = ''
    while (!text.includes(': nothing new')) {
      const [part] = await Promise.all([reader.read(), clock.advance(15_000)])
      text += new TextDecoder().decode(part.value)
    }
    await reader.cancel()
    expect(eventsOf(text).map(({ kind }) => kind)).not.toContain('message')
  })
})

describe('limits', () => {
  test.each([
    ['post', 10, (me: ReturnType<typeof callerOf>) => me.call('/v1/reference-assets', { method: 'POST' })],
    ['get', 120, (me: ReturnType<typeof callerOf>) => me.call('/v1/balance')],
    ['download', 20, (me: ReturnType<typeof callerOf>) => me.call('/v1/image-jobs/none/asset')],
  ] as const)('C29, C30: %s is limited to %i in any 60 seconds', async (bucket, most, ask) => {
    const clock = new ManualClock()
    const service = await start({ limits: { [bucket]: most } }, { clock })
    const half = most / 2
    const askTimes = async (count: number): Promise<Set<number>> => {
      const statuses = new Set<number>()
      for (let i = 0; i < count; i++) statuses.add((await ask(service.me)).status)
      return statuses
    }
    expect(await askTimes(half)).not.toContain(429)
    await clock.advance(30_000)
    expect(await askTimes(half)).not.toContain(429)
    await clock.advance(29_999)
    const refused = await ask(service.me)
    expect(refused.status).toBe(429)
    expect(refused.json.error).toMatchObject({ code: 'RATE_LIMITED', reason: 'rate_limited', category: 'RATE_LIMITED', retryable: true })
    await clock.advance(1)
    expect(await askTimes(half)).not.toContain(429)
    expect((await ask(service.me)).status).toBe(429)
  })

  test('C30: the account is limited over all its keys; another account is not touched', async () => {
    const accounts = [
      { name: 'studio', keys: [{ key: 'key-one-of-studio' }, { key: 'key-two-of-studio' }] },
      { name: 'other', keys: [{ key: 'key-of-the-other' }] },
    ]
    const service = await start({ accounts, limits: { get: 2 } }, { clock: new ManualClock() })
    const status = async (key: string): Promise<number> => (await callerOf(service, key).call('/v1/balance')).status
    expect([await status('key-one-of-studio'), await status('key-two-of-studio'), await status('key-two-of-studio')]).toEqual([
      200, 200, 429,
    ])
    expect(await status('key-of-the-other')).toBe(200)
  })
})
