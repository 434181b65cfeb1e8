import type { Credits } from './credits.ts'

/** A person's word: this request may cost up to the ceiling, priced by this version, spent by this buyer. */
export interface Approval {
  readonly ceiling: Credits
  readonly priceVersion: string
  /** Id of the checkout that may spend it. */
  readonly buyer: string
  /** When it was given, ISO 8601. */
  readonly at: string
}

/** What speaks against buying at a fresh price, if anything. */
export type PriceVerdict = { readonly fits: true } | { readonly fits: false; readonly why: 'ceiling' | 'priceVersion' }

/** Compares a fresh estimate with an approval. A price version that nobody approved stops, even where the price fits. */
export function judgePrice(approval: Approval, quote: { readonly credits: Credits; readonly priceVersion: string }): PriceVerdict {
  if (quote.priceVersion !== approval.priceVersion) return { fits: false, why: 'priceVersion' }
  if (quote.credits > approval.ceiling) return { fits: false, why: 'ceiling' }
  return { fits: true }
}
