import { toUsd } from '../credit/credits.ts'
import { readPrice } from '../job/freeze.ts'
import { embeddedHost, type PaidRequest, type SheetRequest } from '../sprite-spec/request.ts'
import type { Quote } from './plan.ts'
import type { Session } from './session.ts'

/**
 * Fresh prices for one command. Each distinct price is requested once; frames and background determine the
 * price of a sheet.
 */
export interface Quotes {
  of(request: PaidRequest): Promise<Quote>
  /** The price of any sheet with this number of frames. */
  ofSheet(frames: number, background: SheetRequest['background']): Promise<Quote>
  /**
   * The sum of prices in USD, by the reference of a price that was requested before. `undefined` without one, and for
   * play money.
   */
  usd(prices: readonly Pick<Quote, 'credits' | 'referenceUsd'>[]): string | undefined
}

/** Key of a request's price: requests with the same key cost the same. */
export function priceKey(request: PaidRequest): string {
  return request.operation === 'sprite_sheet' ? sheetKey(request.frames, request.background) : request.operation
}

function sheetKey(frames: number, background: SheetRequest['background']): string {
  return `${frames} ${background}`
}

/**
 * Requests prices from the service when they are needed. Prices are kept in memory, for this command only.
 */
export function askQuotes({ client, identity }: Pick<Session, 'client' | 'identity'>, signal: AbortSignal): Quotes {
  const asked = new Map<string, Promise<Quote>>()
  let creditCents: number | undefined
  const once = async (key: string, ask: () => Promise<Quote>): Promise<Quote> => {
    const price = asked.get(key) ?? ask()
    asked.set(key, price)
    creditCents ??= identity.host === embeddedHost ? undefined : (await price).referenceCreditCents
    return price
  }
  return {
    of: (request) => once(priceKey(request), () => readPrice({ client, signal }, request)),
    ofSheet: (frames, background) => once(sheetKey(frames, background), () => client.estimate(frames, background, signal)),
    usd: (prices) => (creditCents === undefined ? undefined : toUsd(prices, creditCents)),
  }
}
