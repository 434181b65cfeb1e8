/** A kind of value in a record of the interface. */
export type FieldKind = 'string' | 'boolean' | 'integer' | 'number' | 'strings' | 'integers' | 'objects' | 'object'

/** The fields of a record, with the kinds that the interface shows. */
export type RecordFields = Readonly<Record<string, FieldKind>>

const pricing: RecordFields = {
  minimum_frames: 'number',
  maximum_frames: 'number',
  default_frames: 'number',
  tier_boundary: 'number',
  first_tier_cents: 'number',
  additional_frame_cents: 'number',
  credit_cents: 'number',
  charge_rounding: 'string',
  plain_frame_cents: 'number',
}

/** Names of the records that the interface shows. */
export type RecordName =
  | 'capabilities'
  | 'sprite_pricing'
  | 'estimate'
  | 'execution'
  | 'image_job'
  | 'finished_asset'
  | 'frame_review'
  | 'question'
  | 'cancel_result'
  | 'error'

/** The records that the interface shows, by name. The profile covers all others. */
export const records: Readonly<Record<RecordName, RecordFields>> = {
  capabilities: {
    api_version: 'string',
    key_mode: 'string',
    operations: 'strings',
    managed_execute: 'boolean',
    server_sent_events: 'boolean',
    interactive_questions: 'boolean',
    maximum_input_bytes: 'integer',
    maximum_input_dimension: 'integer',
    staged_input_uploads: 'boolean',
    maximum_source_input_bytes: 'integer',
    supported_input_extensions: 'strings',
    live_charge_credits_per_image: 'number',
    sprite_sheet_credits: 'number',
    sprite_pricing: 'object',
    test_mode_uses_credits: 'boolean',
  },
  sprite_pricing: pricing,
  estimate: {
    price_version: 'string',
    frame_count: 'integer',
    background: 'string',
    credits: 'string',
    reference_usd: 'string',
    reference_credit_cents: 'integer',
    binding: 'boolean',
  },
  execution: {
    execution_id: 'string',
    conversation_id: 'string',
    status: 'string',
    image_job: 'object',
    question: 'object',
    error: 'object',
  },
  image_job: { public_job_id: 'string', status: 'string', finished_assets: 'objects', sanitized_error: 'object', frame_review: 'object' },
  finished_asset: { asset_id: 'string', download_url: 'string', content_type: 'string', width: 'integer', height: 'integer' },
  frame_review: {
    frame_count: 'integer',
    background: 'string',
    kept_background_frames: 'integers',
    inspection_frames: 'integers',
    source_shifted_frames: 'integers',
  },
  question: { question_id: 'string', text: 'string', requires_asset: 'boolean' },
  cancel_result: { execution_id: 'string', conversation_id: 'string', status: 'string' },
  error: { code: 'string', reason: 'string', message: 'string', category: 'string', retryable: 'boolean', request_id: 'string' },
}

/** The statuses of an execution. */
export const statuses: readonly string[] = ['needs_input', 'queued', 'running', 'completed', 'failed', 'cancelled']
/** The kinds of events. */
export const eventKinds: readonly string[] = ['started', 'thinking', 'progress', 'job', 'question', 'asset', 'done']
/** The operations that the interface shows. */
export const operations: readonly string[] = ['text_to_image', 'image_to_image', 'background_remove', 'upscale', 'sprite_sheet']
/** The version of the sprite price. */
export const priceVersion: string = 'sprite-base-frame-20261017-v1'

/**
 * Returns complaints about fields of a wrong kind. A missing or null field is no complaint, because the
 * interface does not say which fields are always present.
 */
export function wrongKinds(value: unknown, fields: RecordFields, name: string): string[] {
  if (!isRecord(value)) return [`Expected ${name} as an object, found ${kindOf(value)}`]
  return Object.entries(fields).flatMap(([field, kind]) => {
    const found = value[field]
    if (found === undefined || found === null || isOfKind(found, kind)) return []
    return [`Expected ${name}.${field} as ${kindWords[kind]}, found ${kindOf(found)}`]
  })
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is a UUID in its usual form. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
}

/** The kind of a JSON value, never the value itself. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return { object: 'an object', string: 'a text', number: 'a number', boolean: 'a boolean' }[typeof value as string] ?? typeof value
}

const kindWords: Readonly<Record<FieldKind, string>> = {
  string: 'a text',
  boolean: 'a boolean',
  integer: 'an integer',
  number: 'a number',
  strings: 'a list of texts',
  integers: 'a list of integers',
  objects: 'a list of objects',
  object: 'an object',
}

function isOfKind(value: unknown, kind: FieldKind): boolean {
  const every = (test: (one: unknown) => boolean): boolean => Array.isArray(value) && value.every(test)
  switch (kind) {
    case 'integer':
      return Number.isInteger(value)
    case 'strings':
      return every((one) => typeof one === 'string')
    case 'integers':
      return every((one) => Number.isInteger(one))
    case 'objects':
      return every(isRecord)
    case 'object':
      return isRecord(value)
    default:
      return typeof value === kind
  }
}
