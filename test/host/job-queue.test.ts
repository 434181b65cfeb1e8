import { beforeEach, expect, test } from 'vitest'
import type { Bullmq } from '../../src/host/net/bullmq.ts'
import { NoTables, nodeQueues, PutBack, type QueueTarget } from '../../src/host/net/job-queue.ts'
import { ManualClock } from '../kit/manual-clock.ts'

type Job = Record<string, unknown>

/** The server behind the package: all that it was asked, in order, and what it answers. */
let asked: unknown[]
let answers: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>
/** What the package tells, by connection and event. */
let listeners: Map<string, (told: unknown) => void>
let process: ((job: Job, token?: string) => Promise<unknown>) | null

async function call(name: string, ...args: readonly unknown[]): Promise<unknown> {
  asked.push([name, ...args])
  return answers[name]?.(...args)
}

class Connection {
  readonly #kind: string
  constructor(kind: string, ...made: readonly unknown[]) {
    this.#kind = kind
    asked.push([`new ${kind}`, ...made])
  }
  on(event: string, then: (told: unknown) => void): void {
    listeners.set(`${this.#kind} ${event}`, then)
  }
  waitUntilReady = () => call(`${this.#kind} ready`)
}

class Queue extends Connection {
  constructor(name: string, options: object, backend: unknown) {
    super('queue', name, options, backend)
  }
  getBackend = () => ({ close: (force: boolean) => call('close queue', force) })
  add = (...args: unknown[]) => call('add', ...args)
  getJob = (...args: unknown[]) => call('getJob', ...args)
  getJobState = (...args: unknown[]) => call('getJobState', ...args)
  getJobs = (...args: unknown[]) => call('getJobs', ...args)
  remove = (...args: unknown[]) => call('remove', ...args)
}

class Worker extends Connection {
  constructor(name: string, handle: typeof process, options: object, backend: unknown) {
    super('worker', name, options, backend)
    process = handle
  }
  startStalledCheckTimer = () => call('startStalledCheckTimer')
  getNextJob = (_token: string, options: object) => call('getNextJob', options)
  pause = () => call('pause')
  close = (force: boolean) => call('close worker', force)
}

class WaitingError extends Error {}
class DelayedError extends Error {}

const entry = 'data:text/javascript,export default {}#job-queue'
const redis: QueueTarget = { kind: 'redis', host: 'q.example', port: 6380, database: 3, isEncrypted: false }
const connection = { host: 'q.example', port: 6380, db: 3, maxRetriesPerRequest: null }
const kept = { removeOnComplete: { age: 3600, count: 1000 }, removeOnFail: { age: 86_400, count: 1000 } }

let clock: ManualClock
beforeEach(async () => {
  const { default: bullmq } = (await import(/* @vite-ignore */ entry)) as { default: object }
  Object.assign(bullmq, { Queue, Worker, WaitingError, DelayedError, createPostgresBackend: 'postgres' } satisfies Record<
    keyof Bullmq,
    unknown
  >)
  asked = []
  answers = {}
  listeners = new Map()
  process = null
  clock = new ManualClock()
})

const open = (target: QueueTarget = redis) => nodeQueues(clock)(entry, target, 'orders', 5000)

/** A job of the package whose calls are noted. */
function jobOf(more: Job = {}): Job {
  const names = ['updateProgress', 'updateData', 'changePriority', 'extendLock', 'moveToWait', 'moveToDelayed']
  return {
    id: '7',
    data: { a: 1 },
    ...Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => call(name, ...args)])),
    ...more,
  }
}

test.each<[QueueTarget, object, unknown]>([
  [redis, connection, undefined],
  [
    { ...redis, user: 'ann', password: 'secret', isEncrypted: true },
    { ...connection, username: 'ann', password: 'secret', tls: {} },
    undefined,
  ],
  ...(['off', 'checked', 'unchecked'] as const).map((tls): [QueueTarget, object, unknown] => {
    const who = { host: 'db.example', port: 5433, database: 'game', user: 'ann', password: 'secret' }
    const ssl = tls === 'off' ? false : { rejectUnauthorized: tls === 'checked' }
    const options = { ...who, ssl, max: 3, schema: 'spritewright_queue', migrate: tls === 'off' }
    return [{ kind: 'postgres', ...who, tls, makesTables: tls === 'off' }, options, 'postgres']
  }),
])('a queue of %o is opened once, with the first call, and asked for each job in order', async (target, options, backend) => {
  answers = { getJobState: () => 'active', getJob: (id) => (id === 'none' ? undefined : { data: 1, timestamp: 2, processedOn: 3 }) }
  const queue = open(target)
  expect(asked).toEqual([])
  await queue.add('7', { a: 1 }, 4)
  expect(await queue.read('7')).toStrictEqual({
    id: '',
    data: 1,
    state: 'active',
    progress: undefined,
    result: undefined,
    failure: '',
    at: 3,
  })
  expect(await queue.read('none')).toBeUndefined()
  await queue.remove('7')
  await queue.close()
  await queue.close()
  const ready = ['queue ready']
  expect(asked).toEqual([
    ['new queue', 'orders', { connection: options, defaultJobOptions: kept }, backend],
    ...[ready, ['add', 'job', { a: 1 }, { jobId: '7', priority: 4 }]],
    ...[ready, ['getJobState', '7'], ['getJob', '7']],
    ...[ready, ['getJobState', 'none'], ['getJob', 'none']],
    ...[ready, ['remove', '7'], ['close queue', true]],
  ])
})

