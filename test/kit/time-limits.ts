import { longestRequestMs } from '../../src/service/http/transport.ts'
import { recordBounds } from '../../src/stores/exchange.ts'
import { holdMs } from '../../src/workshop/worker/read-order.ts'

/**
 * Whether a sleep of the product limits how long an answer may take, and is no pause. A clock that ended it early
 * would cut off the answer on a busy machine.
 *
 * @param ms Length of the sleep.
 */
export function isTimeLimit(ms: number): boolean {
  return ms >= longestRequestMs || ms === recordBounds.timeoutMs || ms === holdMs
}
