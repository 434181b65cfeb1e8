import { SpritewrightError } from '../errors.ts'

/**
 * The refusal of what a person decided before something that is not so any more.
 *
 * @param shown What was decided on, in words.
 * @param outcome What has not happened, as a sentence.
 */
export function changedError(id: string, shown: string, outcome: string): SpritewrightError {
  return new SpritewrightError('SW_CHANGED', {
    message: `Expected ${shown}, for "${id}"; it has changed since. ${outcome} Check its state, and decide again.`,
    facts: { id },
  })
}
