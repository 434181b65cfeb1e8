import type { Budget } from '../../credit/budget.ts'
import { type Credits, sumCredits } from '../../credit/credits.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Context } from '../../project/context.ts'
import { askQuotes } from '../../project/quotes.ts'
import type { Session } from '../../project/session.ts'
import { survey } from '../../project/survey.ts'

/** The offer of standing ceilings that a person sees. */
export interface StandingOffer {
  /** The ceilings of the configuration. Without `perSprite` they allow no standing purchase. */
  readonly ceilings: Budget
  /** The total that was accepted before, which these ceilings replace. Undefined if there was none. */
  readonly acceptedTotal?: Credits | undefined
  readonly service: { readonly host: string; readonly keyMode: 'test' | 'live' }
  /**
   * The missing parts of the project, and their cost by today's estimates. A build buys of them what fits
   * under the ceilings.
   */
  readonly missing: readonly { readonly id: string; readonly quote: Credits }[]
  readonly total: Credits
}

/** The question to a person before standing ceilings take effect. */
export interface AcceptStandingRequest {
  /** Nothing is written unless it returns `true`. */
  readonly confirm: (offer: StandingOffer) => Promise<boolean>
}

/**
 * Lets a person accept the standing ceilings of the configuration, for this project on this machine and this
 * service. Spends nothing. Ceilings without `perSprite` can be accepted too: that ends standing purchases,
 * and replaces an accepted total.
 *
 * @throws `SW_USAGE` if the configuration has no ceilings and none were accepted before.
 */
export async function acceptStanding(
  context: Context,
  session: Session,
  request: AcceptStandingRequest,
  signal: AbortSignal,
): Promise<{ readonly offer: StandingOffer; readonly confirmed: boolean }> {
  const { approval } = context.options
  const before = await context.standing.read()
  const acceptedTotal = await context.total.accepted()
  if (!before && acceptedTotal === undefined && Object.values(approval).every((ceiling) => ceiling === undefined)) {
    throw new SpritewrightError('SW_USAGE', {
      message:
        'Expected standing ceilings in the configuration (approval.perSprite, perRun, total), found none. Without approval.perSprite nothing is bought without an approval of its own.',
    })
  }
  const { host, keyMode } = session.identity
  const offer = { ceilings: approval, acceptedTotal, service: { host, keyMode }, ...(await readMissing(context, session, signal)) }
  const confirmed = await request.confirm(offer)
  if (confirmed) {
    await context.standing.accept(approval, offer.service)
    await context.memory.acceptTotal(await context.lock.read(), approval.total)
  }
  return { offer, confirmed }
}

async function readMissing(context: Context, session: Session, signal: AbortSignal): Promise<Pick<StandingOffer, 'missing' | 'total'>> {
  const found = await survey(context, [], { identity: session.identity })
  const quotes = askQuotes(session, signal)
  const open = [...found.steps, ...found.items].filter(({ state }) => state === 'missing')
  const missing: { id: string; quote: Credits }[] = []
  for (const { id, request } of open) missing.push({ id, quote: (await quotes.of(request)).credits })
  return { missing, total: sumCredits(missing.map(({ quote }) => quote)) }
}
