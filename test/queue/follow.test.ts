import { expect, test } from 'vitest'
import type { Host } from '../../src/host/host.ts'
import { type JobQueue, NoTables, type QueuedJob } from '../../src/host/net/job-queue.ts'
import { type FollowInit, followJob } from '../../src/queue/follow.ts'
import { openQueues } from '../../src/queue/open.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

type State = QueuedJob['state']

const toJob = (state: State, data: unknown = {}): QueuedJob => ({ id: 'a', data, state, progress: 0, result: {}, failure: '', at: 0 })

/**
 * Follows the job "a" with a minute's patience. The server answers each read by a script, and names its calls in order.
 *
 * @param answer What the read of a number gives, from 0.
 * @param lease Data of the worker's note at a read.
 */
async function follow(
  answer: (number: number) => State | undefined | Error,
  lease: (number: number) => unknown = (number) => number,
  more: { readonly patienceMs?: number; readonly onAdd?: () => void; readonly priority?: () => Promise<number> } = {},
) {
  const calls: string[] = []
  const pauses: number[] = []
  let reads = 0
  const openQueue = (_entry: string, _target: unknown, name: string): JobQueue => ({
    add: async (id, data, priority) => {
      more.onAdd?.()
      calls.push(`add ${id} ${JSON.stringify(data)} ${priority}`)
    },
    read: async () => {
      if (name.endsWith('lease')) return toJob('waiting', lease(reads))
      const found = answer(reads++)
      if (found instanceof Error) throw found
      return found && toJob(found)
    },
    remove: async (id) => {
      await new Promise(setImmediate)
      calls.push(`remove ${id}`)
    },
    list: async () => [],
    serve: () => ({ stop: async () => {} }),
    take: async () => undefined,
    close: async () => {},
  })
  const disk = new MemoryDisk()
  for (const name of ['bullmq', 'pg']) disk.files.set(`/game/node_modules/${name}/package.json`, Buffer.from('{}'))
  const host = { disk, env: {}, openQueue } satisfies Partial<Host> as Partial<Host> as Host
  const queues = await openQueues(host, 'postgres://127.0.0.1/game', '/game')
  const clock = leapingClock()
  const begun = clock.mono()
  const seen: State[] = []
  const abort = new AbortController()
  const init: FollowInit = {
    clock: {
      ...clock,
      sleep: (ms, signal) => {
        pauses.push(ms)
        return clock.sleep(ms, signal)
      },
    },
    patienceMs: more.patienceMs ?? 60_000,
    afterwards: 'It stays there.',
    onSlow: () => calls.push(`slow ${clock.mono() - begun}`),
    onJob: ({ state }) => seen.push(state),
    signal: abort.signal,
  }
  const job = { id: 'a', data: { of: 'desk' }, priority: more.priority ?? (async () => 3) }
  const ended = await followJob(queues, queues.orders, job, init).catch((error: unknown) => error)
  return { ended, calls, seen, reads, pauses, tookMs: clock.mono() - begun }
}

const added = 'add a {"of":"desk"} 3'

test('a queue that no worker has ever used ends it at once, although a silent one is waited for', async () => {
  const { ended, reads, tookMs } = await follow(() => new NoTables())
  expect(ended).toMatchObject({
    code: 'SW_QUEUE',
    message: expect.stringContaining('no worker has ever been active'),
    facts: { hasTables: false },
  })
  expect([reads, tookMs]).toEqual([1, 0])
})

test('a queue that answers again within the patience is asked on', async () => {
  const { ended, calls } = await follow((number) => (number < 5 ? new Error('away') : number === 5 ? undefined : 'done'))
  expect([ended, calls]).toEqual([toJob('done'), [added]])
})

test('a queue that stays silent ends it when the patience is over', async () => {
  const { ended, calls, tookMs } = await follow(() => new Error('away'))
  expect(ended).toMatchObject({ code: 'SW_QUEUE', message: expect.stringContaining('found: away') })
  expect(calls).toEqual(['slow 5575'])
  expect(tookMs).toBe(60_575)
})

test('its pauses double up to a second', async () => {
  const { pauses } = await follow((number) => (number < 9 ? 'waiting' : 'done'))
  expect(pauses).toEqual([25, 50, 100, 200, 400, 800, 1000, 1000, 1000])
})

test('after exactly its patience it still waits, for a worker and for a server', async () => {
  const limits = { patienceMs: 1575 }
  const silent = await follow(() => new Error('away'), undefined, limits)
  const idle = await follow(
    () => 'waiting',
    () => 'the same',
    limits,
  )
  expect([silent.tookMs, idle.tookMs]).toEqual([2575, 2575])
  expect(idle.ended).toMatchObject({ message: expect.stringContaining(' 2 seconds'), facts: { queue: 'postgres://127.0.0.1/game' } })
})

test('the first note of a worker is no sign of one, because it may be old', async () => {
  const { tookMs } = await follow(
    (number) => (number < 5 ? new Error('away') : 'waiting'),
    () => 'the same',
    { patienceMs: 2000 },
  )
  expect(tookMs).toBe(2575)
})

test('what ends the adding or the note of a worker ends it at once', async () => {
  const thrower = (error: Error) => (): never => {
    throw error
  }
  const unused = { code: 'SW_QUEUE', facts: { hasTables: false } }
  const adding = await follow(() => undefined, undefined, { onAdd: thrower(new NoTables()) })
  const noting = await follow(() => 'waiting', thrower(new NoTables()))
  expect([adding.ended, adding.tookMs, noting.ended, noting.tookMs]).toMatchObject([unused, 0, unused, 0])
  const own = new TypeError('of the client')
  const asking = await follow(() => undefined, undefined, { priority: async () => thrower(own)() })
  expect([asking.ended, asking.calls, asking.tookMs]).toEqual([own, [], 0])
})

test('a job that vanishes is added again, and is shown as long as it has not settled', async () => {
  const states = [undefined, 'waiting', undefined, 'active', 'failed'] as const
  const { ended, calls, seen } = await follow((number) => states[number])
  expect([ended, calls, seen]).toEqual([toJob('failed'), [added, added], ['waiting', 'active']])
})

test('a job that settled in an earlier run is removed, and done once more', async () => {
  const { ended, calls } = await follow((number) => (number === 0 ? 'failed' : 'done'))
  expect([ended, calls]).toEqual([toJob('done'), ['remove a', added]])
})

test('a worker whose note does not change gives no sign, and one that renews it is waited for', async () => {
  const { ended, tookMs } = await follow(
    () => 'waiting',
    () => 'the same',
  )
  expect(ended).toMatchObject({ code: 'SW_QUEUE', message: expect.stringContaining('no sign of one for 60 seconds. It stays there.') })
  expect(tookMs).toBeLessThan(62_000)
  expect((await follow((number) => (number < 200 ? 'waiting' : 'done'))).ended).toEqual(toJob('done'))
})
