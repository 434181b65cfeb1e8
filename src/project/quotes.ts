import { readPrice } from '../job/freeze.ts'
import type { PaidRequest } from '../spec/request.ts'
import type { Quote } from './plan.ts'
import type { Session } from './session.ts'

/**
 * Fresh prices for one command. Each distinct price is requested once; frames and background determine the
 * price of a sheet.
 */
export interface Quotes {
  of(request: PaidRequest): Promise<Quote>
}

/** Key of a request's price: requests with the same key cost the same. */
export function priceKey(request: PaidRequest): string {
  return request.operation === 'sprite_sheet' ? `${request.frames} ${request.background}` : request.operation
}

/**
 * Requests prices from the service when they are needed. They are kept in memory and only for this command.
 */
export function askQuotes(session: Session, signal: AbortSignal): Quotes {
  const asked = new Map<string, Promise<Quote>>()
  const { client } = session
  return {
    of: (request) => {
      const key = priceKey(request)
      const price = asked.get(key) ?? readPrice({ client, signal }, request)
      asked.set(key, price)
      return price
    },
  }
}
