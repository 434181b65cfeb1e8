import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Clock, nodeClock } from '../../src/host/clock.ts'
import { nodeDisk } from '../../src/host/disk.ts'
import type { Host } from '../../src/host/host.ts'
import { nodeQueues } from '../../src/host/net/job-queue.ts'
import { resolveQueueTarget } from '../../src/queue/address.ts'
import { followJob } from '../../src/queue/follow.ts'
import { openQueues } from '../../src/queue/open.ts'
import { describeWith } from '../kit/needs.ts'
import { OutageClock } from '../kit/outage-clock.ts'
import { hasPackages, moduleOf } from '../kit/packages.ts'
import { hasPostgres, type PostgresServer, startPostgres } from '../kit/servers/postgres.ts'
import { hasRedis, type RedisServer, startRedis } from '../kit/servers/redis.ts'
import { describeQueue } from './contract.ts'

/** The time limit of a call by the clock that is passed in, in milliseconds. */
const limitMs = 1000

const hostOf = (env: Readonly<Record<string, string>>, clock: Clock = new OutageClock()): Host =>
  ({ disk: nodeDisk(), env, openQueue: nodeQueues(clock) }) satisfies Partial<Host> as Partial<Host> as Host

describeWith(hasRedis, 'Redis')('Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())
  const address = (): string => `redis://127.0.0.1:${server.port}`

  describeQueue('a queue', () => ({
    open: (name, clock) => nodeQueues(clock)(moduleOf('bullmq'), resolveQueueTarget(address(), server.env), name, limitMs),
    restart: () => server.restart(),
    stop: () => server.stop(),
    start: () => server.start(),
  }))

  test('a wiped server has no jobs, and takes them again', async () => {
    const { orders, close } = await openQueues(hostOf(server.env), address(), process.cwd())
    await orders.add('a', {}, 1)
    await server.wipe()
    expect(await orders.read('a')).toBeUndefined()
    await orders.add('a', {}, 1)
    expect(await orders.read('a')).toMatchObject({ state: 'waiting' })
    await close()
  })

  test('a wrong password is SW_QUEUE, and neither password is in the error', async () => {
    const clock = new OutageClock()
    // A server that refuses the password gives no answer to any call.
    clock.begin()
    const { orders, close } = await openQueues(hostOf({ SPRITEWRIGHT_REDIS_PASSWORD: 'not-this-one' }, clock), address(), process.cwd())
    const read = () => orders.read('a').catch((thrown: unknown) => thrown)
    let error = await read()
    while (`${error}`.includes('silence')) error = await read()
    expect(error).toMatchObject({ code: 'SW_QUEUE', message: expect.stringContaining('WRONGPASS'), facts: { queue: address() } })
    expect(inspect(error, { depth: 9 })).not.toMatch(/not-this-one|of-the%test/)
    await close()
  })
})

describeWith(hasPostgres && hasPackages('bullmq'), 'PostgreSQL')('PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.close())
  const address = (): string => `postgres://127.0.0.1:${server.port}/postgres`

  describeQueue('a queue', () => ({
    open: (name, clock) => nodeQueues(clock)(moduleOf('bullmq'), resolveQueueTarget(address(), server.env, true), name, limitMs),
    restart: () => server.restart(),
    stop: () => server.stop(),
    start: () => server.start(),
  }))

  test('a server that was away at the first call is asked again, also for the lease', async () => {
    const clock = new OutageClock()
    const queue = nodeQueues(clock)(moduleOf('bullmq'), resolveQueueTarget(address(), server.env, true), 'away-at-first', limitMs)
    await server.stop()
    clock.begin()
    await expect(queue.read('a')).rejects.toThrow()
    await expect(queue.take('lease', {}, 60_000)).rejects.toThrow()
    await server.start()
    clock.end()
    await queue.add('a', {}, 1)
    expect(await queue.take('lease', {}, 60_000)).toBeDefined()
    await queue.close()
  })

  test('a client needs no right to make tables: it says that there are none, and uses them as soon as a worker has made them', async () => {
    const fresh = `postgres://127.0.0.1:${server.port}/fresh`
    const client = { PGUSER: 'client', PGPASSWORD: 'of-the-client' }
    await server.query("CREATE ROLE client LOGIN PASSWORD 'of-the-client'")
    await server.query('CREATE DATABASE fresh')
    const desk = await openQueues(hostOf(client), fresh, process.cwd())
    const clock = nodeClock()
    const job = { id: 'a', data: {}, priority: async () => 1 }
    const init = { clock, patienceMs: 3_600_000, afterwards: '', signal: new AbortController().signal }
    await expect(followJob(desk, desk.orders, job, init)).rejects.toMatchObject({
      code: 'SW_QUEUE',
      message: expect.stringContaining('no worker has ever been active'),
    })
    const worker = await openQueues(hostOf(server.env), fresh, process.cwd(), true)
    await worker.orders.read('a')
    await expect(desk.orders.read('a')).rejects.toMatchObject({ code: 'SW_QUEUE', message: expect.stringContaining('permission denied') })
    for (const rights of ['USAGE ON SCHEMA', 'SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA', 'USAGE ON ALL SEQUENCES IN SCHEMA'])
      await server.query(`GRANT ${rights} spritewright_queue TO client`, 'fresh')
    await desk.orders.add('a', { of: 'the desk' }, 1)
    expect(await worker.orders.read('a')).toMatchObject({ state: 'waiting', data: { of: 'the desk' } })
    await desk.close()
    await worker.close()
  })
})
