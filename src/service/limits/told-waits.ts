import type { Clock } from '../../host/clock.ts'
import type { Limiter, Limits, Release } from './limits.ts'

/** How long a request waits in silence, in milliseconds. Shorter waits are no news. */
export const silentMs: number = 3_000

/**
 * Tells a person when requests wait for their own limits, each limit at most once in a window.
 *
 * @param tell Receives a whole sentence.
 */
export function tellWaits(limiter: Limiter, clock: Clock, limits: Limits, tell: (sentence: string) => void): Limiter {
  const toldAt = new Map<string, number>()
  const telling = async (bucket: 'post' | 'get' | 'download', isOver: AbortSignal): Promise<void> => {
    await clock.sleep(silentMs, isOver)
    const now = clock.mono()
    if (now - (toldAt.get(bucket) ?? Number.NEGATIVE_INFINITY) < limits.windowMs) return
    toldAt.set(bucket, now)
    const allowed = `${limits[bucket]} ${bucket === 'download' ? 'downloads' : `${bucket.toUpperCase()} requests`}`
    tell(
      `Waiting: the service allows ${allowed} in ${limits.windowMs / 1000} s, and they are used up, here or by another of your processes.`,
    )
  }
  return {
    ...limiter,
    take: async (bucket, signal): Promise<Release> => {
      const over = new AbortController()
      // Only the abort below ends it.
      telling(bucket, over.signal).catch(() => {})
      return limiter.take(bucket, signal).finally(() => over.abort())
    },
  }
}
