import { creditsWords } from '../../../src/credit/credits.ts'
import {
  approverWords,
  formatCredits,
  type OverviewItem,
  type OverviewOrphan,
  type OverviewService,
  type StandingApproval,
} from '../../../src/index.ts'

type Priced = NonNullable<OverviewItem['quote']>

/**
 * A price before the purchase; not binding. A single picture is charged on delivery; for everything else credits are
 * held before (C13).
 */
export function priceOf({ credits, ...quote }: Priced, operation: string) {
  const when = operation === 'sprite_sheet' ? 'held' : 'charged on delivery'
  return {
    ...quote,
    credits: formatCredits(credits),
    /** "2.4 credits will be held." or, for a single picture, "1 credit will be charged on delivery." */
    words: `${creditsWords(credits)} will be ${when}.`,
  }
}

/** Who approved a request, and how. */
export function approvedWords({ verdict, ...approval }: StandingApproval): string {
  return verdict === 'valid' ? (approval.given ?? 'in an unknown way') : approverWords(approval, verdict)
}

/**
 * The state of a request that no spec asks for any more, in sentences.
 *
 * @param words The sentence for any other request in this state.
 */
export function orphanWords(words: string, { state, executionId }: OverviewOrphan): string {
  const now =
    state !== 'running'
      ? words
      : executionId === undefined
        ? 'Sent, and not answered yet. It is not sent again by itself. If its outcome can no longer be known, you decide.'
        : 'Under way at the service. A later build fetches its result.'
  return `An earlier version of its spec requested it. ${now}`
}

/** What to do about the service; empty if all is well. */
export function serviceWords({ kind, canAsk }: OverviewService, failure: unknown): string {
  if (kind === 'none')
    return "No service is known. Set SPRITEWRIGHT_BASE_URL and SPRITEWRIGHT_API_KEY in .env.local, or try without an account: service: 'embedded' in spritewright.config."
  if (!canAsk) return 'There is no API key. Set SPRITEWRIGHT_API_KEY in .env.local; without it nothing can be priced or bought.'
  return failure instanceof Error ? failure.message : ''
}
