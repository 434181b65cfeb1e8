import { join } from 'node:path'
import { SpritewrightError } from '../../errors.ts'
import { replaceFile } from '../../host/publish.ts'
import type { Limiter, Release } from '../limits/limits.ts'
import { accountFolder, type SharedLimitPorts } from '../limits/shared-limits.ts'
import { silentMs } from '../limits/told-waits.ts'
import { longestRetryAfterMs, withRetryTime } from './retry.ts'

/** A kind of request that the service counts by itself. */
export type Bucket = Parameters<Limiter['take']>[0]

/** The pauses that the service asks for. */
export interface AskedPauses {
  /** Notes that a rate limit asks to send no request of a kind for some time. Never rejects. */
  note(bucket: Bucket, ms: number): Promise<void>
  /** A limiter that grants nothing in a pause: it waits for the end of a short one, and throws if it is long. */
  over(limiter: Limiter): Limiter
}

/** Times of the wall clock, in milliseconds since the Unix epoch. */
interface Pause {
  readonly at: number
  readonly until: number
}

/**
 * Keeps the pauses of one key at one service, so that the next process does not ask at once what the last one was
 * told to leave for an hour.
 *
 * @param ports Without a disk, this process alone knows them.
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
  /** Milliseconds that are left. A pause from the future is of a clock that was wrong. */
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
        // The run has been told. Only the next one has not.
      }
    },
    over: (limiter) => ({
      ...limiter,
      take: async (bucket, signal): Promise<Release> => {
        for (;;) {
          await pass(bucket, signal)
          const release = await limiter.take(bucket, signal)
          // The wait for the limits may have been long, and another request may have been told to pause.
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
