import type { Clock } from '../../host/clock.ts'

/**
 * Waits for work, and goes on without it if it takes too long. The work itself goes on.
 *
 * @param ms Longest wait, in milliseconds.
 * @param onLate Returns what counts then, or throws.
 */
export async function waitFor<T>(clock: Clock, ms: number, work: Promise<T>, onLate: () => T, signal: AbortSignal): Promise<T> {
  const over = new AbortController()
  const late = clock.sleep(ms, AbortSignal.any([over.signal, signal])).then(onLate)
  return Promise.race([work, late]).finally(() => over.abort())
}
