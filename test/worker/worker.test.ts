import { beforeEach, expect, test } from 'vitest'
import type { Host } from '../../src/host/host.ts'
import type { NetResponse } from '../../src/host/net.ts'
import type { Workshop } from '../../src/workshop.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { MemoryQueues } from '../kit/memory-queues.ts'
import { mounted, TimedDisk } from '../kit/mounted-disk.ts'
import { figurePng } from '../kit/project.ts'
import { specOf } from '../sim/two-machines.ts'
import { type SimulatedWorld, simulatedWorld } from '../sim/world.ts'

const [keeper, artist] = [1, 2]
const windowMs = 60_000
const leaseMs = 30_000
const options = {
  service: { queue: 'redis://127.0.0.1' },
  store: { shared: '/share/results', journal: '/share/journal' },
  limits: { windowMs },
}

let world: SimulatedWorld
let queues: MemoryQueues
let share: MemoryDisk
/** Files of each commit, by its id. The last one that was pushed is the tip of the remote's only branch. */
let commits: Map<string, ReadonlyMap<string, Uint8Array>>
let pushed: string[]
/** Tips of the branches by which approvals are judged. */
let main: () => readonly string[]
/** Whether the service answers nobody. */
let isServiceAway: boolean
/** Answers a submission in place of the service. */
let onSubmit: () => Promise<NetResponse> | undefined
/** Called before each fetch. */
let fetch: () => void
let desk: Clone

interface Clone {
  readonly disk: MemoryDisk
  /** Its present commit. */
  head: string
  open(env: Host['env']): Promise<Workshop>
}

function clone(): Clone {
  const disk = new MemoryDisk()
  const write = (path: string, content: string | Uint8Array): void =>
    void disk.files.set(`/game/${path}`, typeof content === 'string' ? new TextEncoder().encode(content) : content)
  write('package.json', '{"name":"game"}')
  for (const name of ['bullmq', 'ioredis']) write(`node_modules/${name}/package.json`, '{}')
  write('sprites/hero.png', figurePng(1))
  write('sprites/hero.sprite.json', specOf('a knight', 'hero'))
  const self: Clone = {
    disk,
    head: pushed.at(-1) ?? '',
    open: (env) =>
      world.workshop(options, {
        disk: mounted(disk, '/share', share),
        glob: async () => ['/game/sprites/hero.sprite.json'],
        env,
        net: {
          ...world.net,
          request: (wanted) => {
            if (isServiceAway) return Promise.reject(new Error('no route'))
            return (wanted.url.endsWith('/v1/execute') ? onSubmit() : undefined) ?? world.net.request(wanted)
          },
        },
        openQueue: queues.open,
        repository: {
          head: async () => self.head,
          fetch: async () => fetch(),
          inside: async () => '',
          tipsWith: async (_folder, commit) => (pushed.includes(commit) ? pushed.slice(-1) : []),
          tipsOf: async () => main(),
          read: async (_folder, commit, path) => commits.get(commit)?.get(path),
          hashesIn: async () => new Set(),
          readFolder: async () => new Map(),
        },
      }),
  }
  return self
}

/** Commits the desk's files, and pushes them. */
function commit({ isPushed = true } = {}): string {
  const id = `${commits.size + 1}`.padStart(40, 'c')
  commits.set(id, new Map(desk.disk.files))
  desk.head = id
  if (isPushed) pushed.push(id)
  return id
}

/** A worker with a clone of its own, until `end`. */
async function hire() {
  const ending = new AbortController()
  const sentences: string[] = []
  const env = { ...world.env, ...keyEnv(keeper), SPRITEWRIGHT_APPROVERS: testKey(artist).fingerprint }
  const workshop = await clone().open(env)
  const ended = workshop.work({
    onEvent: ({ message }) => void sentences.push(message),
    signal: ending.signal,
    leaseMs,
    longestRequestMs: 1000,
  })
  ended.catch(() => {})
  return {
    sentences,
    ended,
    end: () => {
      ending.abort()
      return world.clock.run(ended)
    },
  }
}

/** Runs a command at the desk, which has no API key. */
async function at<T>(run: (workshop: Workshop) => Promise<T>, env: Host['env'] = {}): Promise<T> {
  const workshop = await desk.open({ ...keyEnv(artist), ...env })
  return world.clock.run(run(workshop).finally(() => workshop.close()))
}
const approve = () => at((workshop) => workshop.approve({ names: [], confirm: async () => true }))
const build = () => at((workshop) => workshop.build({ buyOnly: true }))
const charges = (): number => world.service.charges().length

