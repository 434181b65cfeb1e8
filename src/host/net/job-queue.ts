import { type Clock, nodeClock } from '../clock.ts'
import type { Bullmq, Job, Queue, Worker } from './bullmq.ts'
import type { DatabaseTarget } from './database.ts'

/** A server that keeps queues, and who asks. */
export type QueueTarget =
  | (DatabaseTarget & {
      readonly kind: 'postgres'
      /** Whether missing tables are made. Who makes them owns them. */
      readonly makesTables: boolean
    })
  | {
      readonly kind: 'redis'
      readonly host: string
      readonly port: number
      /** Number of the database, from 0. */
      readonly database: number
      readonly user?: string | undefined
      readonly password?: string | undefined
      readonly isEncrypted: boolean
    }

/** A job, as the server has it now. Its data, progress and result are JSON that anybody may have written. */
export interface QueuedJob {
  readonly id: string
  readonly data: unknown
  readonly state: 'waiting' | 'active' | 'done' | 'failed'
  /** The last report of its handler. */
  readonly progress: unknown
  readonly result: unknown
  /** Message of the error with which its handler failed; empty if it has not failed. */
  readonly failure: string
  /** When it reached its state, as far as the server says; milliseconds since the Unix epoch. */
  readonly at: number
}

/** Works on a job to its end. Its result is JSON. If it throws {@link PutBack}, the job waits again. */
export type JobHandler = (
  job: { readonly id: string; readonly data: unknown },
  report: (progress: object) => Promise<void>,
) => Promise<unknown>

/** Thrown by a handler that has stopped before the end of its job. */
export class PutBack extends Error {
  /** How long the job waits before it may be taken again, in milliseconds. */
  readonly afterMs: number

  constructor(message = '', afterMs = 0) {
    super(message)
    this.afterMs = afterMs
  }
}

/** Thrown if PostgreSQL has no tables for queues: nobody who makes them has used the database. */
export class NoTables extends Error {}

/** A job that this process holds until it renews it no more. */
export interface HeldJob {
  readonly data: unknown
  /** Holds it for another lease. False if it is lost. */
  renew(): Promise<boolean>
  /** Replaces its data. */
  note(data: object): Promise<void>
  /** Gives it back, for anybody to take. */
  putBack(): Promise<void>
}

/** One queue. Every call rejects if the server does not answer in time. */
export interface JobQueue {
  /**
   * Adds a job. Does nothing if the queue has one of this id.
   *
   * @param priority 1 is the most urgent number. A job with 0 comes before all that have one.
   */
  add(id: string, data: object, priority: number): Promise<void>
  read(id: string): Promise<QueuedJob | undefined>
  /** Removes a job that nobody works on. */
  remove(id: string): Promise<void>
  /** Jobs of a state, at most so many. */
  list(state: QueuedJob['state'], most: number): Promise<readonly QueuedJob[]>
  /**
   * Works on jobs until `stop`, which waits for the handlers, also while the server is away. A job whose process
   * dies is worked on again, and then comes first.
   *
   * @param leaseMs How long a job stays with a process that gives no sign.
   */
  serve(atOnce: number, leaseMs: number, handle: JobHandler): { stop(): Promise<void> }
  /**
   * Takes the only job of a queue that is a lease, and adds it if the queue has none. Returns `undefined` if
   * another process holds it.
   */
  take(id: string, data: object, leaseMs: number): Promise<HeldJob | undefined>
  close(): Promise<void>
}

/**
 * Opens a queue, passed in. Nothing is sent before the first call.
 *
 * @param entry URL of the module of `bullmq`.
 * @param timeoutMs Longest wait for an answer.
 */
export type OpenQueue = (entry: string, target: QueueTarget, name: string, timeoutMs: number) => JobQueue

/** How long the server keeps settled jobs, so that clients and `worker status` can read them. */
const kept = { removeOnComplete: { age: 3600, count: 1000 }, removeOnFail: { age: 24 * 3600, count: 1000 } }
/** A job may lose its process any number of times: what it does is safe to repeat. */
const maxStalledCount = 1_000_000
/** Created once: an abort without a reason creates an error with a stack trace each time. */
const ended = new Error('The call has ended.')
/** How long a worker waits after a failure of the server, in milliseconds. */
const runRetryDelay = 1000

