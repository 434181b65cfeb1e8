import { expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { nodeQueues, PutBack } from '../../src/host/net/job-queue.ts'
import type { Context } from '../../src/project/context.ts'
import { formatFailure } from '../../src/queue/messages.ts'
import type { Queues } from '../../src/queue/open.ts'
import { commitDisk } from '../../src/workshop/worker/committed-order.ts'
import type { OpenedProject } from '../../src/workshop/worker/opened-project.ts'
import { pauseBefore } from '../../src/workshop/worker/pause.ts'
import { readStatus } from '../../src/workshop/worker/status.ts'
import { leaveRoom } from '../../src/workshop/worker/turns.ts'
import { ManualClock } from '../kit/manual-clock.ts'

const hashOf = (number: number): string => `${number}`.padStart(64, '0')
const orderOf = (id: string, number: number) => ({
  id: `${number}`,
  data: { id, hash: hashOf(number), commit: 'c'.repeat(40), file: 'sprites/hero.sprite.json' },
})
const report = async (): Promise<void> => {}

/** A handler of which each call ends when the test says so. */
function slowHandler() {
  const ends: (() => void)[] = []
  return { ends, handle: () => new Promise<void>((resolve) => ends.push(resolve)) }
}

test.each([
  ['a request', { id: 'hero.walk', hash: hashOf(9) }],
  ['a step of a sprite', { id: 'hero#1', hash: hashOf(8) }],
])(
  'while %s is in flight, other orders leave a handler to its order, which ends; then nothing leaves its turn',
  async (_what, inFlight) => {
    const { ends, handle } = slowHandler()
    const run = leaveRoom([inFlight], 2, handle)
    const others = [run(orderOf('owl.a', 1), report), run(orderOf('owl.b', 2), report)]
    await expect(run(orderOf('owl.c', 3), report)).rejects.toBeInstanceOf(PutBack)
    expect(ends).toHaveLength(2)
    const own = run(orderOf('hero.walk', 9), report)
    ends[2]?.()
    await own
    const last = run(orderOf('owl.c', 3), report)
    for (const end of ends) end()
    await Promise.all([...others, last])
    expect(ends).toHaveLength(4)
  },
)

test('an order of what is in flight that fails keeps its handler for the next try', async () => {
  const { ends, handle } = slowHandler()
  let fails = true
  const run = leaveRoom([{ id: 'hero.walk', hash: hashOf(9) }], 1, async () => {
    if (fails) throw new Error('the store is away')
    return handle()
  })
  await expect(run(orderOf('hero.walk', 9), report)).rejects.toThrow('the store is away')
  fails = false
  const other = run(orderOf('owl.a', 1), report)
  await expect(run(orderOf('owl.b', 2), report)).rejects.toBeInstanceOf(PutBack)
  ends[0]?.()
  await other
})

/** The module of queues, as a project installs it. It tells the handler of its first worker. */
const bullmq = `data:text/javascript,${encodeURIComponent(`
class Connection {
  on() {}
  getBackend = () => this
  pause = async () => {}
  close = async () => {}
}
let tell
export const first = new Promise((resolve) => {
  tell = resolve
})
class Worker extends Connection {
  constructor(_name, handler) {
    super()
    tell(handler)
  }
}
class WaitingError extends Error {}
class DelayedError extends Error {}
export default { Queue: Connection, Worker, WaitingError, DelayedError }
`)}`

test('a job that is put back waits at once, or with a pause from now until that is over', async () => {
  const clock = new ManualClock()
  const target = { kind: 'redis', host: 'h', port: 1, database: 0, isEncrypted: false } as const
  const serving = nodeQueues(clock)(bullmq, target, 'orders', 1000).serve(1, 1000, async ({ data }) => {
    throw new PutBack('', data as number)
  })
  const handler = await (await import(/* @vite-ignore */ bullmq)).first
  const told: unknown[] = []
  const giveBack = async (data: number): Promise<unknown> => {
    const tell =
      (what: string) =>
      async (...given: unknown[]) =>
        void told.push([what, ...given])
    return handler({ data, moveToWait: tell('wait'), moveToDelayed: tell('delay') }, 'token').catch(
      (error: Error) => error.constructor.name,
    )
  }
  expect([await giveBack(0), await giveBack(500)]).toEqual(['WaitingError', 'DelayedError'])
  expect(told).toEqual([
    ['wait', 'token'],
    ['delay', clock.wall() + 500, 'token'],
  ])
  await serving.stop()
})

test('a status has the orders of each state, how far they are or why they failed, and who handles them', async () => {
  const { data } = orderOf('hero.walk', 1)
  const order = { ...data, project: 'castle' }
  const job = (more: object): object => ({ data: order, progress: undefined, failure: '', at: 5, ...more })
  const jobs: Readonly<Record<string, readonly object[]>> = {
    active: [
      job({ progress: { id: 'hero.walk', phase: 'running', message: 'half of it' } }),
      job({ progress: { id: 'hero.walk', phase: 'queued' } }),
      job({ progress: { phase: 'nowhere' }, at: 6 }),
    ],
    waiting: [job({ data: { id: 'hero.walk\u001b[2J' } }), job({ data, progress: { id: 'hero.walk', phase: 'waiting' } })],
    failed: [job({ failure: formatFailure(new SpritewrightError('SW_CEILING', { message: 'too much' })) }), job({ failure: 'stalled' })],
  }
  const most: number[] = []
  const statusOf = (note: object | undefined) =>
    readStatus({
      address: 'redis://host',
      orders: {
        list: async (state: string, count: number) => {
          most.push(count)
          return jobs[state]
        },
      },
      lease: { read: async (id: string) => (id === 'lease' && note ? { data: note } : undefined) },
    } as unknown as Queues)
  const shown = { id: 'hero.walk', project: 'castle', commit: order.commit, at: 5 }
  const note = { by: 'desk 7', since: 3, seen: 4 }
  expect(await statusOf({ state: 'held', ...note })).toEqual({
    queue: 'redis://host',
    worker: { ...note, hasEnded: false },
    running: [
      { ...shown, phase: 'running', message: 'half of it' },
      { ...shown, phase: 'queued', message: 'queued' },
      { ...shown, at: 6 },
    ],
    waiting: [
      { id: '?', at: 5 },
      { ...shown, project: undefined, message: 'waiting' },
    ],
    failed: [
      { ...shown, message: 'too much' },
      { ...shown, message: expect.stringMatching(/could not handle.*stalled/) },
    ],
  })
  expect(most).toEqual([200, 200, 200])
  const workers = [
    { state: 'released', ...note },
    { state: 'held', by: 'desk 7', since: 3 },
    { state: 'held', since: 3, seen: 4 },
    undefined,
  ]
  expect((await Promise.all(workers.map(statusOf))).map(({ worker }) => worker?.hasEnded)).toEqual([true, undefined, undefined, undefined])
})

const now = 100_000_000
const [windowMs, longestMs, leaseMs] = [60_000, 20_000, 30_000]
const fullMs = windowMs + longestMs + leaseMs
const hour = 60 * 60_000

interface Team {
  readonly shares?: readonly { readonly hash: string; readonly at: number }[]
  /** Records of each request. The one of a broken chain has none. */
  readonly chains?: Readonly<Record<string, readonly { readonly type: string; readonly at: number }[]>>
  readonly error?: Error
}

/** A project whose journal has these records, and what was written into it. */
function projectOf({ shares = [], chains = {}, error }: Team) {
  const written: string[] = []
  const context = {
    options: { limits: { windowMs } },
    host: { clock: { wall: () => now, sleep: () => new Promise<void>(() => {}) }, random: { uuid: () => 'an-id' } },
    sharedJournal: { putIfAbsent: async (name: string, bytes: Uint8Array) => written.push(`${name} ${new TextDecoder().decode(bytes)}`) },
    reservations: {
      shares: async () => {
        if (error) throw error
        return shares
      },
    },
    journal: {
      read: async (hash: string) => {
        const records = chains[hash]
        if (records) return { records }
        throw new SpritewrightError('SW_JOURNAL', { message: 'broken' })
      },
    },
  } as unknown as Context
  return { context, written }
}

const pauseOf = async (teams: readonly (Team | 'closed')[], state: 'free' | 'held' | 'released' = 'held') => {
  const projects = teams.map((team) => (team === 'closed' ? undefined : projectOf(team)))
  const opened = projects.map((project): PromiseSettledResult<OpenedProject> => {
    if (!project) return { status: 'rejected', reason: new Error('no clone') }
    return { status: 'fulfilled', value: { context: project.context } as unknown as OpenedProject }
  })
  const { context } = projectOf({})
  const ms = await pauseBefore(context, opened, { state }, { longestMs, leaseMs }, new AbortController().signal)
  return { ms, written: projects.map((project) => project?.written) }
}
const sentAt = (at: number, ...more: readonly { readonly type: string; readonly at: number }[]): Team => ({
  shares: [{ hash: 'h', at: at - 1 }],
  chains: { h: [{ type: 'frozen', at: at - 1 }, { type: 'sent', at }, ...more] },
})

test.each<[what: string, teams: readonly (Team | 'closed')[], ms: number]>([
  ['nothing was sent', [{}], 0],
  ['a request was answered a moment ago', [sentAt(now - 9000, { type: 'accepted', at: now - 1000 })], windowMs - 1000],
  [
    'the answer to a question was answered',
    [sentAt(now - hour / 2, { type: 'answerSent', at: now - 9 }, { type: 'answerAccepted', at: now - 7 })],
    windowMs - 7,
  ],
  ['a request was sent and not answered', [sentAt(now - 5000)], windowMs + longestMs - 5000],
  [
    'a request is reserved, and nothing of it was sent',
    [{ shares: [{ hash: 'h', at: now - 50 }], chains: { h: [] } }],
    windowMs + longestMs - 50,
  ],
  ['a chain of records is broken', [{ shares: [{ hash: 'h', at: now - 50 }] }], windowMs + longestMs],
  ['all was sent long ago', [sentAt(now - windowMs - longestMs - 1)], 0],
  ['a request was reserved an hour ago', [{ shares: [{ hash: 'h', at: now - hour }] }], windowMs + longestMs],
  ['a request was reserved more than an hour ago', [{ shares: [{ hash: 'h', at: now - hour - 1 }] }], 0],
  ['a clock is ahead', [sentAt(now + hour)], fullMs],
  ['a journal is away', [{ error: new Error('away') }], fullMs],
  ['a clone does not open', ['closed'], fullMs],
  ['one project has sent later than another', [sentAt(now - 9000), sentAt(now - 5000), {}], windowMs + longestMs - 5000],
])('a new holder of the lease waits for the last request of the one before: %s', async (_what, teams, ms) => {
  expect(await pauseOf(teams)).toEqual({ ms, written: teams.map((team) => (team === 'closed' ? undefined : [])) })
})

test('after one that ended in order it waits for a window; where nobody held the lease it leaves a note in each journal', async () => {
  expect((await pauseOf([sentAt(now)], 'released')).ms).toBe(windowMs)
  const note = 'worker/first {"v":1,"id":"an-id"}'
  expect(await pauseOf([sentAt(now), {}], 'free')).toEqual({ ms: windowMs + longestMs, written: [[note], [note]] })
})

test('the disk of a commit has its files in the project, each read once, and the folder of the lock file alone', async () => {
  const asked: string[] = []
  const folder = '/game/sprites.lock'
  const files = new Map(['/game/a.png', '/other/b.png'].map((path) => [path, new TextEncoder().encode(path)]))
  const repository = {
    read: async (root: string, commit: string, path: string) => {
      asked.push(`${root} ${commit} ${path}`)
      return files.get(path)
    },
    readFolder: async (root: string, commit: string, path: string) =>
      new Map(root === '/game' && commit === 'c' && path.startsWith(root) ? [2, 1].map((n) => [`${n}.json`, Uint8Array.of(n)]) : []),
  }
  const disk = commitDisk({ host: { disk: {}, repository }, options: { root: '/game' } } as unknown as Context, 'c')
  expect(await disk.stat('/game/a.png')).toEqual({ bytes: 11, changedMs: 0, isFolder: false })
  expect(await disk.read('/game/a.png')).toBe(files.get('/game/a.png'))
  expect(await Promise.all(['/game/none', '/game/../other/b.png', '/gamer', '/other/b.png'].map((path) => disk.stat(path)))).toEqual(
    Array.from({ length: 4 }, () => undefined),
  )
  await expect(disk.read('/other/b.png')).rejects.toMatchObject({ code: 'ENOENT' })
  expect([await disk.list('/game'), await disk.list(folder)]).toEqual([[], ['1.json', '2.json']])
  expect(await disk.read(`${folder}/2.json`)).toEqual(Uint8Array.of(2))
  expect(asked).toEqual(['/game c /game/a.png', '/game c /game/none'])
})