const full = { id: '7', data: 1, progress: 2, returnvalue: 3, failedReason: 'no', timestamp: 10, processedOn: 20 }

test.each([
  ['active', ['active'], 'active', 20, 30],
  ['waiting', ['waiting', 'prioritized', 'delayed'], 'prioritized', 10, 30],
  ['done', ['completed'], 'completed', 10, 30],
  ['failed', ['failed'], 'failed', 10, 30],
] as const)('jobs that are %s are listed and read, each with its time', async (state, states, found, at, finishedOn) => {
  const jobs = [full, undefined, null, { ...full, finishedOn }, full, full]
  answers = { getJobs: () => jobs, getJobState: () => found, getJob: () => ({ ...full, finishedOn }) }
  const queue = open()
  const told = { id: '7', data: 1, state, progress: 2, result: 3, failure: 'no', at }
  expect(await queue.list(state, 5)).toEqual([told, { ...told, at: finishedOn }, told])
  expect(asked.at(-1)).toEqual(['getJobs', states, 0, 4])
  expect(await queue.read('7')).toEqual({ ...told, at: finishedOn })
})

test('a call without an answer ends with the reason that the server gave last, and leaves no time limit behind', async () => {
  const never = () => new Promise(() => {})
  answers = { getJobState: never }
  const failures = async (target: QueueTarget): Promise<readonly string[]> => {
    const queue = open(target)
    const said: string[] = []
    for (const reason of [undefined, 'refused', 'reset']) {
      if (reason !== undefined) listeners.get('queue error')?.(new Error(reason))
      const late = queue.read('7').catch((error: Error) => said.push(error.message))
      await clock.advance(4999)
      expect(clock.sleepers).toBe(1)
      await clock.advance(1)
      await late
    }
    return said.map((words) => words.replace('no answer within 5 seconds: ', ''))
  }
  expect(await failures(redis)).toEqual(['silence', 'refused', 'reset'])
  const postgres: QueueTarget = { kind: 'postgres', host: 'h', port: 1, database: 'd', tls: 'off', makesTables: true }
  expect((await failures(postgres))[0]).toContain('tables')
  expect((await failures({ ...postgres, makesTables: false }))[0]).toBe('silence')
  await open().add('7', {}, 1)
  expect(clock.sleepers).toBe(0)
})

test('after a first contact that failed the next call makes another one; missing tables are told as such', async () => {
  const failures = [new Error('away'), Object.assign(new Error('old'), { name: 'SchemaMigrationRequiredError' })]
  answers = {
    'queue ready': () => {
      const failure = failures.shift()
      if (failure) throw failure
    },
    'close queue': () => Promise.reject(new Error('gone')),
  }
  const queue = open()
  await expect(queue.remove('7')).rejects.toThrow('away')
  await expect(queue.remove('7')).rejects.toBeInstanceOf(NoTables)
  await queue.remove('7')
  const names = asked.map((one) => (one as [string])[0])
  const failed = ['new queue', 'queue ready', 'close queue']
  expect(names).toEqual([...failed, ...failed, 'new queue', 'queue ready', 'remove'])
  await queue.close()
})