/**
 * Opens queues by the package `bullmq`, which a project installs if it needs it. It is loaded with the first call.
 *
 * @param clock Measures how long an answer takes.
 */
export function nodeQueues(clock: Clock = nodeClock()): OpenQueue {
  return (entry, target, name, timeoutMs) => {
    /** Ends each connection. */
    const closers = new Map<unknown, () => Promise<unknown>>()
    let loaded: Promise<{ readonly bullmq: Bullmq; readonly backend: unknown; readonly queue: Queue }> | undefined
    const connection = toConnection(target)
    const message = target.kind === 'postgres' && target.makesTables ? 'it may still make its tables, which it does once' : 'silence'
    const trouble: Trouble = { clock, timeoutMs, last: { message } }
    /** A connection that breaks is made again by the package. The next call that gets no answer says why. */
    const watch = (one: Queue | Worker, close: () => Promise<unknown>): void => {
      one.on('error', (error: Error) => {
        trouble.last = error
      })
      closers.set(one, close)
    }
    const end = async (one: unknown): Promise<void> => {
      const close = closers.get(one)
      closers.delete(one)
      if (close) await inTime(trouble, close).catch(() => {})
    }
    const load = async (): Promise<Awaited<NonNullable<typeof loaded>>> => {
      const { default: bullmq } = (await import(/* @vite-ignore */ entry)) as { default: Bullmq }
      const backend = target.kind === 'postgres' ? bullmq.createPostgresBackend : undefined
      const queue = new bullmq.Queue(name, { connection, defaultJobOptions: kept }, backend)
      watch(queue, () => queue.getBackend().close(true))
      return { bullmq, backend, queue }
    }
    const open = (): NonNullable<typeof loaded> => {
      loaded ??= load()
      return loaded
    }
    /** If the first contact fails, the next call makes another one. */
    const ready = async <T extends Queue | Worker>(one: T, forget: () => void): Promise<T> => {
      try {
        await one.waitUntilReady()
        return one
      } catch (error) {
        forget()
        await end(one)
        throw (error as Error).name === 'SchemaMigrationRequiredError' ? new NoTables() : error
      }
    }
    const openQueue = async (): Promise<Queue> => {
      const current = open()
      return ready((await current).queue, () => {
        if (loaded === current) loaded = undefined
      })
    }
    const ask = <T>(work: (queue: Queue) => Promise<T>): Promise<T> => inTime(trouble, async () => work(await openQueue()))
    const newWorker = async (handle: unknown, options: object): Promise<Worker> => {
      const { bullmq, backend } = await open()
      const worker = new bullmq.Worker(name, handle, { connection, maxStalledCount, runRetryDelay, ...options }, backend)
      watch(worker, () => worker.close(true))
      return worker
    }
    let taker: Promise<Worker> | undefined
    return {
      add: (id, data, priority) => ask(async (queue) => void (await queue.add('job', data, { jobId: id, priority }))),
      read: (id) =>
        ask(async (queue) => {
          // The state is read first: a job that settles between the two reads is then read with its outcome.
          const state = await queue.getJobState(id)
          const job: Job | undefined = await queue.getJob(id)
          return job && toQueued(job, state)
        }),
      remove: (id) => ask(async (queue) => void (await queue.remove(id))),
      list: (state, most) =>
        ask(async (queue) => {
          // It reads so many of each state of its own.
          const jobs = (await queue.getJobs(statesOf[state], 0, most - 1)).slice(0, most)
          // A job may vanish between the two reads of the server.
          return jobs.filter((job) => job !== undefined && job !== null).map((job) => toQueued(job, statesOf[state][0]))
        }),
      serve: (atOnce, leaseMs, handle) => {
        const working = new Set<Promise<unknown>>()
        let isOver = false
        const tracked: JobHandler = async (...job) => {
          if (isOver) throw new PutBack()
          const work = handle(...job)
          working.add(work)
          return work.finally(() => working.delete(work))
        }
        const worker = open().then(({ bullmq, queue }) =>
          newWorker(toProcessor(bullmq, clock, tracked), { concurrency: atOnce, lockDuration: leaseMs, stalledInterval: leaseMs }).then(
            (made) => {
              made.on(
                'stalled',
                (id: string) =>
                  void queue
                    .getJob(id)
                    .then((job) => job?.changePriority({ priority: 0 }))
                    .catch(() => {}),
              )
              return made
            },
          ),
        )
        worker.catch(() => {})
        return {
          stop: async () => {
            isOver = true
            const made = await worker.catch(() => undefined)
            const idle = made?.pause()
            idle?.catch(() => {})
            await Promise.allSettled(working)
            // What their jobs have become is told to the server, if it is there.
            await inTime(trouble, async () => idle).catch(() => {})
            await end(made)
          },
        }
      },
      take: (id, data, leaseMs) =>
        inTime(trouble, async () => {
          const queue = await openQueue()
          taker ??= newWorker(null, { lockDuration: leaseMs, stalledInterval: leaseMs, autorun: false }).then(async (made) => {
            await ready(made, () => {
              taker = undefined
            })
            await made.startStalledCheckTimer()
            return made
          })
          const worker = await taker
          await queue.add('lease', data, { jobId: id })
          const token = `${process.pid}-${Math.random()}`
          const job: Job | undefined = await worker.getNextJob(token, { block: false })
          return job && toHeld(job, token, leaseMs, trouble)
        }),
      close: async () => {
        await loaded?.catch(() => {})
        await Promise.all([...closers.keys()].map(end))
      },
    }
  }
}

