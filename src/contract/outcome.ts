import type { Credits } from '../credit/credits.ts'
import type { StreamEvent } from '../service/profile.ts'
import type { Reply } from './caller.ts'

/** What was seen of one execution from its price to its file, as far as it went. */
export interface LifeOutcome {
  /** Why it ended early, for a person; undefined where it went to its end. */
  stopped?: string
  /** What the service asked for it before; `max_credits` of the submission. */
  price?: Credits
  accepted?: Reply
  executionId?: string
  /** The same bytes under the same key, again; only where the ceiling covers two. */
  replayed?: Reply
  /** Other bytes under the same key. */
  conflicting?: Reply
  /** A submission of its own under a ceiling of the smallest amount there is; only where the ceiling covers three. */
  underpriced?: Reply
  /** What became of it, where it was accepted all the same. */
  underpricedStatus?: string
  /** Whether nothing of this account moves: a test key whose use costs no credits. */
  isFree?: boolean
  /** The same bytes and key once more, asking for an event stream. */
  initial?: Reply
  /** Statuses of five streams that were opened at once while the job was on. */
  streams?: readonly number[]
  /** The attempt to cancel it. */
  cancelled?: Reply
  /** Balance before the submission, while it ran, and when it had ended. */
  balanceBefore?: Credits
  balancesHeld?: readonly Credits[]
  balanceAfter?: Credits
  /** Reads of the execution, oldest first, the last one at its end. */
  reads?: readonly Reply[]
  /** A read without `Service-Version`. */
  versionless?: Reply
  /** All of its events, and those after an event in the middle. */
  events?: readonly StreamEvent[]
  resumed?: { readonly after: string; readonly events: readonly StreamEvent[] }
  redirect?: Reply
  file?: Reply
  /** Whether the file was asked for at another origin than the API's. */
  isElsewhere?: boolean
}
