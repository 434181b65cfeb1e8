import { readPrice } from '../job/freeze.ts'
import type { PaidRequest } from '../spec/request.ts'
import type { Quote } from './plan.ts'
import type { Session } from './session.ts'

/** Fresh prices of one command, each distinct one asked for once: frames and background make a sheet's. */
export interface Quotes {
  of(request: PaidRequest): Promise<Quote>
}

/** Requests of one key cost the same. */
export function priceKey(request: PaidRequest): string {
  return request.operation === 'sprite_sheet' ? `${request.frames} ${request.background}` : request.operation
}

/** Asks the service as prices are wanted. Nothing is kept beyond the command, and nothing on disk. */
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
