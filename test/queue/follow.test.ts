import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import { followJob } from '../../src/queue/follow.ts'
import { openQueues } from '../../src/queue/open.ts'
import { hasRedis, type RedisServer, startRedis } from '../kit/servers/redis.ts'

const hash = 'a'.repeat(64)
const minuteMs = 60_000

describe.skipIf(!hasRedis)('a client that follows an order', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  test('a failed order of another commit is replaced by its own; its own failure is the answer', async () => {
    const host = { ...nodeHost(), env: server.env }
    const queues = await openQueues(host, `redis://127.0.0.1:${server.port}`, process.cwd())
    const worked: unknown[] = []
    const commitOf = (data: unknown): string => (data as { commit: string }).commit
    let isFound = (): void => {}
    const found = new Promise<void>((resolve) => {
      isFound = resolve
    })
    const follow = (commit: string) =>
      followJob(
        queues,
        queues.orders,
        { id: hash, data: { commit }, isSame: (data) => commitOf(data) === commit, priority: async () => 1 },
        { clock: host.clock, patienceMs: minuteMs, signal: new AbortController().signal, onJob: () => isFound() },
      )
    await queues.orders.add(hash, { commit: 'theirs' }, 1)
    const mine = follow('mine')
    await found
    const worker = queues.orders.serve(1, minuteMs, async ({ data }) => {
      worked.push(commitOf(data))
      if (commitOf(data) !== 'mine') throw new Error('refused')
      return {}
    })
    expect(await mine).toMatchObject({ state: 'done', data: { commit: 'mine' } })
    expect(worked).toEqual(['theirs', 'mine'])
    expect(await follow('theirs')).toMatchObject({ state: 'failed', failure: 'refused' })
    await worker.stop()
    await queues.close()
  })
})
