import { get } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ServedResponse } from '../../src/host/server.ts'
import { createMonitor, listenAt } from '../../src/workshop/worker/monitor.ts'
import type { WorkerEvent, WorkerStatus } from '../../src/workshop.ts'
import { ManualClock } from '../kit/manual-clock.ts'

const idle: WorkerStatus = { queue: 'redis://127.0.0.1', running: [], waiting: [], failed: [] }
const hero = { id: 'hero.walk', hash: 'a'.repeat(64), project: 'castle' }

function world(status: () => Promise<WorkerStatus> = async () => idle) {
  const clock = new ManualClock()
  const monitor = createMonitor(clock, status)
  const get = async (path: string, method = 'GET'): Promise<ServedResponse & { readonly text: string }> => {
    const response = await monitor.handle({ method, path, headers: {}, body: new Uint8Array(), signal: new AbortController().signal })
    return { ...response, text: new TextDecoder().decode(response.body as Uint8Array) }
  }
  return { clock, get, tell: (...events: WorkerEvent[]) => events.forEach(monitor.tell) }
}

/** Values of a text of Prometheus, by name and labels. Throws for a line that its format does not have. */
function parseMetrics(text: string): Map<string, number> {
  const values = new Map<string, number>()
  const typed = new Set<string>()
  for (const line of text.trimEnd().split('\n')) {
    const [, name] = /^# (?:HELP|TYPE) (spritewright_[a-z_]+) \S/.exec(line) ?? []
    if (name) typed.add(name)
    const [, metric = '', labels = '', value] =
      /^(spritewright_[a-z_]+)((?:\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"\})?) (\d+(?:\.\d+)?)$/.exec(line) ?? []
    if (name === undefined && (value === undefined || !typed.has(metric))) throw new Error(`no line of the format: ${line}`)
    if (value !== undefined) values.set(`${metric}${labels}`, Number(value))
  }
  expect(text.endsWith('\n')).toBe(true)
  return values
}

const event = (kind: WorkerEvent['kind'], fields: WorkerEvent['fields'] = {}): WorkerEvent => ({
  kind,
  message: `it is ${kind}\nand more`,
  fields,
})

describe('/healthz', () => {
  test.each([
    ['identity', 200, 'starting'],
    ['standby', 200, 'standby'],
    ['pause', 200, 'pause'],
    ['active', 200, 'active'],
    ['lost', 503, 'lost'],
    ['trouble', 503, 'trouble'],
    ['stalled', 503, 'stalled'],
  ] as const)('after %s answers %i, state %s', async (kind, status, state) => {
    const { get, tell } = world()
    tell(event(kind))
    const { text, ...response } = await get('/healthz')
    expect(response.status).toBe(status)
    expect(JSON.parse(text)).toEqual({
      state,
      since: expect.stringMatching(/^2025-/),
      ...(status === 503 ? { why: `it is ${kind}` } : {}),
    })
  })

  test('is healthy again when the worker works again', async () => {
    const { get, tell } = world()
    tell(event('active'), event('trouble'), event('active'))
    expect((await get('/healthz')).status).toBe(200)
    tell(event('stalled'), event('failed', hero))
    expect((await get('/healthz')).status).toBe(503)
    tell(event('bought', hero))
    expect((await get('/healthz')).status).toBe(200)
  })
})

describe('/metrics', () => {
  test('counts purchases and credits by project, without a float', async () => {
    const { get, tell } = world()
    tell(event('active'), event('ordered', { ...hero, ceiling: '2.4' }), event('ordered', { ...hero, hash: 'b', ceiling: '0.1' }))
    expect(parseMetrics((await get('/metrics')).text).get('spritewright_credits_held')).toBe(2.5)
    for (let number = 0; number < 3; number++) tell(event('bought', { ...hero, credits: '0.1' }))
    // Another machine had bought it.
    tell(event('bought', { ...hero, hash: 'b' }))
    const { text, headers } = await get('/metrics')
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toContain('\nspritewright_credits_settled_total{project="castle"} 0.3\n')
    const values = parseMetrics(text)
    expect(values.get('spritewright_purchases_total{project="castle"}')).toBe(3)
    expect(values.get('spritewright_credits_held')).toBe(0)
    expect(values.get('spritewright_events_total{event="bought"}')).toBe(4)
    expect(values.get('spritewright_active')).toBe(1)
  })

  test('has the orders of the queue, their age and the age of the lease', async () => {
    const clock = new ManualClock()
    const at = clock.wall()
    const { get, ...made } = world(async () => ({
      ...idle,
      worker: { by: 'tower 1', since: at, seen: at, hasEnded: false },
      running: [
        { id: 'a', at, phase: 'running' },
        { id: 'b', at: at + 1000, phase: 'waiting' },
      ],
      waiting: [{ id: 'c', at: at - 60_000 }],
      failed: [{ id: 'd', at: 0 }],
    }))
    made.tell(event('bought', hero))
    await made.clock.advance(5000)
    const values = parseMetrics((await get('/metrics')).text)
    const picked = [
      'orders{state="running"}',
      'orders{state="waiting"}',
      'orders{state="failed"}',
      'places_used',
      'oldest_order_age_seconds',
    ]
    expect([...picked, 'lease_age_seconds', 'last_purchase_age_seconds'].map((name) => values.get(`spritewright_${name}`))).toEqual([
      2, 1, 1, 1, 65, 5, 5,
    ])
  })

  test('says that the queue or a store is away, and still answers', async () => {
    const { get, tell } = world(async () => {
      throw new Error('away')
    })
    tell(event('active'), event('failed', { ...hero, code: 'SW_STORE' }))
    const values = parseMetrics((await get('/metrics')).text)
    expect(['queue_up', 'store_trouble', 'orders{state="waiting"}'].map((name) => values.get(`spritewright_${name}`))).toEqual([
      0,
      1,
      undefined,
    ])
    tell(event('bought', hero))
    expect(parseMetrics((await get('/metrics')).text).get('spritewright_store_trouble')).toBe(0)
  })

  test('escapes the name of a project, and has no message of an event', async () => {
    const { get, tell } = world()
    tell({ kind: 'bought', message: 'a secret prompt', fields: { ...hero, project: 'a "b"\\\n# c', credits: '1' } })
    const { text } = await get('/metrics')
    parseMetrics(text)
    expect(text).not.toContain('secret')
  })
})

test.each([
  ['/', 'GET', 404],
  ['/metrics?x', 'GET', 404],
  ['/healthz', 'POST', 405],
  ['/metrics', 'DELETE', 405],
])('%s by %s has the answer %i', async (path, method, status) => {
  expect((await world().get(path, method)).status).toBe(status)
})

test.each([
  ['127.0.0.1:1', 200],
  ['localhost:9464', 200],
  ['[::1]:9464', 200],
  ['evil.test:9464', 403],
  ['127.0.0.1.evil.test', 403],
  ['a b', 403],
])('on loopback, a request for the host "%s" is answered by %i', async (host, status) => {
  const monitor = createMonitor(new ManualClock(), async () => idle)
  const listener = await listenAt(monitor, { address: '127.0.0.1', port: 0 }, monitor.tell)
  onTestFinished(() => listener.close())
  const answered = await new Promise<number | undefined>((resolve, reject) =>
    get(`${listener.url}/healthz`, { headers: { host }, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', reject),
  )
  expect(answered).toBe(status)
})
