import type { Clock } from './clock.ts'

/**
 * Created once, because an abort without a reason creates an error with a stack trace each time, which takes
 * more time than most requests.
 */
const ended = new Error('The work has ended.')

/**
 * Runs `work` under a signal that is aborted with the caller's signal, or after `ms` milliseconds with an
 * timeout error. A service that sends a byte now and then passes every silence timeout, but not this deadline.
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController()
  const done = new AbortController()
  const onAbort = (): void => over.abort(signal?.reason)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  clock.sleep(ms, done.signal).then(
    () => over.abort(new Error(`no whole answer within ${ms / 1000} seconds`)),
    () => {},
  )
  try {
    return await work(over.signal)
  } finally {
    signal?.removeEventListener('abort', onAbort)
    done.abort(ended)
  }
}
