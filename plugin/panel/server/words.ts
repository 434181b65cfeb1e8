import { creditsWords } from '../../../src/credit/credits.ts'
import {
  approverWords,
  formatCredits,
  type OverviewItem,
  type OverviewOrphan,
  type OverviewService,
  type PlanStep,
  type StandingApproval,
} from '../../../src/index.ts'
import type { PanelPrice, PurchaseState } from '../../protocol/protocol.ts'

type Priced = NonNullable<OverviewItem['quote']>

/**
 * A price in the form of the panel. A single picture is charged on delivery; for everything else credits are
 * held before (C13).
 */
export function priceOf({ credits, priceVersion, referenceUsd }: Priced, operation: string): PanelPrice {
  const amount = creditsWords(credits)
  return {
    credits: formatCredits(credits),
    priceVersion,
    ...(referenceUsd === undefined ? {} : { referenceUsd }),
    words: operation === 'sprite_sheet' ? `${amount} will be held.` : `${amount} will be charged on delivery.`,
  }
}

/** Who approved a request, and how. */
export function approvedWords({ verdict, ...approval }: StandingApproval): string {
  return verdict === 'valid' ? (approval.given ?? 'in an unknown way') : approverWords(approval, verdict)
}

/** The state of a request, in one sentence. */
export function stateWords(
  state: PurchaseState,
  { id, note, ceiling, ...rest }: OverviewItem | PlanStep | OverviewOrphan,
  price: PanelPrice | undefined,
): string {
  const limit = ceiling === undefined ? '' : ` up to ${creditsWords(ceiling)}`
  const changed = 'changed' in rest && rest.changed.length > 0 ? `Changed since the last purchase: ${rest.changed.join(', ')}. ` : ''
  switch (state) {
    case 'bought':
      return 'Bought.'
    case 'lost':
      return `Bought, but its result is not here${note === undefined ? '. It is fetched again for free' : `: ${note}`}.`
    case 'approved':
      return `Approved${limit}, not bought yet.`
    case 'adoptable':
      return `Approved${limit}, but not by you, so it is not bought here. Take it over if you are sure that it was not bought elsewhere.`
    case 'outpriced':
      return `Approved${limit}, but the price has changed since, so nothing is sent.${price ? ` ${price.words}` : ''} Approve it again at the new price.`
    case 'running':
      return note === undefined ? 'Under way at the service.' : `Under way: ${note}.`
    case 'question':
      return 'The service has a question, and waits for the answer.'
    case 'uncertain':
      if (rest.isForeign)
        return `Its journal holds records that were not written with your key, so nothing is sent because of them. Give up the purchase that they describe, then approve it again.`
      if (rest.undecided === 'answer')
        return `An answer was sent and never confirmed: whether it arrived is unknown. Send it again, or take it back.`
      return `Sent and never answered: whether it was bought is unknown. Send it again, or give it up; ${id} may have cost${limit}.`
    case 'failed':
      if (rest.undecided === 'conflict')
        return 'The service has other bytes under this key: another checkout has sent its own. Until you decide, nothing is sent, with or without an approval.'
      return `Failed${note === undefined ? '' : `: ${note}`}. Nothing more is sent without a new approval.${price ? ` ${price.words}` : ''}`
    case 'missing':
      return `${changed}Not bought, and needs an approval.${price ? ` ${price.words}` : ''}`
  }
}

/**
 * The same for a request that no spec asks for any more.
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
