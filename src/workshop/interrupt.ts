import { SpritewrightError } from '../errors.ts'

/** The reason for the abort of a run's signal. */
export function interruption(): SpritewrightError {
  return new SpritewrightError('SW_INTERRUPTED', {
    message: 'Interrupted. Paid work goes on at the service; the next run picks it up and pays nothing twice.',
  })
}

/**
 * Runs work. If its signal was aborted meanwhile, throws `SW_INTERRUPTED`, whatever error the abort caused.
 */
export async function interruptible<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) throw interruption()
    throw error
  }
}
