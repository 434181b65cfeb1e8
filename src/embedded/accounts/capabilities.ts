import { formatCredits, parseCredits } from '../../credit/credits.ts'
import type { ResolvedEmbeddedOptions } from '../options/options.ts'
import { priceOf, type SpritePricing } from '../options/pricing.ts'
import { operations } from '../store/records.ts'
import type { Caller } from './accounts.ts'

/** File endings of pictures that may be uploaded, by media type. */
export const inputTypes = { 'image/png': ['png'], 'image/jpeg': ['jpg', 'jpeg'], 'image/webp': ['webp'] }

/** `GET /v1/capabilities`: the limits and operations that apply to this key. */
export function capabilitiesOf(
  { key, account }: Caller,
  options: ResolvedEmbeddedOptions,
  pricing: SpritePricing,
): Readonly<Record<string, unknown>> {
  return {
    api_version: '1',
    key_mode: key.mode,
    operations: operations.filter((operation) => account.operations.includes(operation)),
    managed_execute: true,
    server_sent_events: true,
    interactive_questions: true,
    maximum_input_bytes: options.maximumInputBytes,
    maximum_input_dimension: options.maximumInputDimension,
    staged_input_uploads: true,
    maximum_source_input_bytes: options.maximumInputBytes,
    supported_input_extensions: Object.values(inputTypes).flat(),
    // The interface requires JSON numbers for these two. They have the digits of the exact text.
    live_charge_credits_per_image: JSON.parse(formatCredits(parseCredits(options.imageCredits))) as number,
    sprite_sheet_credits: JSON.parse(formatCredits(priceOf(pricing, pricing.default_frames, 'remove'))) as number,
    sprite_pricing: pricing,
    test_mode_uses_credits: true,
  }
}
