import { hasCode, SpritewrightError } from '../errors.ts'
import type { Clock } from '../host/clock.ts'
import type { JobQueue, QueuedJob } from '../host/net/job-queue.ts'
import { leaseId } from './messages.ts'
import type { Queues } from './open.ts'

/** A job of a client. */
export interface WantedJob {
  readonly id: string
  readonly data: object
  /** Returns the priority of the job. Called each time the job is added. */
  priority(): Promise<number>
}

/** Options for following a job. */
export interface FollowInit {
  readonly clock: Clock
  /** Longest wait without an active worker or an answer of the queue, in milliseconds. */
  readonly patienceMs: number
  /** What happens to the job if no worker is active: a sentence for a person. */
  readonly afterwards: string
  /** Called once if the job has not settled after some seconds. */
  readonly onSlow?: () => void
  /** Receives the job whenever it was read and has not settled. */
  readonly onJob?: (job: QueuedJob) => void
  readonly signal: AbortSignal
}

/** Pauses between two reads: short at first, for inquiries. */
const firstPauseMs = 25
const longestPauseMs = 1000
/** Time after which a person is informed of the wait, in milliseconds. */
const slowMs = 5000

/**
 * Adds a job and reads it until it has settled. A missing job is added again, because a queue may be emptied at any
 * time. A job that settled in an earlier run is removed first.
 *
 * @throws `SW_QUEUE` if no worker is active or the queue does not answer, and at once if no worker was ever active.
 */
export async function followJob(queues: Queues, queue: JobQueue, job: WantedJob, init: FollowInit): Promise<QueuedJob> {
  const { clock, patienceMs, signal } = init
  const begun = clock.mono()
  const signs = { at: begun, lease: '' }
  const add = async (): Promise<void> => queue.add(job.id, job.data, await job.priority())
  let isFirst = true
  let isSlow = false
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      const now = await queue.read(job.id)
      const isSettled = now?.state === 'done' || now?.state === 'failed'
      if (now && isSettled && !isFirst) return now
      if (isSettled) await queue.remove(job.id)
      if (!now || isSettled) await add()
      else init.onJob?.(now)
      isFirst = false
      await readSigns(queues, clock, signs)
      if (clock.mono() - signs.at > patienceMs) throw noWorker(queues, init)
    } catch (error) {
      const isSilent = hasCode(error, 'SW_QUEUE') && error.facts.mayPass === true
      if (!isSilent || clock.mono() - signs.at > patienceMs) throw error
    }
    if (!isSlow && clock.mono() - begun > slowMs) {
      isSlow = true
      init.onSlow?.()
    }
    await clock.sleep(pauseMs, signal)
  }
}

/** Reads signs of a worker: its note changes. Notes are compared with each other, not with this machine's clock. */
async function readSigns({ lease }: Queues, clock: Clock, signs: { at: number; lease: string }): Promise<void> {
  const note = JSON.stringify((await lease.read(leaseId))?.data ?? '')
  if (note !== signs.lease && signs.lease !== '') signs.at = clock.mono()
  signs.lease = note
}

function noWorker({ address }: Queues, { patienceMs, afterwards }: FollowInit): SpritewrightError {
  return new SpritewrightError('SW_QUEUE', {
    message: `Expected a worker at the queue ${address}, found no sign of one for ${Math.round(patienceMs / 1000)} seconds. ${afterwards} Start the worker on the machine that has the API key: npx spritewright worker`,
    facts: { queue: address },
  })
}