beforeEach(async () => {
  world = await simulatedWorld(1000)
  queues = new MemoryQueues(world.clock)
  share = new TimedDisk(() => world.clock.wall())
  share.files.set('/share/journal/.keep', new Uint8Array())
  commits = new Map()
  pushed = []
  main = () => pushed.slice(-1)
  isServiceAway = false
  onSubmit = () => undefined
  fetch = () => {}
  desk = clone()
  commit()
})

test('a worker tells prices to a machine without a key, and buys what it has approved and pushed, once', async () => {
  const worker = await hire()
  expect((await at((workshop) => workshop.plan([]))).items).toMatchObject([
    { id: 'hero.walk', state: 'missing', quote: { credits: 16_000n } },
  ])
  await approve()
  commit()
  const phases: string[] = []
  const { bought } = await at((workshop) => workshop.build({ buyOnly: true, onProgress: ({ phase }) => void phases.push(phase) }))
  expect(bought.map(({ id, credits }) => [id, credits])).toEqual([['hero.walk', 16_000n]])
  expect(phases.filter((phase) => phase === 'bought')).toEqual(['bought'])
  expect((await build()).bought).toEqual([])
  expect(charges()).toBe(1)
  expect([...share.files.keys()].filter((path) => path.startsWith('/share/results/'))).toHaveLength(1)
  await worker.end()
  expect(worker.sentences).toEqual([
    `Its signing key is ${testKey(keeper).fingerprint}. Name it in SPRITEWRIGHT_APPROVERS on the other machines: its records count there only then.`,
    'This worker is active.',
    'hero.walk: ordered.',
    'hero.walk: bought, and in the shared store.',
  ])
})

test('two orders with one reference that are bought at the same time upload it once', async () => {
  const spec = { reference: './hero.png', prompt: 'a knight', animations: { walk: { frames: 8 }, idle: { frames: 8 } } }
  desk.disk.files.set('/game/sprites/hero.sprite.json', new TextEncoder().encode(JSON.stringify(spec)))
  commit()
  const worker = await hire()
  await approve()
  commit()
  expect((await build()).bought).toHaveLength(2)
  expect(world.service.requests().filter(({ path }) => path === '/v1/reference-assets')).toHaveLength(1)
  await worker.end()
})

test('a plan without a worker says what is missing, after a minute, without a price and with the reason', async () => {
  const begun = world.clock.mono()
  const { items, failure, balance } = await at((workshop) => workshop.plan([]))
  expect(items).toMatchObject([{ id: 'hero.walk', state: 'missing' }])
  expect([items[0]?.quote, balance]).toEqual([undefined, undefined])
  expect(failure).toMatchObject({ code: 'SW_QUEUE', message: expect.stringContaining('npx spritewright worker') })
  expect(world.clock.mono() - begun).toBeLessThan(62_000)
})

test('a ledger in groups needs no worker: it asks one for the rate for some seconds only, and none if nothing has a price', async () => {
  const trusts = { SPRITEWRIGHT_APPROVERS: testKey(keeper).fingerprint }
  const ledger = () => at((workshop) => workshop.ledger({ isTeam: true, by: 'month', withUsd: true }), trusts)
  const waitOf = async <T>(work: () => Promise<T>): Promise<readonly [T, number]> => {
    const begun = world.clock.mono()
    return [await work(), world.clock.mono() - begun]
  }
  const [empty, none] = await waitOf(ledger)
  expect([empty.warnings, none]).toEqual([[], 0])
  const worker = await hire()
  await approve()
  commit()
  await build()
  expect((await ledger()).usd).toBe('0.40')
  await worker.end()
  const [report, waited] = await waitOf(ledger)
  expect(report).toMatchObject({ settled: 16_000n, usd: undefined, warnings: [expect.stringContaining('USD are missing')] })
  expect(waited).toBeLessThan(10_000)
})

test.each([
  ['hero', { reference: { steps: [{ text: 'a badge' }] } }, 1],
  ['hero.face', { reference: './hero.png', pictures: { face: [{ edit: 'a face' }, { removeBackground: 'it' }] } }, 2],
])('a worker buys the picture %s with its steps, once', async (id, spec, requests) => {
  desk.disk.files.set('/game/sprites/hero.sprite.json', new TextEncoder().encode(JSON.stringify(spec)))
  commit()
  const worker = await hire()
  await approve()
  commit()
  expect((await build()).bought.map((one) => one.id)).toEqual([id])
  expect((await build()).bought).toEqual([])
  expect(charges()).toBe(requests)
  await worker.end()
})

