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
async function follow(answer: (number: number) => State | undefined | Error, lease: (number: number) => unknown = (number) => number) {
  const calls: string[] = []
  let reads = 0
  const openQueue = (_entry: string, _target: unknown, name: string): JobQueue => ({
    add: async (id, data, priority) => void calls.push(`add ${id} ${JSON.stringify(data)} ${priority}`),
    read: async () => {
      if (name.endsWith('lease')) return toJob('waiting', lease(reads))
      const found = answer(reads++)
      if (found instanceof Error) throw found
      return found && toJob(found)
    },
    remove: async (id) => void calls.push(`remove ${id}`),
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
    clock,
    patienceMs: 60_000,
    afterwards: 'It stays there.',
    onSlow: () => calls.push(`slow ${clock.mono() - begun >= 5000}`),
    onJob: ({ state }) => seen.push(state),
    signal: abort.signal,
  }
  const job = { id: 'a', data: { of: 'desk' }, priority: async () => 3 }
  const ended = await followJob(queues, queues.orders, job, init).catch((error: unknown) => error)
  return { ended, calls, seen, reads, tookMs: clock.mono() - begun }
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
  expect(calls).toEqual(['slow true'])
  expect(tookMs).toBeGreaterThan(60_000)
  expect(tookMs).toBeLessThan(62_000)
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
