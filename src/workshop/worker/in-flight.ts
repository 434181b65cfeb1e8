import { hasCode } from '../../errors.ts'
import { inParallel } from '../../host/in-parallel.ts'
import { idempotencyKey } from '../../job/order.ts'
import { readUnlessBroken } from '../../job/records/journal.ts'
import { isUnsent, noSubmission, type Submission } from '../../job/records/submission.ts'
import type { Context } from '../../project/context.ts'
import type { Session } from '../../project/session.ts'
import type { TakenPlace } from '../../service/limits/places.ts'

/** A request that may be active at the service. */
export interface InFlight {
  /** `sprite.animation` or `sprite#2`. */
  readonly id: string
  /** Request hash. */
  readonly hash: string
}

/**
 * How long a process may take from its place to its record of the POST, in milliseconds. Before that record, it looks
 * whether it still has its place.
 */
const courtesyMs = 60_000

/**
 * Notes in the places of this machine which requests of the journal may be active at the service. Other machines
 * that share the journal have sent them, or an earlier worker. Releases the places of those that others have brought to
 * their end meanwhile.
 *
 * A request whose records are broken may be active. It counts for as long as a job may last, and stops nothing
 * else.
 *
 * @param onEvent Receives a sentence about each request whose records are broken.
 * @returns These requests.
 */
export async function keepInFlight(
  { journal, reservations, host, options }: Pick<Context, 'journal' | 'reservations' | 'host' | 'options'>,
  { identity, places }: Pick<Session, 'identity' | 'places'>,
  onEvent: (sentence: string) => void,
): Promise<readonly InFlight[]> {
  const mayBeActive = ({ accepted, completed, failed, stored, abandoned, sends }: Submission): boolean => {
    if (completed || failed || stored || abandoned) return false
    if (accepted) return true
    return sends.some(({ answer, at }) => answer.kind !== 'refused' && host.clock.wall() - at <= options.replayWindowMs)
  }
  const held = new Set((await places.taken()).map(({ key }) => key))
  // A new machine reads all that its team has bought.
  const read = await inParallel(await reservations.shares(), async ({ id, hash, attempt, at }) => {
    const key = idempotencyKey(identity, hash, attempt)
    let executionId: string | undefined
    try {
      // The records on this machine are often enough. To read them needs no network.
      if (!held.has(key) && (await journal.peek(hash)).submission.stored) return []
      const { submission } = await journal.read(hash)
      const isOver = submission.completed ?? submission.failed ?? submission.stored
      if (submission.attempt === attempt && isOver && held.has(key)) await places.leave(key)
      if (submission.attempt !== attempt || !mayBeActive(submission)) return []
      executionId = submission.accepted?.executionId
    } catch (error) {
      if (!hasCode(error, 'SW_JOURNAL')) throw error
      onEvent(`One request is left out. ${error.message}`)
    }
    return [{ key, id, hash, executionId, at }]
  })
  const found = read.flat()
  for (const { key, id, executionId, at } of found) await places.keep({ key, id }, { executionId, at })
  return found
}

/**
 * Releases the places of submissions that were never sent: their process died between the place and the record of the
 * POST. Without an execution, nobody else could learn that such a place is free. Only the journal of a place knows, so
 * places of another project with the same name stay.
 */
export async function releaseUnsent(
  { journal, reservations, host, name, options }: Pick<Context, 'journal' | 'reservations' | 'host' | 'name' | 'options'>,
  { identity, places }: Pick<Session, 'identity' | 'places'>,
): Promise<void> {
  const isOld = (at: number): boolean => Math.abs(host.clock.wall() - at) > courtesyMs
  const isOurs = (one: TakenPlace): boolean => one.project === name && one.journal === options.store.journal
  const idle = (await places.taken()).filter((one) => isOurs(one) && one.executionId === undefined && isOld(one.at))
  if (idle.length === 0) return
  const shares = new Map((await reservations.shares()).map((share) => [idempotencyKey(identity, share.hash, share.attempt), share]))
  for (const { key } of idle) {
    const share = shares.get(key)
    const view = share && (await readUnlessBroken(journal, share.hash))
    const { attempt, accepted, sends } = view?.submission ?? noSubmission
    const isBroken = share !== undefined && view === undefined
    const wasSent = attempt === share?.attempt && (accepted !== undefined || !isUnsent(sends))
    if (!wasSent && !isBroken) await places.leave(key)
  }
}
