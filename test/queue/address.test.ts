import { describe, expect, test } from 'vitest'
import type { Host } from '../../src/host/host.ts'
import { type HeldJob, type JobQueue, NoTables, type QueuedJob } from '../../src/host/net/job-queue.ts'
import { resolveQueueTarget } from '../../src/queue/address.ts'
import { openQueues } from '../../src/queue/open.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

describe('the address of a queue', () => {
  test.each(['redis://user:secret@host/0', 'redis://host:1/x', 'http://host', 'redis:', 'postgres://u:secret@host/db', ''])(
    '%s is refused, and not repeated',
    (text) => {
      const error = (() => {
        try {
          return resolveQueueTarget(text, {})
        } catch (thrown) {
          return thrown
        }
      })()
      expect(error).toMatchObject({
        code: 'SW_CONFIG',
        facts: { expected: expect.stringContaining(text.startsWith('p') ? 'postgres://' : 'rediss://') },
      })
      const { message } = error as Error
      expect([message.includes('secret'), message.includes('found a user name or a password')]).toEqual([false, text.includes('@')])
    },
  )

  test('a host that only the configuration names is not asked, unless it is this machine', () => {
    const untrusted = expect.objectContaining({ code: 'SW_UNTRUSTED_HOST', facts: { host: 'queue.example', port: 6379 } })
    expect(() => resolveQueueTarget('rediss://queue.example', {})).toThrow(untrusted)
    // A host that may get the API key gets no password of Redis, and the other way round.
    expect(() => resolveQueueTarget('rediss://queue.example', { SPRITEWRIGHT_TRUSTED_HOSTS: 'queue.example' })).toThrow(untrusted)
    const env = { SPRITEWRIGHT_REDIS_HOST: 'queue.example', SPRITEWRIGHT_REDIS_PASSWORD: 'p', SPRITEWRIGHT_REDIS_USER: 'u' }
    expect(resolveQueueTarget('rediss://Queue.example:7000/3', env)).toEqual({
      ...{ kind: 'redis', host: 'Queue.example', port: 7000, database: 3, user: 'u', password: 'p', isEncrypted: true },
    })
    const plain = { kind: 'redis', port: 6379, database: 0, user: undefined, password: undefined, isEncrypted: false }
    expect(resolveQueueTarget('redis://127.0.0.1', {})).toEqual({ ...plain, host: '127.0.0.1' })
    expect(resolveQueueTarget('REDISS://[::1]', {})).toEqual({ ...plain, host: '::1', isEncrypted: true })
  })

  test('of PostgreSQL has what its server needs, and makes tables only if it is told to', () => {
    const env = { PGUSER: 'u', PGPASSWORD: 'p' }
    const target = {
      ...{ kind: 'postgres', host: '127.0.0.1', port: 5432, database: 'db', user: 'u', password: 'p', tls: 'off' },
      makesTables: false,
    }
    for (const scheme of ['postgres', 'postgresql']) expect(resolveQueueTarget(`${scheme}://127.0.0.1/db`, env)).toEqual(target)
    expect(resolveQueueTarget('postgres://127.0.0.1/db', env, true)).toEqual({ ...target, makesTables: true })
  })

  test('a password never travels in clear text', () => {
    const env = { SPRITEWRIGHT_REDIS_HOST: 'queue.example', SPRITEWRIGHT_REDIS_PASSWORD: 'p' }
    expect(() => resolveQueueTarget('redis://Queue.example', env)).toThrow(
      expect.objectContaining({
        ...{ code: 'SW_UNTRUSTED_HOST', facts: { host: 'queue.example', port: 6379 } },
        message: expect.stringContaining('queue.example'),
      }),
    )
    expect(resolveQueueTarget('redis://queue.example', { SPRITEWRIGHT_REDIS_HOST: 'queue.example' })).toMatchObject({
      isEncrypted: false,
    })
  })

  test.each([
    ['bullmq', 'redis://127.0.0.1', 'npm install --save-dev bullmq@^6.7.0 ioredis'],
    ['bullmq', 'postgres://127.0.0.1/db', 'npm install --save-dev bullmq@^6.7.0 pg'],
  ])('without the package %s, the error for %s has the command that installs it', async (name, address, command) => {
    const host = { disk: new MemoryDisk(), env: {} } satisfies Partial<Host> as Partial<Host> as Host
    await expect(openQueues(host, address, '/nowhere')).rejects.toMatchObject({
      code: 'SW_CONFIG',
      message: expect.stringContaining(command),
      facts: { package: name, root: '/nowhere' },
    })
  })

  test.each([
    ['bullmq', 'ioredis'],
    ['ioredis', 'bullmq'],
  ])('with the package %s alone, the error names %s', async (installed, missing) => {
    const disk = new MemoryDisk()
    disk.files.set(`/game/node_modules/${installed}/package.json`, Buffer.from('{}'))
    await expect(openQueues({ disk, env: {} } as Partial<Host> as Host, 'redis://127.0.0.1', '/game')).rejects.toMatchObject({
      code: 'SW_CONFIG',
      message: expect.stringContaining(`found no ${missing}.`),
      facts: { package: missing, root: '/game' },
    })
  })
})

test('an empty password or user is none, and asks for no encryption', () => {
  const env = { SPRITEWRIGHT_REDIS_HOST: 'queue.example.com', SPRITEWRIGHT_REDIS_PASSWORD: '', SPRITEWRIGHT_REDIS_USER: '' }
  expect(resolveQueueTarget('redis://Queue.example.com', env)).toMatchObject({ password: undefined, user: undefined, isEncrypted: false })
})

