import { type ErrorCode, SpritewrightError } from '../errors.ts'
import type { PublicError } from './wire.ts'

/** The public reasons of the service's interface. */
export type PublicReason =
  | 'invalid_request'
  | 'authentication_failed'
  | 'access_denied'
  | 'resource_not_found'
  | 'insufficient_credits'
  | 'conflict'
  | 'too_many_active_jobs'
  | 'rate_limited'
  | 'quota_exceeded'
  | 'content_refused'
  | 'temporarily_unavailable'
  | 'generation_failed'
  | 'insufficient_frames'
  | 'prompt_policy_blocked'
  | 'feature_unavailable'

/** The next action for a person, one sentence for each reason. */
export const reasonAdvice: Readonly<Record<PublicReason, string>> = {
  invalid_request: 'Correct the spec as the details say, then approve it again.',
  authentication_failed: "Check the API key in the service's developer console and set it again.",
  access_denied: 'Use a key of the account that owns this, or ask that account for access.',
  resource_not_found: 'Check that the key, its mode and the service are those that this was made with.',
  insufficient_credits: 'Add credits to the account, then run the same command again.',
  conflict: 'Another submission has this key with other bytes: check sprites.lock* of the other machine; do not make a new key.',
  too_many_active_jobs: 'Wait until a running execution of this account has ended, then run the same command again.',
  rate_limited: 'Wait a minute; other programs may be using the same account.',
  quota_exceeded: "Wait until the account's quota is renewed, or raise it in the developer console.",
  content_refused: 'Change the prompt or the reference picture: the service does not make such pictures.',
  temporarily_unavailable: 'Wait a few minutes, then run the same command again.',
  generation_failed: 'Nothing was charged. Run the same command again, or change the prompt or the reference picture.',
  insufficient_frames: 'Nothing was charged. Ask for other frames, or describe the motion more plainly.',
  prompt_policy_blocked: "Change the prompt: it is against the service's policy.",
  feature_unavailable: 'This account cannot use it: ask the service to enable it, or use another key.',
}

/** The service's message without its full stop, for the middle of a sentence. */
export function clauseOf({ message }: Pick<PublicError, 'message'>): string {
  return message.replace(/\.\s*$/, '')
}

/** Advice for a reason, also for an unknown one. */
export function adviceFor(reason: string): string {
  return Object.hasOwn(reasonAdvice, reason)
    ? reasonAdvice[reason as PublicReason]
    : `This version does not know the reason "${reason.slice(0, 60)}"; the service's own words are above.`
}

/**
 * Turns a refused request into an error: 401 is `SW_KEY_REFUSED`, `feature_unavailable` is `SW_CAPABILITY`,
 * any other is `SW_REFUSED`.
 */
export function toRefusal(status: number, error: PublicError, what: string): SpritewrightError {
  const said = error.message === '' ? error.reason : `${error.reason}: ${clauseOf(error).slice(0, 500)}`
  return new SpritewrightError(codeFor(status, error.reason), {
    message: `The service refused ${what} (${said}). ${adviceFor(error.reason)}`,
    facts: { status, ...error },
  })
}

function codeFor(status: number, reason: string): ErrorCode {
  if (status === 401 || reason === 'authentication_failed') return 'SW_KEY_REFUSED'
  return reason === 'feature_unavailable' ? 'SW_CAPABILITY' : 'SW_REFUSED'
}
