import { afterAll, beforeAll, expect, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import { nodeQueues } from '../../src/host/net/job-queue.ts'
import { openQueues } from '../../src/queue/open.ts'
import { openRemoteClient } from '../../src/queue/remote-client.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { describeWith } from '../kit/needs.ts'
import { OutageClock } from '../kit/outage-clock.ts'
import { hasRedis, type RedisServer, startRedis } from '../kit/servers/redis.ts'

describeWith(hasRedis, 'Redis')('a client that asks for prices', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  test.each(['worker', 'queue'])('where no %s answers, says once that it waits, then ends, and speaks of no orders', async (what) => {
    const limits = new OutageClock()
    if (what === 'queue') {
      await server.stop()
      limits.begin()
    }
    const host = { ...nodeHost(), env: server.env, openQueue: nodeQueues(limits), clock: leapingClock() }
    const queues = await openQueues(host, `redis://127.0.0.1:${server.port}`, process.cwd())
    const told: string[] = []
    const opening = openRemoteClient(host, queues, undefined, { onWait: (sentence) => told.push(sentence) })
    const error = (await opening.catch((thrown: unknown) => thrown)) as Error
    expect(error).toMatchObject({ code: 'SW_QUEUE' })
    expect(error.message).not.toMatch(/orders/i)
    expect(told).toEqual([expect.stringMatching(/^Waiting for the worker at redis:.* npx spritewright worker$/)])
    await queues.close()
  })
})
