import { type JobHandler, PutBack } from '../../host/net/job-queue.ts'
import { orderMessage } from '../../queue/messages.ts'
import { spriteOf } from '../../sprite-spec/request.ts'
import type { InFlight } from './in-flight.ts'

/** How long an order leaves its turn to others, in milliseconds. */
export const turnMs: number = 5_000

/**
 * Keeps a handler free for each request that is in flight when a worker begins. Such a request holds a place of the
 * account. If orders that wait for a place had all handlers, its own order would never come, and the place would stay
 * taken.
 *
 * @param inFlight Each has a handler beside the `others`.
 * @param others Number of other orders that are handled at the same time.
 */
export function leaveRoom(inFlight: readonly InFlight[], others: number, handle: JobHandler): JobHandler {
  const missing = new Set(inFlight)
  let running = 0
  /** The order of a step is that of its sprite. */
  const find = (data: unknown): InFlight | undefined => {
    const { data: order } = orderMessage.safeParse(data)
    return inFlight.find(({ id, hash }) => order && (hash === order.hash || (id.includes('#') && spriteOf(id) === spriteOf(order.id))))
  }
  return async (job, report) => {
    const own = find(job.data)
    if (own) missing.delete(own)
    else if (missing.size > 0 && running >= others) throw new PutBack('It leaves its turn to what is in flight.', turnMs)
    running += own ? 0 : 1
    try {
      return await handle(job, report)
    } catch (error) {
      if (own) missing.add(own)
      throw error
    } finally {
      running -= own ? 0 : 1
    }
  }
}