test.each([
  ['the approval is not committed', () => {}, 'the lock file there lacks the approval of "hero.walk".'],
  ['its commit is not pushed', () => commit({ isPushed: false }), 'no branch of the remote has that commit.'],
  [
    'its picture is another one in the commit',
    () => {
      const picture = desk.disk.files.get('/game/sprites/hero.png') as Uint8Array
      desk.disk.files.set('/game/sprites/hero.png', figurePng(2))
      commit()
      desk.disk.files.set('/game/sprites/hero.png', picture)
    },
    'its reference picture at that commit is another one.',
  ],
])('an order is refused, and nothing is sent, if %s', async (_, prepare, why) => {
  const worker = await hire()
  await approve()
  prepare()
  await expect(build()).rejects.toMatchObject({ code: 'SW_ORDER', message: expect.stringContaining(why) })
  expect(charges()).toBe(0)
  await worker.end()
})

test.each([
  [
    'is on another branch',
    (first: string) => [first],
    'its approval of "hero.walk" is not the newest one on the remote\'s default branch. Merge it there, or let SPRITEWRIGHT_BRANCHES of the worker name its branch. Nothing',
  ],
  [
    'cannot be judged',
    () => [],
    'its clone does not know the default branch of its remote (git remote set-head origin --auto). SPRITEWRIGHT_BRANCHES names the branches whose approvals count. Nothing',
  ],
])('an order whose approval %s is refused, and bought once that branch has it', async (_, tips, why) => {
  const worker = await hire()
  await approve()
  const [first = ''] = pushed
  main = () => tips(first)
  commit()
  await expect(build()).rejects.toMatchObject({ code: 'SW_ORDER', message: expect.stringContaining(why) })
  expect(charges()).toBe(0)
  main = () => pushed.slice(-1)
  expect((await build()).bought).toHaveLength(1)
  await worker.end()
})

test('a remote that does not answer is asked again, and after ten minutes the order fails', async () => {
  const worker = await hire()
  await approve()
  commit()
  const begun = world.clock.mono()
  fetch = () => {
    if (world.clock.mono() < begun + 120_000) throw new Error('the remote is away')
  }
  const phases: string[] = []
  const told = (message = '') => message.includes('the remote is away') && phases.push(message)
  await at((workshop) => workshop.build({ buyOnly: true, onProgress: ({ message }) => void told(message) }))
  const why = 'the worker could not fetch, and tries again: the remote is away'
  expect([charges(), phases]).toEqual([1, [why]])
  expect(worker.sentences.filter((sentence) => sentence.includes('could not fetch'))).toEqual([`hero.walk: ${why}`])
  expect(world.clock.mono() - begun).toBeGreaterThan(120_000)
  await worker.end()
})

test('what a remote never brings is no order: SW_QUEUE after ten minutes, and nothing is sent', async () => {
  const worker = await hire()
  await approve()
  commit()
  fetch = () => {
    throw new Error('the remote is away')
  }
  const begun = world.clock.mono()
  await expect(build()).rejects.toMatchObject({
    code: 'SW_QUEUE',
    message: `The worker waited ten minutes for the remote of its clone, to read "hero.walk" from commit ${pushed.at(-1)?.slice(0, 12)}; found: the remote is away. Nothing was sent. Make sure that git fetch works there without a question, then build again.`,
  })
  expect(world.clock.mono() - begun).toBeGreaterThan(600_000)
  expect(charges()).toBe(0)
  await worker.end()
})

test('a message that is no order or no inquiry is refused in the words of this version', async () => {
  const worker = await hire()
  const queue = (name: string) => queues.open('', {} as never, `spritewright-${name}`, 0)
  await queue('orders').add('a', { id: 'hero.walk', hash: 'short' }, 1)
  await queue('inquiries').add('b', { ask: 'for the key' }, 0)
  for (const [name, id, what] of [
    ['orders', 'a', 'an order'],
    ['inquiries', 'b', 'an inquiry'],
  ] as const) {
    let job = await queue(name).read(id)
    for (; job?.state !== 'failed'; job = await queue(name).read(id)) await world.clock.run(world.clock.sleep(1000))
    expect(job).toMatchObject({ state: 'failed' })
    expect(JSON.parse(job?.failure ?? '')).toMatchObject({
      code: 'SW_ORDER',
      message: `Expected ${what} in the form of this version, found something else. Nothing was sent. Use the same version of spritewright on clients and worker.`,
    })
  }
  await worker.end()
})

