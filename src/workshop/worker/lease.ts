import { hasCode, type SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'
import type { HeldJob, JobQueue } from '../../host/net/job-queue.ts'
import { type LeaseNote, leaseId, leaseNote } from '../../queue/messages.ts'

/**
 * The right of one worker to use the limits of the account. It does not guard money: even two holders at once
 * would buy each request only once.
 */
export interface Lease {
  /** The last note of the previous holder. */
  readonly before: LeaseNote
  /** Aborted when another worker may hold it. */
  readonly lost: AbortSignal
  /**
   * Gives it up. If the queue does not answer, it ends by itself, as if its holder had died.
   *
   * @param state What its note says from then on. The next holder reads it.
   */
  release(state: LeaseNote['state']): Promise<void>
}

/** How a lease is held. */
export interface LeaseInit {
  readonly clock: Clock
  /** Names the holder for people. */
  readonly by: string
  /** How long it stays held after the last sign of its holder, in milliseconds. */
  readonly leaseMs: number
  /**
   * Called if somebody else holds it, or if the queue does not answer; again when the reason changes.
   *
   * @param error Missing if somebody else holds it.
   */
  readonly onWait: (why: string, error?: SpritewrightError) => void
  /** Called when the queue has lost the lease and its holder has taken it again. */
  readonly onEmptied: () => void
}

const free: LeaseNote = { state: 'free' }

/** Waits until the lease can be taken, then renews it until it is released or lost. */
export async function takeLease(queue: JobQueue, init: LeaseInit, signal: AbortSignal): Promise<Lease> {
  const { clock, leaseMs } = init
  let told: string | undefined
  let seenAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const from = clock.mono()
    let trouble: SpritewrightError | undefined
    let pauseMs = leaseMs / 3
    try {
      // If the queue was emptied, its holder has the time of a lease to take it again, and goes on without a pause.
      const isLeft = from - seenAt <= leaseMs && (await queue.read(leaseId)) === undefined
      const held = isLeft ? undefined : await queue.take(leaseId, free, leaseMs)
      if (held) return await keepLease(queue, held, from, init)
      if (isLeft) pauseMs = leaseMs / 30
      else seenAt = from
    } catch (error) {
      if (!hasCode(error, 'SW_QUEUE')) throw error
      trouble = error
    }
    const why = trouble?.message ?? 'another worker is active; this one stands by'
    if (why !== told) init.onWait(why, trouble)
    told = why
    await clock.sleep(pauseMs, signal)
  }
}

async function keepLease(queue: JobQueue, first: HeldJob, from: number, { clock, by, leaseMs, onEmptied }: LeaseInit): Promise<Lease> {
  const read = leaseNote.safeParse(first.data)
  const since = clock.wall()
  let job = first
  let until = from + leaseMs
  const lost = new AbortController()
  const ended = new AbortController()
  const note = (state: LeaseNote['state']): Promise<void> => job.note({ state, by, since, seen: clock.wall() })
  /** A queue that was emptied has no lease. If nobody has taken the new one yet, it is still this worker's. */
  const renew = async (): Promise<boolean> => {
    const at = clock.mono()
    if (!(await job.renew())) {
      const again = at > until ? undefined : await queue.take(leaseId, free, leaseMs)
      if (!again) return false
      job = again
      onEmptied()
    }
    until = at + leaseMs
    await note('held')
    return true
  }
  const keep = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(leaseMs / 3, ended.signal).catch(() => {})
      if (ended.signal.aborted) return
      const isHeld = await renew().catch(() => true)
      if (!isHeld || clock.mono() > until) return lost.abort()
    }
  }
  await note('held')
  const keeping = keep()
  return {
    before: read.success ? read.data : { state: 'held' },
    lost: lost.signal,
    release: async (state) => {
      ended.abort()
      await keeping
      if (lost.signal.aborted) return
      try {
        await note(state)
        await job.putBack()
      } catch (error) {
        if (!hasCode(error, 'SW_QUEUE')) throw error
      }
    },
  }
}
