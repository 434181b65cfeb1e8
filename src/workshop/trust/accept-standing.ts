import type { Budget } from '../../credit/budget.ts'
import { type Credits, sumCredits } from '../../credit/credits.ts'
import { type Given, isPlayable, waysOfGiving, waysWords } from '../../credit/given.ts'
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
  /** The ways of giving that the configuration lets count. Undefined if it does not limit them. */
  readonly accept?: readonly Given[] | undefined
  /** The ways that count here so far, which `accept` replaces. Undefined if there was no limit. */
  readonly acceptedWays?: readonly Given[] | undefined
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
 * service, and its ways of giving for this project. Spends nothing. Ceilings without `perSprite` can be accepted too: that
 * ends standing purchases, and replaces an accepted total.
 *
 * @throws `SW_USAGE` if the configuration has no ceilings and none were accepted before.
 * @throws `SW_APPROVAL` if only touches count so far and the configuration lets more count: a program can play a person
 *   at a terminal.
 */
export async function acceptStanding(
  context: Context,
  session: Session,
  request: AcceptStandingRequest,
  signal: AbortSignal,
): Promise<{ readonly offer: StandingOffer; readonly confirmed: boolean }> {
  const { approval, approvalAccept: accept } = context.options
  const facts = await context.memory.read()
  const acceptedWays = facts === 'damaged' ? undefined : facts?.accept
  const before = await context.standing.read()
  const acceptedTotal = await context.total.accepted()
  const limits = [before, acceptedTotal, accept, acceptedWays, ...Object.values(approval)]
  if (limits.every((limit) => limit === undefined)) {
    throw new SpritewrightError('SW_USAGE', {
      message:
        'Expected standing ceilings in the configuration (approval.perSprite, perRun, total), found none, and no approval.accept. Without approval.perSprite nothing is bought without an approval of its own.',
    })
  }
  refuseWidening(acceptedWays, accept)
  const { host, keyMode } = session.identity
  const missing = await readMissing(context, session, signal)
  const offer = { ceilings: approval, acceptedTotal, accept, acceptedWays, service: { host, keyMode }, ...missing }
  const confirmed = await request.confirm(offer)
  if (confirmed) {
    await context.standing.accept(approval, offer.service)
    await context.memory.accept(await context.lock.read(), { total: approval.total, accept })
  }
  return { offer, confirmed }
}

function refuseWidening(accepted: readonly Given[] | undefined, accept: readonly Given[] = waysOfGiving): void {
  if (accepted === undefined || isPlayable(accepted) || accept.every((way) => way === 'touched' || accepted.includes(way))) return
  throw new SpritewrightError('SW_APPROVAL', {
    message: `Expected approval.accept to stay as it is (${waysWords(accepted)}), found ${waysWords(accept)}. Where no approval of a terminal or a click counts, no terminal lets more of them count. Nothing was accepted. Set approval.accept back. docs/agents.md, "Only touched approvals", says how a person ends this.`,
    facts: { accepted, accept },
  })
}

async function readMissing(context: Context, session: Session, signal: AbortSignal): Promise<Pick<StandingOffer, 'missing' | 'total'>> {
  const found = await survey(context, [], { identity: session.identity })
  const quotes = askQuotes(session, signal)
  const open = [...found.steps, ...found.items].filter(({ state }) => state === 'missing')
  const missing: { id: string; quote: Credits }[] = []
  for (const { id, request } of open) missing.push({ id, quote: (await quotes.of(request)).credits })
  return { missing, total: sumCredits(missing.map(({ quote }) => quote)) }
}
