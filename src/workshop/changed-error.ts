import { SpritewrightError } from '../errors.ts'

/**
 * The error for a decision about something that has changed since it was shown.
 *
 * @param shown What was shown, in words.
 * @param outcome What did not happen, as a sentence.
 */
export function changedError(id: string, shown: string, outcome: string): SpritewrightError {
  return new SpritewrightError('SW_CHANGED', {
    message: `Expected ${shown}, for "${id}"; it has changed since. ${outcome} Check its state, and decide again.`,
    facts: { id },
  })
}
