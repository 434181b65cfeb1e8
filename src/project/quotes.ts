import { readPrice } from '../job/freeze.ts'
import type { PaidRequest, SheetRequest } from '../sprite-spec/request.ts'
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
export function askQuotes({ client }: Session, signal: AbortSignal): Quotes {
  const asked = new Map<string, Promise<Quote>>()
  const once = (key: string, ask: () => Promise<Quote>): Promise<Quote> => {
    const price = asked.get(key) ?? ask()
    asked.set(key, price)
    return price
  }
  return {
    of: (request) => once(priceKey(request), () => readPrice({ client, signal }, request)),
    ofSheet: (frames, background) => once(sheetKey(frames, background), () => client.estimate(frames, background, signal)),
  }
}
