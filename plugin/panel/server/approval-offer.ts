import { type ApproveRequest, parseCredits, SpritewrightError, type Workshop } from '../../../src/index.ts'
import { namesOf } from '../../news.ts'
import type { ActionRequest } from '../../protocol/actions.ts'
import { type AskedApproval, type PanelOffer, toOffer } from '../../protocol/state/offer.ts'

/** The refusal of an approval whose offer has changed, with the current offer. */
export class OfferChanged extends SpritewrightError {
  /** The current offer. */
  readonly offer: PanelOffer

  constructor(offer: PanelOffer, { lines }: Pick<ActionRequest<'approve'>, 'lines'>) {
    const before = new Map(lines.map(({ id, hash }) => [id, hash] as const))
    const others = offer.lines.flatMap(({ id, hash }) => (before.has(id) && before.get(id) !== hash ? [id] : []))
    const why = others.length === 0 ? '' : ` The requests have changed: ${namesOf(others)}.`
    super('SW_CHANGED', {
      message: `The offer has changed since it was shown.${why} Nothing was approved. Check it, and approve it as it is.`,
      facts: { sum: offer.sum, ids: offer.lines.map(({ id }) => id) },
    })
    this.offer = offer
  }
}

/** Returns what an approval would write now, with fresh prices of the service. Writes nothing. */
export async function readOffer(workshop: Workshop, ask: ActionRequest<'offer'>): Promise<PanelOffer> {
  return (await consult(workshop, ask, () => false)).offer
}

/**
 * Approves a shown offer: the same requests at the same prices and ceilings, with the same sum. Asks the
 * service again for that.
 *
 * @throws {OfferChanged} if any part of it has changed. Nothing was written.
 */
export async function approveOffer(workshop: Workshop, ask: ActionRequest<'approve'>, terms: Terms, signal?: AbortSignal): Promise<void> {
  const { offer, isApproved } = await consult(workshop, ask, (now) => isSame(now, ask), terms, signal)
  if (!isApproved) throw new OfferChanged(offer, ask)
}

/** How an approval is given, and who is told that it is written. */
type Terms = Pick<ApproveRequest, 'given' | 'onWritten' | 'touch'>

async function consult(
  workshop: Workshop,
  { ids, ceiling, adopt }: ActionRequest<'offer'>,
  agree: (offer: PanelOffer) => boolean,
  terms: Terms = {},
  signal?: AbortSignal,
): Promise<{ readonly offer: PanelOffer; readonly isApproved: boolean }> {
  let seen: AskedApproval | undefined
  const request: ApproveRequest = {
    names: ids,
    ...(ceiling === undefined ? {} : { max: parseCredits(ceiling) }),
    adopt,
    ...terms,
    confirm: async (lines, balance, worker) => {
      seen = { lines, balance, worker }
      return agree(toOffer(seen))
    },
  }
  const report = await workshop.approve(request, signal)
  // `confirm` is not called if nothing needs an approval.
  const found = seen ?? { lines: [], balance: (await workshop.prices()).balance }
  const touch = await workshop.trust.touchState()
  return { offer: toOffer(found, report.untouched, touch), isApproved: report.approved.length > 0 }
}

function isSame(now: PanelOffer, { lines, sum }: ActionRequest<'approve'>): boolean {
  const before = new Map(lines.map((line) => [line.id, line] as const))
  const isLine = ({ id, hash, price, ceiling }: PanelOffer['lines'][number]): boolean => {
    const seen = before.get(id)
    // The same id at the same price may belong to another request meanwhile.
    return seen?.hash === hash && parseCredits(seen.price) === parseCredits(price) && parseCredits(seen.ceiling) === parseCredits(ceiling)
  }
  return now.lines.length === before.size && now.lines.every(isLine) && parseCredits(sum) === parseCredits(now.sum)
}
