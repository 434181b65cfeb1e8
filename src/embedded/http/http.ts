import type { ServedResponse } from '../../host/server.ts'
import type { Reason } from '../store/records.ts'

/** Detail of a validation failure: names of known fields and rules, never submitted values. */
export type Details = Readonly<Record<string, string | number>>

/** A refused request. The service throws it, and its edge turns it into the error envelope. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly reason: Reason
  readonly details: Details | undefined

  constructor(reason: Reason, message: string, details?: Details) {
    super(message)
    this.reason = reason
    this.details = details
  }
}

/** A refused field of a submission: its name and its rule, never its value. */
export function invalid(field: string, expected: string): Refusal {
  return new Refusal('invalid_request', `Expected ${field} as ${expected}.`, { field, expected })
}

/**
 * HTTP status, category and retryability of each reason. N10 gives those that the interface does not show.
 * The legacy code is the reason in capitals.
 */
const reasonRules: Readonly<Record<Reason, { readonly status: number; readonly category: string; readonly retryable: boolean }>> = {
  invalid_request: { status: 422, category: 'VALIDATION', retryable: false },
  authentication_failed: { status: 401, category: 'AUTHENTICATION', retryable: false },
  access_denied: { status: 403, category: 'PERMISSION', retryable: false },
  resource_not_found: { status: 404, category: 'NOT_FOUND', retryable: false },
  insufficient_credits: { status: 422, category: 'BILLING', retryable: false },
  conflict: { status: 409, category: 'CONFLICT', retryable: false },
  too_many_active_jobs: { status: 422, category: 'QUOTA', retryable: false },
  rate_limited: { status: 429, category: 'RATE_LIMITED', retryable: true },
  quota_exceeded: { status: 422, category: 'QUOTA', retryable: false },
  content_refused: { status: 422, category: 'POLICY', retryable: false },
  temporarily_unavailable: { status: 503, category: 'AVAILABILITY', retryable: true },
  generation_failed: { status: 422, category: 'GENERATION', retryable: false },
  insufficient_frames: { status: 422, category: 'GENERATION', retryable: false },
  prompt_policy_blocked: { status: 422, category: 'POLICY', retryable: false },
  feature_unavailable: { status: 403, category: 'PERMISSION', retryable: false },
}

/** Legacy uppercase code of a reason. */
export function codeOf(reason: Reason): string {
  return reason.toUpperCase()
}

/**
 * Builds the error envelope: the key `error` with six fields, `details` if there are any, and the three
 * headers of clause C27.
 */
export function toEnvelope(refusal: Refusal, requestId: string): ServedResponse {
  const rule = reasonRules[refusal.reason]
  const error = {
    code: codeOf(refusal.reason),
    reason: refusal.reason,
    message: refusal.message,
    category: rule.category,
    retryable: rule.retryable,
    request_id: requestId,
    ...(refusal.details === undefined ? {} : { details: refusal.details }),
  }
  return jsonResponse(rule.status, { error }, { 'x-request-id': requestId, 'cache-control': 'no-store', pragma: 'no-cache' })
}

/** Builds a JSON answer. */
export function jsonResponse(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): ServedResponse {
  const body = new TextEncoder().encode(JSON.stringify(value))
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': String(body.length), ...headers },
    body,
  }
}

/** Path and query of a request. A path that cannot be decoded has no segments. */
export function splitPath(path: string): { readonly segments: readonly string[]; readonly query: URLSearchParams } {
  const at = path.indexOf('?')
  const bare = at < 0 ? path : path.slice(0, at)
  return { segments: bare.split('/').slice(1), query: new URLSearchParams(at < 0 ? '' : path.slice(at + 1)) }
}
