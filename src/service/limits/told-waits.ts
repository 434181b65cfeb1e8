import type { Clock } from '../../host/clock.ts'
import type { Limiter, Limits, Release } from './limits.ts'

/** Longest wait that is not reported, in milliseconds. */
export const silentMs: number = 3_000

/**
 * Informs a person when requests wait for their own limits, at most once in a window for each limit.
 *
 * @param tell Receives a complete sentence.
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
      // Only the abort below ends this wait.
      telling(bucket, over.signal).catch(() => {})
      return limiter.take(bucket, signal).finally(() => over.abort())
    },
  }
}
