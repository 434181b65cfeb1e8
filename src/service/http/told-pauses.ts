import type { Clock } from '../../host/clock.ts'
import { silentMs } from '../limits/told-waits.ts'
import type { Fault } from './retry.ts'

/**
 * Informs a person when a request waits before its next try. During a reported wait, other waits are not reported.
 *
 * @param tell Receives a complete sentence.
 */
export function tellPauses(clock: Clock, tell: (sentence: string) => void): (waitMs: number, fault: Fault) => void {
  let toldUntil = Number.NEGATIVE_INFINITY
  return (waitMs, fault) => {
    const now = clock.mono()
    if (waitMs < silentMs || now < toldUntil) return
    toldUntil = now + waitMs
    const isRateLimit = fault.kind === 'answer' && fault.status === 429
    const cause = isRateLimit ? "the service's rate limit is reached" : 'the service could not answer'
    tell(
      `Waiting ${Math.ceil(waitMs / 1000)} s before the next try: ${cause}${fault.retryAfterMs == null ? '' : ', and it asks for this'}.`,
    )
  }
}
