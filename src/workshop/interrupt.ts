import { SpritewrightError } from '../errors.ts'

/** What an interruption leaves: paid work at the service, or nothing, if the work buys nothing. */
const leftWords = {
  paid: 'Paid work goes on at the service; the next run picks it up and pays nothing twice.',
  nothing: 'Nothing was bought.',
}

/** The reason for the abort of a run's signal. */
export function interruption(left: keyof typeof leftWords = 'paid', cause?: unknown): SpritewrightError {
  return new SpritewrightError('SW_INTERRUPTED', { message: `Interrupted. ${leftWords[left]}`, cause })
}

/**
 * Runs work. If its signal was aborted meanwhile, throws `SW_INTERRUPTED`, whatever error the abort caused.
 */
export async function interruptible<T>(signal: AbortSignal, left: keyof typeof leftWords, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!signal.aborted) throw error
    throw interruption(left, error)
  }
}
