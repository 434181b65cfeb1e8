import type { ServedResponse } from '../../host/server.ts'
import { type Reason, reasonRules } from '../reasons.ts'

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

/**
 * A refused field of a request: its name and its rule, never its value.
 *
 * @param rule The rule for programs.
 */
export function invalid(field: string, expected: string, rule: Details = { expected }): Refusal {
  return new Refusal('invalid_request', `Expected ${field} as ${expected}.`, { field, ...rule })
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