describe('queues', () => {
  type Opened = readonly [entry: string, target: unknown, name: string, timeoutMs: number]
  const address = 'postgres://127.0.0.1/db'

  /** Queues of a server of which each call has an outcome. */
  async function open(call: (...named: readonly unknown[]) => unknown, makesTables?: boolean) {
    const disk = new MemoryDisk()
    for (const name of ['bullmq', 'pg']) disk.files.set(`/game/node_modules/${name}/package.json`, Buffer.from('{}'))
    const opened: Opened[] = []
    const openQueue = (...how: Opened): JobQueue => {
      opened.push(how)
      const calls = (of: string, ...names: readonly string[]): object =>
        Object.fromEntries(names.map((name) => [name, async (...args: readonly unknown[]) => call(`${of}${name}`, ...args)]))
      const held = (data: unknown): HeldJob => ({ data, ...calls('held ', 'renew', 'note', 'putBack') }) as HeldJob
      const take: JobQueue['take'] = async (id, data, leaseMs) => {
        await call('take', id, data, leaseMs)
        return id === 'lost' ? undefined : held(data)
      }
      return {
        ...calls('', 'add', 'read', 'remove', 'list'),
        ...calls(`${how[2]} `, 'close'),
        take,
        serve: () => ({ stop: async () => {} }),
      } as Partial<JobQueue> as JobQueue
    }
    const host = { disk, env: {}, openQueue } satisfies Partial<Host> as Partial<Host> as Host
    return { opened, queues: await openQueues(host, address, '/game', makesTables) }
  }

  test('are three, of one server, and each waits ten seconds for an answer', async () => {
    const { opened, queues } = await open(() => undefined)
    const target = { kind: 'postgres', host: '127.0.0.1', port: 5432, database: 'db', user: undefined, password: undefined, tls: 'off' }
    expect(opened).toEqual(
      ['orders', 'inquiries', 'lease'].map((name) => [
        ...['file:///game/node_modules/bullmq/dist/cjs/index.js', { ...target, makesTables: false }, `spritewright-${name}`, 10_000],
      ]),
    )
    expect(queues.address).toBe(address)
    expect((await open(() => undefined, true)).opened[2]?.[1]).toEqual({ ...target, makesTables: true })
  })

  test('give each call on with all its arguments and its answer, and close all three', async () => {
    const calls: unknown[] = []
    const job: QueuedJob = { id: 'a', data: 1, state: 'done', progress: 0, result: {}, failure: '', at: 0 }
    const answers: Readonly<Record<string, unknown>> = { read: job, list: [job], 'held renew': false }
    const { queues } = await open((...named) => {
      calls.push(named)
      return answers[String(named[0])]
    })
    const { orders, lease } = queues
    await orders.add('a', { n: 1 }, 3)
    expect([await orders.read('a'), await orders.list('waiting', 7)]).toEqual([job, [job]])
    await orders.remove('a')
    expect(await lease.take('lost', {}, 5)).toBeUndefined()
    const held = await lease.take('lease', { state: 'free' }, 30_000)
    expect([held?.data, await held?.renew()]).toEqual([{ state: 'free' }, false])
    await held?.note({ state: 'held' })
    await held?.putBack()
    await queues.close()
    expect(calls).toEqual([
      ...[
        ['add', 'a', { n: 1 }, 3],
        ['read', 'a'],
        ['list', 'waiting', 7],
        ['remove', 'a'],
        ['take', 'lost', {}, 5],
      ],
      ...[['take', 'lease', { state: 'free' }, 30_000], ['held renew'], ['held note', { state: 'held' }], ['held putBack']],
      ...[['spritewright-orders close'], ['spritewright-inquiries close'], ['spritewright-lease close']],
    ])
  })

  test('tell of every call that fails, with the server, what it said in printable words, and whether to try again', async () => {
    const failWith = async (error: Error) => {
      let isAway = false
      const { queues } = await open(() => {
        if (isAway) throw error
      })
      const { orders, lease } = queues
      const held = await lease.take('lease', {}, 1)
      isAway = true
      const calls = [orders.add('a', {}, 1), orders.read('a'), orders.remove('a'), orders.list('done', 1), lease.take('lease', {}, 1)]
      const failed = [...calls, held?.renew(), held?.note({}), held?.putBack()].map((call) => call?.catch((thrown: unknown) => thrown))
      return Promise.all(failed)
    }
    const [facts, cause] = [{ queue: address, mayPass: true }, new Error('away\u001b[2J')]
    const away = expect.objectContaining({ code: 'SW_QUEUE', message: expect.stringContaining('found: away [2J.'), facts, cause })
    expect(await failWith(cause)).toEqual(Array.from({ length: 8 }, () => away))
    const refused = expect.objectContaining({ code: 'SW_QUEUE', facts: { queue: address, mayPass: false } })
    expect(await failWith(new Error('NOAUTH'))).toEqual(Array.from({ length: 8 }, () => refused))
    const unused = expect.objectContaining({ code: 'SW_QUEUE', facts: { queue: address, hasTables: false } })
    expect(await failWith(new NoTables())).toEqual(Array.from({ length: 8 }, () => unused))
    const [silent] = await failWith(new Error(''))
    expect((silent as Error).message).toContain('no answer')
    const [long] = await failWith(new Error('x'.repeat(300)))
    expect(/x{2,}/.exec((long as Error).message)?.[0]).toHaveLength(200)
  })
})
