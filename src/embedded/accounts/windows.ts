import type { Clock } from '../../host/clock.ts'
import { Refusal } from '../http/http.ts'
import type { EmbeddedLimits } from '../options/options.ts'
import type { Caller } from './accounts.ts'

/** The kinds of request, each with a limit of its own. */
export type Bucket = 'post' | 'get' | 'download'

/** Sliding windows over requests, per key and per account. A restart empties them. */
export type Windows = ReturnType<typeof createWindows>

/** Creates windows over a clock's steady time. */
export function createWindows(clock: Clock, limits: EmbeddedLimits) {
  const entries = new Map<string, number[]>()
  return {
    /**
     * Counts a request for its key and for its account. A refused request counts for neither.
     *
     * @throws {Refusal} `rate_limited` if one of the two windows is full.
     */
    enter: (bucket: Bucket, { key, account }: Caller): void => {
      const now = clock.mono()
      const scopes = [`${bucket} key ${key.hash}`, `${bucket} account ${account.id}`].map((scope) => {
        // A request leaves the window when its age equals the length of the window.
        const recent = (entries.get(scope) ?? []).filter((at) => now - at < limits.windowMs)
        entries.set(scope, recent)
        return recent
      })
      if (scopes.some((recent) => recent.length >= limits[bucket])) throw rateLimited()
      if (limits[bucket] !== Number.POSITIVE_INFINITY) for (const recent of scopes) recent.push(now)
    },
  }
}

/** The 429 of the interface. */
export function rateLimited(): Refusal {
  return new Refusal('rate_limited', 'Too many requests. Wait, then send the same request again.')
}
