import type { Budget } from '../../credit/budget.ts'
import { type Credits, sumCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import { askQuotes } from '../quotes.ts'
import type { Session } from '../session.ts'
import type { Shop } from '../shop.ts'
import { survey } from '../survey.ts'

/** What standing ceilings would allow, as a person is shown it. */
export interface StandingOffer {
  /** As the configuration has them. */
  readonly ceilings: Budget
  readonly service: { readonly host: string; readonly keyMode: 'test' | 'live' }
  /** What the project lacks now, and what that would cost by today's estimates; a build buys of it what fits under the ceilings. */
  readonly missing: readonly { readonly id: string; readonly quote: Credits }[]
  readonly total: Credits
}

/** What a person is asked before standing ceilings take effect. */
export interface AcceptStandingRequest {
  /** Nothing is written unless it answers `true`. */
  readonly confirm: (offer: StandingOffer) => Promise<boolean>
}

/**
 * Lets a person accept the standing ceilings of the configuration, for this project on this machine and this service. Spends nothing.
 *
 * @throws `SW_USAGE` if the configuration has no `approval.perSprite`.
 */
export async function acceptStanding(
  shop: Shop,
  session: Session,
  request: AcceptStandingRequest,
  signal: AbortSignal,
): Promise<{ readonly offer: StandingOffer; readonly confirmed: boolean }> {
  const { approval } = shop.options
  if (approval.perSprite === undefined) {
    throw new SpritewrightError('SW_USAGE', {
      message:
        'Expected standing ceilings in the configuration (approval.perSprite, perRun, total), found no approval.perSprite. Without it nothing is bought without an approval of its own.',
    })
  }
  const { host, keyMode } = session.identity
  const offer = { ceilings: approval, service: { host, keyMode }, ...(await readMissing(shop, session, signal)) }
  const confirmed = await request.confirm(offer)
  if (confirmed) await shop.standing.accept(approval, offer.service)
  return { offer, confirmed }
}

async function readMissing(shop: Shop, session: Session, signal: AbortSignal): Promise<Pick<StandingOffer, 'missing' | 'total'>> {
  const found = await survey(shop, [], { identity: session.identity })
  const quotes = askQuotes(session, signal)
  const open = [...found.steps, ...found.items].filter(({ state }) => state === 'missing')
  const missing: { id: string; quote: Credits }[] = []
  for (const { id, request } of open) missing.push({ id, quote: (await quotes.of(request)).credits })
  return { missing, total: sumCredits(missing.map(({ quote }) => quote)) }
}
