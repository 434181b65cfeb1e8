/** A request as it arrives at the small service. */
export interface SmallRequest {
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** An answer of the small service. */
export interface SmallResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Status, category and retryability of the small service's refusals. */
const rules = {
  invalid_request: [422, 'VALIDATION', false],
  authentication_failed: [401, 'AUTHENTICATION', false],
  access_denied: [403, 'PERMISSION', false],
  resource_not_found: [404, 'NOT_FOUND', false],
  conflict: [409, 'CONFLICT', false],
  rate_limited: [429, 'RATE_LIMITED', true],
  temporarily_unavailable: [503, 'AVAILABILITY', true],
} as const

/** A refusal in the service's envelope. */
export function envelope(reason: keyof typeof rules, details?: Readonly<Record<string, string>>): SmallResponse {
  const [status, category, retryable] = rules[reason]
  const requestId = 'f0000000-0000-4000-8000-000000000000'
  const error = { code: reason.toUpperCase(), reason, message: 'Refused.', category, retryable, request_id: requestId }
  return json(status, { error: details ? { ...error, details } : error })
}

/** A 422 that names a field. */
export function invalid(field: string, more: Readonly<Record<string, string>> = {}): SmallResponse {
  return envelope('invalid_request', { field, ...more })
}

/** A 409 for a key that is known with other bytes. */
export function conflict(): SmallResponse {
  return envelope('conflict', { field: 'Idempotency-Key' })
}

/** A JSON answer. */
export function json(status: number, value: object): SmallResponse {
  return binary(status, 'application/json; charset=utf-8', Buffer.from(JSON.stringify(value)))
}

/** An answer of bytes. */
export function binary(status: number, contentType: string, body: Uint8Array): SmallResponse {
  return { status, headers: { 'content-type': contentType, 'content-length': String(body.length) }, body }
}
