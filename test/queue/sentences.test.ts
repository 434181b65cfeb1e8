import { expect, test } from 'vitest'
import type { Host } from '../../src/host/host.ts'
import { type JobQueue, NoTables, type QueuedJob } from '../../src/host/net/job-queue.ts'
import { resolveQueueTarget } from '../../src/queue/address.ts'
import { followJob } from '../../src/queue/follow.ts'
import { openQueues, type Queues } from '../../src/queue/open.ts'
import { openRemoteClient } from '../../src/queue/remote-client.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

/** The message of what is thrown. */
async function words(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('Expected it to throw.')
}

test('the address of a queue is refused in words that say how it is written, and where trust and password come from', async () => {
  const redis = { SPRITEWRIGHT_REDIS_HOST: 'queue.example', SPRITEWRIGHT_REDIS_PASSWORD: 'p' }
  const refusals: [string, Host['env']][] = [
    ['http://queue.example', {}],
    ['redis://user:secret@queue.example', {}],
    ['rediss://queue.example', {}],
    ['redis://queue.example:7000', redis],
  ]
  expect(await Promise.all(refusals.map(([text, env]) => words(() => resolveQueueTarget(text, env))))).toMatchInlineSnapshot(`
    [
      "Expected the address of a queue as redis://host:port/number, rediss://host:port/number or postgres://host/database, found something else. Correct service.queue in the configuration; user and password of Redis come from SPRITEWRIGHT_REDIS_USER and SPRITEWRIGHT_REDIS_PASSWORD in the environment.",
      "Expected the address of a queue as redis://host:port/number, rediss://host:port/number or postgres://host/database, found a user name or a password in it. Correct service.queue in the configuration; user and password of Redis come from SPRITEWRIGHT_REDIS_USER and SPRITEWRIGHT_REDIS_PASSWORD in the environment.",
      "Expected the server of the queue to be one that the environment trusts. Found queue.example in a file of the project only. Nothing was sent there. If it is your server, set SPRITEWRIGHT_REDIS_HOST=queue.example beside the password.",
      "Expected an encrypted connection to queue.example, because SPRITEWRIGHT_REDIS_PASSWORD is set; found redis://, which would send the password in clear text. Nothing was sent. Write rediss:// in service.queue.",
    ]
  `)
})

test('a queue that cannot be opened names the packages and the command', async () => {
  const disk = new MemoryDisk()
  const open = (address: string) => words(() => openQueues({ disk, env: {} } as Partial<Host> as Host, address, '/game'))
  const without = [await open('redis://127.0.0.1'), await open('postgres://127.0.0.1/db')]
  disk.files.set('/game/node_modules/bullmq/package.json', Buffer.from('{}'))
  expect([...without, await open('redis://127.0.0.1'), await open('postgres://127.0.0.1/db')]).toMatchInlineSnapshot(`
    [
      "A queue at redis:// needs the packages bullmq and ioredis, found no bullmq. Install them: npm install --save-dev bullmq@^6.7.0 ioredis",
      "A queue at postgres:// needs the packages bullmq and pg, found no bullmq. Install them: npm install --save-dev bullmq@^6.7.0 pg",
      "A queue at redis:// needs the packages bullmq and ioredis, found no ioredis. Install them: npm install --save-dev bullmq@^6.7.0 ioredis",
      "A queue at postgres:// needs the packages bullmq and pg, found no pg. Install them: npm install --save-dev bullmq@^6.7.0 pg",
    ]
  `)
})

/** Queues of a server that answers each read so. */
async function queuesOf(read: (name: string, reads: number) => Partial<QueuedJob> | undefined): Promise<Queues> {
  const disk = new MemoryDisk()
  for (const name of ['bullmq', 'pg']) disk.files.set(`/game/node_modules/${name}/package.json`, Buffer.from('{}'))
  let reads = 0
  const openQueue = (_entry: string, _target: unknown, name: string) =>
    ({ add: async () => {}, remove: async () => {}, read: async () => read(name, reads++) }) as Partial<JobQueue> as JobQueue
  return openQueues({ disk, env: {}, openQueue } as Partial<Host> as Host, 'postgres://127.0.0.1/db', '/game')
}

test('a queue that does not serve says what is lost and what to do', async () => {
  const follow = async (read: Parameters<typeof queuesOf>[0]): Promise<string> => {
    const queues = await queuesOf(read)
    const job = { id: 'a', data: {}, priority: async () => 1 }
    const init = { clock: leapingClock(), patienceMs: 90_000, afterwards: 'The order stays there.', signal: new AbortController().signal }
    return words(() => followJob(queues, queues.orders, job, init))
  }
  const failing = (error: Error) => (): never => {
    throw error
  }
  const idle = (): Partial<QueuedJob> => ({ state: 'waiting', data: 'the same' })
  expect([await follow(failing(new NoTables())), await follow(failing(new Error('NOAUTH\n'))), await follow(idle)]).toMatchInlineSnapshot(`
    [
      "Expected the tables of the queue postgres://127.0.0.1/db, found none: no worker has ever been active there. Nothing was sent. Start the worker once on the machine that has the API key: npx spritewright worker",
      "Expected the queue postgres://127.0.0.1/db to answer, found: NOAUTH . Nothing is lost. Check the network, the address and the password in the environment, then run again.",
      "Expected a worker at the queue postgres://127.0.0.1/db, found no sign of one for 90 seconds. The order stays there. Start the worker on the machine that has the API key: npx spritewright worker",
    ]
  `)
})

test('a worker that is slow is told of once, and an answer in another form is one of another version', async () => {
  const told: string[] = []
  const queues = await queuesOf((_name, reads) => ({ state: reads < 40 ? 'waiting' : 'done', result: { host: 7 }, data: reads }))
  const wait = { onWait: (sentence: string) => told.push(sentence) }
  const host = { clock: leapingClock(), random: countingRandom() }
  expect([await words(() => openRemoteClient(host, queues, undefined, wait)), ...told]).toMatchInlineSnapshot(`
    [
      "Expected an answer about capabilities from the worker at postgres://127.0.0.1/db, found something else. Use the same version of spritewright on both sides.",
      "Waiting for the worker at postgres://127.0.0.1/db to answer. If none runs, start it on the machine that has the API key: npx spritewright worker",
    ]
  `)
})