/** The states of the server that count as one of ours. */
const statesOf = {
  active: ['active'],
  waiting: ['waiting', 'prioritized', 'delayed'],
  done: ['completed'],
  failed: ['failed'],
} as const

function toQueued(job: Job, found: string): QueuedJob {
  const state = found === 'active' ? 'active' : found === 'completed' ? 'done' : found === 'failed' ? 'failed' : 'waiting'
  const at = job.finishedOn ?? (state === 'active' ? job.processedOn : undefined) ?? job.timestamp
  return { id: job.id ?? '', data: job.data, state, progress: job.progress, result: job.returnvalue, failure: job.failedReason ?? '', at }
}

function toProcessor(bullmq: Bullmq, clock: Clock, handle: JobHandler) {
  return async (job: Job, token?: string): Promise<unknown> => {
    try {
      // Progress is for display: work goes on if the server does not take it.
      return await handle({ id: job.id ?? '', data: job.data }, (progress) => job.updateProgress(progress).catch(() => {}))
    } catch (error) {
      if (!(error instanceof PutBack)) throw error
      const isLater = error.afterMs > 0
      await (isLater ? job.moveToDelayed(clock.wall() + error.afterMs, token) : job.moveToWait(token))
      throw isLater ? new bullmq.DelayedError() : new bullmq.WaitingError()
    }
  }
}

function toHeld(job: Job, token: string, leaseMs: number, trouble: Trouble): HeldJob {
  return {
    data: job.data,
    renew: () => inTime(trouble, async () => (await job.extendLock(token, leaseMs)) === 1),
    note: (data) => inTime(trouble, () => job.updateData(data)),
    putBack: () => inTime(trouble, async () => void (await job.moveToWait(token))),
  }
}

function toConnection(target: QueueTarget): object {
  if (target.kind === 'postgres') {
    const { host, port, database, user, password, tls, makesTables } = target
    const ssl = tls === 'off' ? false : { rejectUnauthorized: tls === 'checked' }
    // Its own tables, beside those of the journal.
    return { host, port, database, user, password, ssl, max: 3, schema: 'spritewright_queue', migrate: makesTables }
  }
  const { host, port, database, user, password, isEncrypted } = target
  const who = { ...(user === undefined ? {} : { username: user }), ...(password === undefined ? {} : { password }) }
  return { host, port, db: database, ...who, ...(isEncrypted ? { tls: {} } : {}), maxRetriesPerRequest: null }
}

/** How long an answer may take, and why the server has given none. */
interface Trouble {
  readonly clock: Clock
  readonly timeoutMs: number
  last: { readonly message: string }
}

/** Rejects if the work takes longer. It may still take effect later. */
async function inTime<T>(trouble: Trouble, work: () => Promise<T>): Promise<T> {
  const isOver = new AbortController()
  const late = trouble.clock.sleep(trouble.timeoutMs, isOver.signal).then(() => {
    throw new Error(`no answer within ${trouble.timeoutMs / 1000} seconds: ${trouble.last.message}`)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    isOver.abort(ended)
  }
}