test('a second worker stands by until the first one ends, then waits until its window is over', async () => {
  const first = await hire()
  await world.clock.run(world.clock.sleep(5000))
  const second = await hire()
  await world.clock.run(world.clock.sleep(120_000))
  expect(second.sentences).toContain('another worker is active; this one stands by')
  expect(second.sentences).not.toContain('This worker is active.')
  await first.end()
  const ended = world.clock.mono()
  while (!second.sentences.includes('This worker is active.')) await world.clock.run(world.clock.sleep(1000))
  expect(world.clock.mono() - ended).toBeGreaterThanOrEqual(windowMs)
  expect(world.clock.mono() - ended).toBeLessThan(windowMs + leaseMs)
  expect(second.sentences).toContain('Requests of the last worker may still count, so the first request follows in 60 s.')
  await second.end()
})

test('a queue that was emptied costs a worker neither its lease nor an order', async () => {
  const worker = await hire()
  await approve()
  commit()
  const building = build()
  queues.wipe()
  expect((await building).bought).toHaveLength(1)
  queues.wipe()
  await world.clock.run(world.clock.sleep(4 * leaseMs))
  expect(worker.sentences.filter((sentence) => /lost|gives up|stands by/.test(sentence))).toEqual([])
  expect((await at((workshop) => workshop.workerStatus())).worker).toMatchObject({ hasEnded: false })
  expect(charges()).toBe(1)
  await worker.end()
})

test('a worker that the queue does not answer for longer than its lease says so, and works again when it does', async () => {
  const worker = await hire()
  await world.clock.run(world.clock.sleep(1000))
  queues.before = () => {
    throw new Error('away')
  }
  await world.clock.run(world.clock.sleep(2 * leaseMs))
  expect(worker.sentences.join('\n')).toContain('This worker lost its lease')
  queues.before = () => {}
  await approve()
  commit()
  expect((await build()).bought).toHaveLength(1)
  await worker.end()
})

test('an interrupted worker puts its order back, and the next one buys it, once', async () => {
  const first = await hire()
  await approve()
  commit()
  const building = at((workshop) => workshop.build({ buyOnly: true }))
  let isOver = false
  const over = (): void => {
    isOver = true
  }
  building.then(over, over)
  const isSent = (): boolean => world.service.requests().some(({ path }) => path === '/v1/execute')
  while (!isSent() && !isOver) await new Promise((resolve) => setImmediate(resolve))
  void first.end()
  const second = await hire()
  expect((await building).bought).toHaveLength(1)
  expect(charges()).toBe(1)
  await second.end()
})

test('a worker whose service is away says so once, and buys as soon as it answers', async () => {
  isServiceAway = true
  const worker = await hire()
  await world.clock.run(world.clock.sleep(24 * leaseMs))
  const told = (): readonly string[] => worker.sentences.filter((sentence) => sentence.endsWith('tries again until it can work.'))
  const [trouble = '', stalled, ...more] = told()
  expect(stalled).toBe(`This worker has bought nothing for 10 minutes, because it cannot work: ${trouble}`)
  expect(more).toEqual([])
  expect(worker.sentences).not.toContain('This worker is active.')
  isServiceAway = false
  await approve()
  commit()
  expect((await build()).bought).toHaveLength(1)
  expect(told()).toHaveLength(2)
  await worker.end()
})

test('submissions that get no answer for minutes keep their handlers, and are bought before a person has to decide', async () => {
  const animations = Object.fromEntries(['walk', 'idle', 'run', 'jump'].map((name) => [name, { frames: 7 }]))
  const spec = JSON.stringify({ reference: './hero.png', prompt: 'a knight', animations })
  desk.disk.files.set('/game/sprites/hero.sprite.json', new TextEncoder().encode(spec))
  commit()
  const worker = await hire()
  await approve()
  commit()
  onSubmit = () => Promise.reject(new Error('no route'))
  const building = build()
  await world.clock.run(world.clock.sleep(180_000))
  onSubmit = () => undefined
  expect((await building).bought).toHaveLength(4)
  expect(charges()).toBe(4)
  await worker.end()
})

