import type { Credits } from '../credit/credits.ts'
import type { StreamEvent } from '../service/profile.ts'
import type { Reply } from './caller.ts'

/** The observations of one execution, from its price to its file or to the step that stopped it. */
export interface LifeOutcome {
  /** The reason of an early end, for a person; undefined if the execution ran to its end. */
  stopped?: string
  /** The price in the estimate before the submission. It is the submission's `max_credits`. */
  price?: Credits
  accepted?: Reply
  executionId?: string
  /**
   * The answer to the same bytes under the same key, sent again. Only if the ceiling covers two executions.
   */
  replayed?: Reply
  /** The answer to other bytes under the same key. */
  conflicting?: Reply
  /**
   * The answer to a separate submission under the smallest possible ceiling. Only if the ceiling covers three
   * executions.
   */
  underpriced?: Reply
  /** The status of that submission's execution, if the service accepted the submission anyway. */
  underpricedStatus?: string
  /** Whether the balance never changes, as for a test key whose use costs no credits. */
  isFree?: boolean
  /** The answer to the same bytes and key once more, with a request for an event stream. */
  initial?: Reply
  /** Statuses of five streams that were opened at once while the execution ran. */
  streams?: readonly number[]
  /** The answer to the attempt to cancel the execution. */
  cancelled?: Reply
  /** Balance before the submission, while the execution ran, and after its end. */
  balanceBefore?: Credits
  balancesHeld?: readonly Credits[]
  balanceAfter?: Credits
  /** Reads of the execution, oldest first. The last read shows its end. */
  reads?: readonly Reply[]
  /** A read without `Service-Version`. */
  versionless?: Reply
  /** All events of the execution, and the events after one in the middle. */
  events?: readonly StreamEvent[]
  resumed?: { readonly after: string; readonly events: readonly StreamEvent[] }
  redirect?: Reply
  file?: Reply
  /** Whether the file was requested from another origin than the API's. */
  isElsewhere?: boolean
}
