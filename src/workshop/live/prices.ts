import type { Context } from '../../project/context.ts'
import type { Quote } from '../../project/plan.ts'
import { askQuotes, priceKey } from '../../project/quotes.ts'
import type { Session } from '../../project/session.ts'
import { isUnsent, survey } from '../../project/survey.ts'
import type { PriceList } from '../api/overview-report.ts'

/** Asks the service for the balance and for the price of all that is not bought; broken specs are left out. */
export async function readPrices(context: Context, session: Session, signal: AbortSignal): Promise<PriceList> {
  const { items, steps } = await survey(context, [], { identity: session.identity })
  const quotes = askQuotes(session, signal)
  const priced = new Map<string, Quote>()
  for (const { request } of [...items, ...steps].filter(isUnsent)) priced.set(priceKey(request), await quotes.of(request))
  return {
    of: (request) => priced.get(priceKey(request)),
    balance: await session.client.balance(signal),
    service: { host: session.identity.host, keyMode: session.identity.keyMode },
    at: context.host.clock.wall(),
  }
}