test('a submission that the service asks to send again after two minutes is sent then', async () => {
  const worker = await hire()
  await approve()
  commit()
  const error = {
    ...{ code: 'RATE_LIMITED', reason: 'rate_limited', message: 'Slow down.', category: 'RATE_LIMITED', retryable: true },
    request_id: '00000000-0000-4000-8000-000000000000',
  }
  let posts = 0
  onSubmit = () => {
    if (++posts > 1) return undefined
    const headers = { 'retry-after': '120', 'content-type': 'application/json' }
    const body = async function* (): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(JSON.stringify({ error }))
    }
    return Promise.resolve({ status: 429, headers, body: body() })
  }
  const begun = world.clock.mono()
  expect((await build()).bought).toHaveLength(1)
  expect(world.clock.mono() - begun).toBeLessThan(180_000)
  await worker.end()
})

/**
 * How long the next worker waits at a queue without a memory of any worker, as after a failover.
 *
 * @param note Data of the lease there, if another worker has just died.
 */
async function takeOver(note?: object): Promise<number> {
  queues = new MemoryQueues(world.clock)
  if (note) await (await queues.open('', {} as never, 'spritewright-lease', 0).take('lease', note, 0))?.note(note)
  const begun = world.clock.mono()
  const second = await hire()
  while (!second.sentences.includes('This worker is active.')) await world.clock.run(world.clock.sleep(1000))
  const passedMs = world.clock.mono() - begun
  await second.end()
  return passedMs
}

test('a take-over waits only until the window of the last submission in the journal is over', async () => {
  const first = await hire()
  await approve()
  commit()
  expect((await build()).bought).toHaveLength(1)
  expect(await takeOver()).toBeGreaterThan(windowMs - 10_000)
  await world.clock.run(world.clock.sleep(windowMs / 2))
  expect(await takeOver()).toBeLessThan(10_000)
  // A worker of an earlier version has died just now, and so has one of this version.
  expect(await takeOver({ state: 'held', by: 'another' })).toBeLessThan(10_000)
  await first.end()
})

test('a take-over from a worker that ended in order waits for a window, whatever the journal has', async () => {
  expect(await takeOver({ state: 'released', by: 'another' })).toBeGreaterThanOrEqual(windowMs)
})

test('a worker leaves the note in the journal that keeps one of an earlier version from a first request too early', async () => {
  const worker = await hire()
  while (!worker.sentences.includes('This worker is active.')) await world.clock.run(world.clock.sleep(1000))
  expect([...share.files.keys()].filter((path) => path.startsWith('/share/journal/worker/first'))).toHaveLength(1)
  await worker.end()
})

test('in a queue that is emptied every three seconds, the active worker stays it beside one that stands by, and buys', async () => {
  const first = await hire()
  while (!first.sentences.includes('This worker is active.')) await world.clock.run(world.clock.sleep(1000))
  const second = await hire()
  while (!second.sentences.some((sentence) => sentence.includes('stands by'))) await world.clock.run(world.clock.sleep(1000))
  for (let seconds = 0; seconds < 720; seconds += 3) {
    queues.wipe()
    await world.clock.run(world.clock.sleep(3000))
  }
  expect(first.sentences.filter((sentence) => sentence.includes('lost its lease'))).toEqual([])
  expect(second.sentences).not.toContain('This worker is active.')
  expect([...first.sentences, ...second.sentences].filter((sentence) => sentence.includes('bought nothing'))).toEqual([
    'This worker has bought nothing for 10 minutes, because the queue is emptied again and again',
  ])
  await approve()
  commit()
  const building = build()
  queues.wipe()
  expect((await building).bought).toHaveLength(1)
  await first.end()
  await second.end()
})

test('a lease that a busy machine could not renew in time is refused: SW_USAGE', async () => {
  const workshop = await clone().open({ ...world.env, ...keyEnv(keeper) })
  const work = workshop.work({ onEvent: () => {}, signal: new AbortController().signal, leaseMs: 2000 })
  await expect(work).rejects.toMatchObject({
    code: 'SW_USAGE',
    message: 'Expected a lease of at least 10000 ms, found 2000. A shorter one is lost whenever the machine is busy. Leave leaseMs out.',
    facts: { leaseMs: 2000, shortestLeaseMs: 10_000 },
  })
})
