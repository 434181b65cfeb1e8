import { hasCode } from '../../errors.ts'
import { idempotencyKey } from '../../job/order.ts'
import type { Submission } from '../../job/records/submission.ts'
import type { Context } from '../../project/context.ts'
import type { Session } from '../../project/session.ts'

/** A request that may be active at the service. */
export interface InFlight {
  /** `sprite.animation` or `sprite#2`. */
  readonly id: string
  /** Request hash. */
  readonly hash: string
}

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
  const found: InFlight[] = []
  const held = new Set(await places.keys())
  for (const { id, hash, attempt, at } of await reservations.shares()) {
    const key = idempotencyKey(identity, hash, attempt)
    let executionId: string | undefined
    try {
      // The records on this machine are often enough. To read them needs no network.
      if (!held.has(key) && (await journal.peek(hash)).submission.stored) continue
      const { submission } = await journal.read(hash)
      const isOver = submission.completed ?? submission.failed ?? submission.stored
      if (submission.attempt === attempt && isOver && held.has(key)) await places.leave(key)
      if (submission.attempt !== attempt || !mayBeActive(submission)) continue
      executionId = submission.accepted?.executionId
    } catch (error) {
      if (!hasCode(error, 'SW_JOURNAL')) throw error
      onEvent(`One request is left out. ${error.message}`)
    }
    await places.keep({ key, id }, { executionId, at })
    found.push({ id, hash })
  }
  return found
}
