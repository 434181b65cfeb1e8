import { SpritewrightError } from '../errors.ts'

/** The reason that a run's signal is aborted with. */
export function interruption(): SpritewrightError {
  return new SpritewrightError('SW_INTERRUPTED', {
    message: 'Interrupted. Paid work goes on at the service; the next run picks it up and pays nothing twice.',
  })
}

/** Runs work and, where its signal was aborted meanwhile, ends with `SW_INTERRUPTED` whatever the abort broke. */
export async function interruptible<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) throw interruption()
    throw error
  }
}
