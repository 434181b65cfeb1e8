import type { Clock } from '../../host/clock.ts'
import { Refusal } from '../http/http.ts'
import type { EmbeddedLimits } from '../options/options.ts'
import type { Caller } from './accounts.ts'

/** The kinds of request that are counted apart. */
export type Bucket = 'post' | 'get' | 'download'

/** Sliding windows over requests, per key and per account. They are not kept over a restart. */
export interface Windows {
  /** Counts a request in both scopes. @throws {Refusal} `rate_limited` where either is full; a refused request counts in neither. */
  enter(bucket: Bucket, caller: Caller): void
}

/** Windows over a clock's steady time. */
export function createWindows(clock: Clock, limits: EmbeddedLimits): Windows {
  const entries = new Map<string, number[]>()
  return {
    enter: (bucket, { key, account }) => {
      const now = clock.mono()
      const scopes = [`${bucket} key ${key.hash}`, `${bucket} account ${account.id}`].map((scope) => {
        // A request leaves the window when it is as old as the window is long.
        const recent = (entries.get(scope) ?? []).filter((at) => now - at < limits.windowMs)
        entries.set(scope, recent)
        return recent
      })
      if (scopes.some((recent) => recent.length >= limits[bucket])) throw rateLimited()
      if (limits[bucket] !== Number.POSITIVE_INFINITY) for (const recent of scopes) recent.push(now)
    },
  }
}

/** A 429, as the interface words it. */
export function rateLimited(): Refusal {
  return new Refusal('rate_limited', 'Too many requests. Wait, then send the same request again.')
}
