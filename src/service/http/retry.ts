import { SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'
import type { Random } from '../../host/random.ts'

/** Why a try of a free request failed. */
export type Fault =
  /** No answer, a truncated body, or a 5xx without the service's envelope. */
  | { readonly kind: 'transport'; readonly retryAfterMs?: number | null }
  /** The service's own answer. Its `retryable` decides, for every HTTP status. */
  | { readonly kind: 'answer'; readonly status: number; readonly retryable: boolean; readonly retryAfterMs: number | null }

/** The numbers of the retry rules. Times are in milliseconds. */
const retryRules: Readonly<{
  transport: { tries: number; baseMs: number; capMs: number }
  rateLimit: { tries: number; baseMs: number; capMs: number }
}> = {
  /** Also for a retryable envelope that is not a rate limit. */
  transport: { tries: 5, baseMs: 500, capMs: 8_000 },
  /** The shortest waits of eight tries add up to more than one window of 60 s. */
  rateLimit: { tries: 8, baseMs: 2_000, capMs: 60_000 },
}

/**
 * Longest `Retry-After` that a run waits, in milliseconds. It is below the replay window, so that a submission
 * can still be repeated after the wait. If the service asks for a longer wait, the run ends with the time for
 * the next try.
 */
export const longestRetryAfterMs: number = 5 * 60_000

/**
 * Whether a status without the service's envelope comes from a gateway and may be temporary: any 5xx, 408, 421 and
 * 425.
 */
export function isGatewayStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 421 || status === 425
}

/** The three forms of a date in HTTP (RFC 9110, 5.6.7). The last form names no zone, and means GMT. */
const httpDate =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/
/** Longest `Retry-After` that counts, in seconds: a day. A longer `Retry-After` counts as a day. */
const longestSeconds = 86_400

/**
 * `Retry-After` (RFC 9110, 10.2.3) in milliseconds, at most a day; null if it is missing or neither seconds nor a date.
 * A fraction of a second counts as a second. A date is compared with the `Date` of the same answer, because the clock
 * here may be wrong.
 *
 * @param wallMs Counts if the answer has no `Date`. Milliseconds since the Unix epoch.
 */
export function readRetryAfter(headers: Readonly<Record<string, string>>, wallMs: number): number | null {
  const text = (headers['retry-after'] ?? '').trim()
  const seconds = /^\d+(?:\.\d+)?$/.test(text)
    ? Math.ceil(Number(text))
    : Math.max(0, readHttpDate(text) - (readHttpDate(headers.date) || wallMs)) / 1000
  return Number.isNaN(seconds) ? null : Math.min(seconds, longestSeconds) * 1000
}

/** Milliseconds since the Unix epoch; NaN if the text is not a date of HTTP. */
function readHttpDate(text = ''): number {
  return httpDate.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN
}

/** Adds the time for the next try to an error. Without a `Retry-After` the error is returned unchanged. */
export function withRetryTime(error: SpritewrightError, retryAfterMs: number | null, wallMs: number): SpritewrightError {
  if (retryAfterMs === null) return error
  const at = new Date(wallMs + retryAfterMs).toISOString()
  return new SpritewrightError(error.code, {
    message: `${error.message} The service asks not to try again before ${at.slice(0, 19)}Z.`,
    facts: { ...error.facts, retryAt: at },
    cause: error,
  })
}

/**
 * Returns the wait before the next try of a FREE request. Paid requests are never retried here.
 *
 * Faults of transport use full jitter. A 429 uses equal jitter, because full jitter may wait almost nothing
 * against limits of a minute. A `Retry-After` is respected, unless it is longer than {@link longestRetryAfterMs}.
 *
 * @param tries Tries made so far, at least 1.
 * @param unit A random number from 0 to 1.
 * @returns Milliseconds, or null to stop.
 */
export function retryWaitMs(fault: Fault, tries: number, unit: number): number | null {
  if (fault.kind === 'answer' && !fault.retryable) return null
  const isRateLimit = fault.kind === 'answer' && fault.status === 429
  const rule = isRateLimit ? retryRules.rateLimit : retryRules.transport
  if (tries >= rule.tries) return null
  const { retryAfterMs } = fault
  if (retryAfterMs != null) return retryAfterMs > longestRetryAfterMs ? null : retryAfterMs + unit * rule.baseMs
  const ceiling = Math.min(rule.capMs, rule.baseMs * 2 ** (tries - 1))
  return isRateLimit ? ceiling / 2 + (ceiling / 2) * unit : ceiling * unit
}

/**
 * Limits the retries of one client, so that a service in trouble is not flooded. Each retry takes a token,
 * and each success gives one back.
 */
export interface RetryBudget {
  /** Takes a token. Returns false if none is left. */
  take(): boolean
  giveBack(): void
}

/** Most retries in a row without a success. */
const mostTokens = 60

/** Creates a full budget. */
export function createRetryBudget(): RetryBudget {
  let left = mostTokens
  return {
    take: () => left > 0 && left-- > 0,
    giveBack: () => {
      left = Math.min(mostTokens, left + 1)
    },
  }
}

/** The result of one try. A failure without a `fault` is never retried. */
export type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: SpritewrightError; readonly fault: Fault | null }

/** The ports and the budget that {@link retrying} needs. */
export interface RetryTools {
  readonly clock: Clock
  readonly random: Random
  readonly budget: RetryBudget
  /** Called before each wait. */
  readonly onPause?: (waitMs: number, fault: Fault) => void
}

/**
 * Tries until a success, or until the rules or the budget stop it. Then it throws the error of the last try.
 */
export async function retrying<T>(tools: RetryTools, attempt: () => Promise<Attempt<T>>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    const result = await attempt()
    if (result.kind === 'done') {
      tools.budget.giveBack()
      return result.value
    }
    const waitMs = result.fault === null ? null : retryWaitMs(result.fault, tries, tools.random.unit())
    if (waitMs === null || !tools.budget.take()) throw result.error
    if (result.fault !== null) tools.onPause?.(waitMs, result.fault)
    await tools.clock.sleep(waitMs, signal)
  }
}
