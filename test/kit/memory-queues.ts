import type { Clock } from '../../src/host/clock.ts'
import { type JobHandler, type JobQueue, type OpenQueue, PutBack, type QueuedJob } from '../../src/host/net/job-queue.ts'

/** A job, and who holds it. */
interface KeptJob {
  now: QueuedJob
  readonly priority: number
  /** Number of the holder; 0 for nobody. */
  holder: number
  /** When a job that is a lease, or was put back, may be taken, by the clock. */
  until: number
}

/** A server of queues in memory. All machines of a test share it. */
export class MemoryQueues {
  /** Called before each call of a queue, with its name, e.g. `read orders`. May throw, as a server that is away. */
  before: (call: string) => void = () => {}
  /** Changes the data of each job that is added, as another version of a client would. */
  onAdd: (data: Readonly<Record<string, unknown>>) => object = (data) => data
  readonly #clock: Clock
  readonly #queues = new Map<string, Map<string, KeptJob>>()
  readonly #servers = new Map<string, Set<() => void>>()
  #holders = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Forgets all jobs. */
  wipe(): void {
    for (const jobs of this.#queues.values()) jobs.clear()
  }

  readonly open: OpenQueue = (_entry, _target, longName) => {
    const name = longName.replace('spritewright-', '')
    const jobs = this.#queues.get(name) ?? new Map<string, KeptJob>()
    this.#queues.set(name, jobs)
    const call = async <T>(what: string, work: () => T): Promise<T> => {
      this.before(`${what} ${name}`)
      return work()
    }
    const wake = (): void => {
      for (const serve of this.#servers.get(name) ?? []) serve()
    }
    const keep = (id: string, data: unknown, priority: number): KeptJob => {
      const now: QueuedJob = { id, data, state: 'waiting', progress: 0, result: undefined, failure: '', at: this.#clock.wall() }
      const job: KeptJob = jobs.get(id) ?? { now, priority, holder: 0, until: 0 }
      jobs.set(id, job)
      return job
    }
    const queue: JobQueue = {
      add: (id, data, priority) =>
        call('add', () => {
          keep(id, this.onAdd(data as Readonly<Record<string, unknown>>), priority)
          wake()
        }),
      read: (id) => call('read', () => jobs.get(id)?.now),
      remove: (id) => call('remove', () => void jobs.delete(id)),
      list: (state, most) => call('list', () => [...jobs.values()].flatMap(({ now }) => (now.state === state ? [now] : [])).slice(0, most)),
      serve: (atOnce, _leaseMs, handle) => this.#serve(name, jobs, atOnce, handle),
      take: (id, data, leaseMs) =>
        call('take', () => {
          const job = keep(id, data, 1)
          if (job.until > this.#clock.mono()) return undefined
          const holder = ++this.#holders
          Object.assign(job, { holder, until: this.#clock.mono() + leaseMs })
          const isHeld = (): boolean => jobs.get(id) === job && job.holder === holder && job.until > this.#clock.mono()
          return {
            data: job.now.data,
            renew: () =>
              call('renew', () => {
                if (isHeld()) job.until = this.#clock.mono() + leaseMs
                return isHeld()
              }),
            note: (noted) => call('note', () => void Object.assign(job, { now: { ...job.now, data: noted } })),
            putBack: () => call('putBack', () => void Object.assign(job, { until: 0 })),
          }
        }),
      close: async () => {},
    }
    return queue
  }

  #serve(name: string, jobs: Map<string, KeptJob>, atOnce: number, handle: JobHandler): { stop(): Promise<void> } {
    const running = new Set<Promise<void>>()
    let isStopped = false
    const set = (job: KeptJob, change: Partial<QueuedJob>): void => {
      job.now = { ...job.now, at: this.#clock.wall(), ...change }
    }
    const run = async (job: KeptJob): Promise<void> => {
      set(job, { state: 'active' })
      try {
        const result = await handle({ id: job.now.id, data: job.now.data }, async (progress) => set(job, { progress }))
        set(job, { state: 'done', result })
      } catch (error) {
        if (error instanceof PutBack && error.afterMs > 0) {
          job.until = this.#clock.mono() + error.afterMs
          void this.#clock.sleep(error.afterMs).then(begin)
        }
        set(job, error instanceof PutBack ? { state: 'waiting' } : { state: 'failed', failure: (error as Error).message })
      }
    }
    const begin = (): void => {
      while (!isStopped && running.size < atOnce) {
        const waiting = [...jobs.values()].filter(({ now, until }) => now.state === 'waiting' && until <= this.#clock.mono())
        const [next] = waiting.sort((a, b) => a.priority - b.priority)
        if (!next) return
        const work = run(next).then(() => {
          running.delete(work)
          begin()
        })
        running.add(work)
      }
    }
    const servers = this.#servers.get(name) ?? new Set()
    this.#servers.set(name, servers.add(begin))
    begin()
    return {
      stop: async () => {
        isStopped = true
        servers.delete(begin)
        await Promise.all(running)
      },
    }
  }
}
