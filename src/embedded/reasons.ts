/**
 * The public error reasons of the interface, in its order: HTTP status, category and retryability of each. N10
 * gives those that the interface does not show. The legacy code is the reason in capitals.
 */
export const reasonRules = {
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
} as const

/** A name of {@link reasonRules}. */
export type Reason = keyof typeof reasonRules

/** All reasons, in the interface's order. */
export const reasons: readonly Reason[] = Object.keys(reasonRules) as Reason[]
