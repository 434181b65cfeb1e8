import { get } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ServedResponse } from '../../src/host/server.ts'
import type { Queues } from '../../src/queue/open.ts'
import { createMonitor, listenAt } from '../../src/workshop/worker/monitor.ts'
import { readStatus } from '../../src/workshop/worker/status.ts'
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

test('/healthz tells since when a state lasts, whatever else of it happens', async () => {
  const { clock, get, tell } = world()
  const sinceOf = async (): Promise<number> => Date.parse((JSON.parse((await get('/healthz')).text) as { readonly since: string }).since)
  await clock.advance(60_000)
  const begun = clock.wall()
  tell(event('active'))
  await clock.advance(60_000)
  tell(event('bought', hero), event('failed', hero))
  expect(await sinceOf()).toBe(begun)
  tell(event('lost'))
  expect(await sinceOf()).toBe(begun + 60_000)
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

  test('holds the ceiling of an order until it has ended in any way, or until the worker cannot work', async () => {
    const { get, tell } = world()
    const held = async (): Promise<number | undefined> => parseMetrics((await get('/metrics')).text).get('spritewright_credits_held')
    const hashes = ['a', 'b', 'c', 'd']
    tell(event('active'), ...hashes.map((hash, index) => event('ordered', { ...hero, hash, ceiling: `${2 ** index}` })))
    const left = []
    for (const kind of ['failed', 'refused', 'bought'] as const) {
      tell(event(kind, { ...hero, hash: hashes[left.length] }))
      left.push(await held())
    }
    tell(event('lost'))
    expect([...left, await held()]).toEqual([14, 12, 8, 0])
  })

  test.each([
    ['checking', 0],
    ['uploading', 0],
    ['submitting', 1],
    ['queued', 1],
    ['running', 1],
    ['waiting', 0],
    ['downloading', 0],
  ])('an order that is %s uses %i places of the account', async (phase, places) => {
    const { get } = world(async () => ({ ...idle, running: [{ id: 'a', at: 0, phase }] }))
    expect(parseMetrics((await get('/metrics')).text).get('spritewright_places_used')).toBe(places)
  })

  test.each([
    ['of another clock that is ahead is 0', { hasEnded: false }, 0],
    ['that was given up is missing', { hasEnded: true }, undefined],
  ])('the age of a lease %s', async (_, { hasEnded }, age) => {
    const { get, clock } = world(async () => ({ ...idle, worker: { by: 'tower 1', since: 0, seen: clock.wall() + 5000, hasEnded } }))
    expect(parseMetrics((await get('/metrics')).text).get('spritewright_lease_age_seconds')).toBe(age)
  })

  test('a store that keeps the worker from working is trouble, until it works again', async () => {
    const { get, tell } = world()
    const values = []
    for (const one of [event('trouble', { code: 'SW_STORE' }), event('failed', hero), event('active')]) {
      tell(one)
      values.push(parseMetrics((await get('/metrics')).text).get('spritewright_store_trouble'))
    }
    expect(values).toEqual([1, 1, 0])
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
  const answered = await world().get(path, method)
  expect([answered.status, answered.headers.allow]).toEqual([status, status === 405 ? 'GET' : undefined])
})

test('an address that is not of this machine is wrong usage, and says what the machine answered', async () => {
  const monitor = createMonitor(new ManualClock(), async () => idle)
  await expect(listenAt(monitor, { address: '192.0.2.1', port: 0 }, monitor.tell)).rejects.toMatchObject({
    code: 'SW_USAGE',
    facts: { option: '--http', found: 'EADDRNOTAVAIL' },
  })
})

const order = { id: 'hero.walk', hash: 'a'.repeat(64), commit: 'c'.repeat(40), file: 'sprites/hero.sprite.json', project: 'castle' }
const known = { id: 'hero.walk', project: 'castle', commit: order.commit }
const failure = JSON.stringify({ code: 'SW_CEILING', message: 'too dear' })

test.each([
  ['active', { data: order, progress: { id: 'hero.walk', phase: 'queued' } }, { ...known, phase: 'queued', message: 'queued' }],
  [
    'active',
    { data: order, progress: { id: 'hero.walk', phase: 'running', message: '40 %' } },
    { ...known, phase: 'running', message: '40 %' },
  ],
  ['active', { data: order }, { ...known, message: undefined }],
  ['waiting', { data: order, progress: { id: 'hero.walk', phase: 'waiting', message: 'a store' } }, { ...known, message: 'a store' }],
  ['failed', { data: order, progress: { id: 'hero.walk', phase: 'running' }, failure }, { ...known, message: 'too dear' }],
  ['waiting', { data: { ...order, hash: 'short' } }, { id: '?', message: undefined }],
] as const)('the status of an order that is %s is what its job %j says', async (state, job, status) => {
  const whole = { id: '1', state, result: undefined, progress: 0, failure: '', at: 7, ...job }
  const orders = { list: async (asked: string) => (asked === state ? [whole] : []) }
  const queues = { address: 'redis://queue', orders, lease: { read: async () => undefined } } as unknown as Queues
  const { running, waiting, failed, ...rest } = await readStatus(queues)
  expect({ active: running, waiting, failed, ...rest }).toEqual({
    ...{ active: [], waiting: [], failed: [], queue: 'redis://queue' },
    [state]: [{ ...status, at: 7 }],
  })
})

test.each([
  [
    { state: 'held', by: 'tower 1', since: 1, seen: 2 },
    { by: 'tower 1', since: 1, seen: 2, hasEnded: false },
  ],
  [
    { state: 'released', by: 'tower 1', since: 1, seen: 2 },
    { by: 'tower 1', since: 1, seen: 2, hasEnded: true },
  ],
  [{ state: 'held', by: 'tower 1', seen: 2 }, undefined],
  [{ state: 'held', by: 'tower 1', since: 1, seen: 1e300 }, undefined],
])('the note %j of a lease is the worker %j', async (data, worker) => {
  const queues = { address: '', orders: { list: async () => [] }, lease: { read: async () => ({ data }) } } as unknown as Queues
  expect((await readStatus(queues)).worker).toEqual(worker)
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
