import { join } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import { replaceFile } from '../../host/publish.ts'
import type { Limiter, Release } from '../limits/limits.ts'
import { accountFolder, type SharedLimitPorts } from '../limits/shared-limits.ts'
import { silentMs } from '../limits/told-waits.ts'
import { longestRetryAfterMs, withRetryTime } from './retry.ts'

/** A kind of request with a separate rate limit. */
export type Bucket = Parameters<Limiter['take']>[0]

/** The pauses that the service requests by `Retry-After`. */
export interface AskedPauses {
  /** Records that no request of a kind may be sent for `ms` milliseconds. Never rejects. */
  note(bucket: Bucket, ms: number): Promise<void>
  /** A limiter that grants nothing in a pause: it waits for the end of a short pause, and throws for a long one. */
  over(limiter: Limiter): Limiter
}

/** Times of the wall clock, in milliseconds since the Unix epoch. */
interface Pause {
  readonly at: number
  readonly until: number
}

/**
 * Stores the pauses of one key at one service, so that the next process respects a pause that the service
 * requested from an earlier process.
 *
 * @param ports Without a disk, only this process knows the pauses.
 * @param folder As for `createSharedLimiter`.
 */
export function createAskedPauses(
  ports: Pick<SharedLimitPorts, 'clock' | 'random'> & { readonly disk?: SharedLimitPorts['disk'] | undefined },
  folder: string | undefined,
  account: { readonly baseUrl: string; readonly key: string },
): AskedPauses {
  const { clock, random, disk } = ports
  const known = new Map<Bucket, Pause>()
  let opened: string | undefined
  const fileOf = async (bucket: Bucket): Promise<string | undefined> => {
    if (!disk || folder === undefined) return undefined
    opened ??= await accountFolder({ disk, random }, folder, account)
    return join(opened, `pause-${bucket}`)
  }
  const read = async (bucket: Bucket): Promise<Pause | undefined> => {
    const own = known.get(bucket)
    try {
      const file = await fileOf(bucket)
      const text = file === undefined ? undefined : new TextDecoder().decode(await disk?.read(file))
      const shared = text ? (JSON.parse(text) as Pause) : undefined
      return shared && shared.until > (own?.until ?? 0) ? shared : own
    } catch {
      return own
    }
  }
  /** Milliseconds that are left. A pause with a start in the future comes from a wrong clock, and does not count. */
  const leftMs = (pause: Pause | undefined): number => {
    const now = clock.wall()
    return pause && pause.at <= now ? Math.max(0, pause.until - now) : 0
  }
  const pass = async (bucket: Bucket, signal: AbortSignal | undefined): Promise<void> => {
    const left = leftMs(await read(bucket))
    if (left > longestRetryAfterMs) throw pauseError(left, clock.wall())
    if (left > 0) await clock.sleep(left, signal)
  }
  return {
    note: async (bucket, ms) => {
      if (ms < silentMs) return
      const at = clock.wall()
      const pause: Pause = { at, until: at + ms }
      known.set(bucket, pause)
      try {
        const file = await fileOf(bucket)
        if (file !== undefined && disk) await replaceFile(disk, random, file, new TextEncoder().encode(JSON.stringify(pause)))
      } catch {
        // This run already knows the pause. Only the next run will not.
      }
    },
    over: (limiter) => ({
      ...limiter,
      take: async (bucket, signal): Promise<Release> => {
        for (;;) {
          await pass(bucket, signal)
          const release = await limiter.take(bucket, signal)
          // The wait for the limits may have been long, and another request may have caused a pause meanwhile.
          if (leftMs(await read(bucket)) === 0) return release
          release()
        }
      },
    }),
  }
}

function pauseError(leftMs: number, wallMs: number): SpritewrightError {
  const error = new SpritewrightError('SW_REFUSED', {
    message: "This request was not sent: the service's rate limit was reached before.",
    facts: { status: 429, reason: 'rate_limited', retryable: true, requestId: null, details: null },
  })
  return withRetryTime(error, leftMs, wallMs)
}