test('a job is handled with its data and its reports, and put back for now or for later; other failures stay', async () => {
  const handled: unknown[] = []
  let outcome: () => unknown = () => 'result'
  const served = open().serve(2, 9000, async (job, report) => {
    handled.push(job)
    await report({ share: 1 })
    return outcome()
  })
  answers = { updateProgress: () => Promise.reject(new Error('away')), getJob: () => jobOf() }
  await clock.advance(0)
  expect(asked.splice(0)).toEqual([
    ['new queue', 'orders', { connection, defaultJobOptions: kept }, undefined],
    [
      'new worker',
      'orders',
      { connection, maxStalledCount: 1_000_000, runRetryDelay: 1000, concurrency: 2, lockDuration: 9000, stalledInterval: 9000 },
      undefined,
    ],
  ])
  expect(await process?.(jobOf(), 'token')).toBe('result')
  outcome = () => Promise.reject(new PutBack())
  await expect(process?.(jobOf(), 'token')).rejects.toBeInstanceOf(WaitingError)
  outcome = () => Promise.reject(new PutBack('later', 250))
  await expect(process?.(jobOf({ id: undefined }), 'token')).rejects.toBeInstanceOf(DelayedError)
  outcome = () => Promise.reject(new Error('failed'))
  await expect(process?.(jobOf(), 'token')).rejects.toThrow('failed')
  const told = ['updateProgress', { share: 1 }]
  expect(asked.splice(0)).toEqual([
    ...[told, told, ['moveToWait', 'token']],
    ...[told, ['moveToDelayed', clock.wall() + 250, 'token'], told],
  ])
  expect(handled).toEqual(['7', '7', '', '7'].map((id) => ({ id, data: { a: 1 } })))
  listeners.get('worker stalled')?.('9')
  await clock.advance(0)
  expect(asked.splice(0)).toEqual([
    ['getJob', '9'],
    ['changePriority', { priority: 0 }],
  ])
  await served.stop()
  expect(asked).toEqual([['pause'], ['close worker', true]])
})

test('the end of serving takes no further job, waits for those at work, and then for the server no longer than for an answer', async () => {
  let finish: (value: string) => void = () => {}
  const served = open().serve(1, 1, () => new Promise((resolve) => (finish = resolve)))
  await clock.advance(0)
  const work = process?.(jobOf(), 'token')
  answers = { pause: () => new Promise(() => {}) }
  let isOver = false
  const stopping = served.stop().then(() => (isOver = true))
  await clock.advance(0)
  await expect(process?.(jobOf({ id: '8' }), 'other')).rejects.toBeInstanceOf(WaitingError)
  await clock.advance(60_000)
  expect([isOver, asked.slice(2)]).toEqual([false, [['pause'], ['moveToWait', 'other']]])
  finish('done')
  expect(await work).toBe('done')
  await clock.advance(4999)
  expect(isOver).toBe(false)
  await clock.advance(1)
  await stopping
  expect(asked.at(-1)).toEqual(['close worker', true])
})

test('a lease is taken by one process, renewed for its time, changed and given back', async () => {
  const held = [jobOf({ data: 'lease' }), undefined]
  answers = { getNextJob: () => held.shift(), extendLock: (_token, ms) => (ms === 700 ? 1 : 0) }
  const queue = open()
  const lease = await queue.take('buyer', { who: 'a' }, 700)
  expect(await queue.take('buyer', { who: 'b' }, 700)).toBeUndefined()
  expect([lease?.data, await lease?.renew()]).toEqual(['lease', true])
  answers = { extendLock: () => 0 }
  expect(await lease?.renew()).toBe(false)
  await lease?.note({ who: 'c' })
  await lease?.putBack()
  await queue.close()
  const token = expect.stringMatching(/^\d+-0\.\d+$/)
  expect(asked).toEqual([
    ['new queue', 'orders', { connection, defaultJobOptions: kept }, undefined],
    ['queue ready'],
    [
      'new worker',
      'orders',
      { connection, maxStalledCount: 1_000_000, runRetryDelay: 1000, lockDuration: 700, stalledInterval: 700, autorun: false },
      undefined,
    ],
    ...[['worker ready'], ['startStalledCheckTimer'], ['add', 'lease', { who: 'a' }, { jobId: 'buyer' }], ['getNextJob', { block: false }]],
    ...[['queue ready'], ['add', 'lease', { who: 'b' }, { jobId: 'buyer' }], ['getNextJob', { block: false }]],
    ...[
      ['extendLock', token, 700],
      ['extendLock', token, 700],
      ['updateData', { who: 'c' }],
      ['moveToWait', token],
    ],
    ...[
      ['close queue', true],
      ['close worker', true],
    ],
  ])
})

test('a lease whose first contact fails is taken by the next call, over another connection', async () => {
  const failures = [new Error('away')]
  answers = {
    'worker ready': () => {
      const failure = failures.shift()
      if (failure) throw failure
    },
  }
  const queue = open()
  await expect(queue.take('buyer', {}, 700)).rejects.toThrow('away')
  expect(await queue.take('buyer', {}, 700)).toBeUndefined()
  const names = asked.map((one) => (one as [string])[0])
  expect(names).toEqual([
    ...['new queue', 'queue ready', 'new worker', 'worker ready', 'close worker'],
    ...['queue ready', 'new worker', 'worker ready', 'startStalledCheckTimer', 'add', 'getNextJob'],
  ])
})
