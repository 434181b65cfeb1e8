import { type Credits, formatCredits, parseCredits } from '../../credit/credits.ts'
import { invalid } from '../http/http.ts'

/** The version of the interface's sprite price. */
const PRICE_VERSION = 'sprite-base-frame-20261017-v1'

/** Prices in the service's own words; see {@link defaultPricing}. */
export type SpritePricing = Readonly<typeof defaultPricing>

/**
 * `sprite_pricing` of the capabilities record. Whole US cents. Twelve frames cost 2.4 credits; 1.5 if the
 * background is kept.
 *
 * A sheet costs `first_tier_cents` up to `tier_boundary` frames and `additional_frame_cents` for each further
 * one. A sheet that keeps its background costs `plain_frame_cents` for each frame. The price in credits is
 * the sum divided by `credit_cents`, rounded up to a tenth. The interface shows the fields but no formula
 * (N15).
 */
export const defaultPricing = {
  minimum_frames: 7,
  maximum_frames: 100,
  default_frames: 12,
  tier_boundary: 8,
  first_tier_cents: 40,
  additional_frame_cents: 5,
  credit_cents: 25,
  charge_rounding: 'up_to_tenth' as const,
  plain_frame_cents: 3,
}

/** The current price of a sheet. */
export function priceOf(pricing: SpritePricing, frames: number, background: 'remove' | 'keep'): Credits {
  const further = Math.max(0, frames - pricing.tier_boundary)
  const cents =
    background === 'keep' ? frames * pricing.plain_frame_cents : pricing.first_tier_cents + further * pricing.additional_frame_cents
  return divideUp(BigInt(cents) * 10n, BigInt(pricing.credit_cents)) * parseCredits('0.1')
}

/** The body of `GET /v1/sprite-pricing`: exactly seven fields. */
export function estimateOf(pricing: SpritePricing, frames: number, background: 'remove' | 'keep'): Readonly<Record<string, unknown>> {
  const price = priceOf(pricing, frames, background)
  const usdCents = divideUp(price * BigInt(pricing.credit_cents), parseCredits('1'))
  return {
    price_version: PRICE_VERSION,
    frame_count: frames,
    background,
    credits: formatCredits(price),
    reference_usd: `${usdCents / 100n}.${String(usdCents % 100n).padStart(2, '0')}`,
    reference_credit_cents: pricing.credit_cents,
    binding: false,
  }
}

/**
 * Reads the query of an estimate.
 *
 * @throws {Refusal} `invalid_request` for an unknown parameter (also an account selector), a repeated one, or
 *   a value that breaks its rule.
 */
export function readEstimateQuery(
  query: URLSearchParams,
  pricing: SpritePricing,
): { readonly frames: number; readonly background: 'remove' | 'keep' } {
  for (const name of new Set(query.keys())) {
    if (name !== 'frame_count' && name !== 'background') throw invalid('query', 'frame_count and background alone')
    if (query.getAll(name).length > 1) throw invalid(name, 'one value')
  }
  const text = query.get('frame_count') ?? String(pricing.default_frames)
  const frames = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  checkFrames(pricing, 'frame_count', frames)
  const background = query.get('background') ?? 'remove'
  if (background !== 'remove' && background !== 'keep') throw invalid('background', 'remove or keep')
  return { frames, background }
}

/** @throws {Refusal} `invalid_request` unless `frames` is a number of frames that a sheet may have. */
export function checkFrames({ minimum_frames: minimum, maximum_frames: maximum }: SpritePricing, field: string, frames: number): void {
  if (!Number.isInteger(frames) || frames < minimum || frames > maximum) throw invalid(field, `an integer from ${minimum} to ${maximum}`)
}

function divideUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by
}
