import { type Assertion, SpritewrightError, type TouchAnswer, type TouchChallenge, type Workshop } from '../../../src/index.ts'

/** Asks the person at the page for a touch. */
export type AskTouch = (challenge: TouchChallenge) => Promise<TouchAnswer>

/** How long the page has for an answer, in milliseconds. */
const patienceMs = 120_000

/**
 * Keeps an approval that waits for a touch, between the request that begins it and the one that brings the answer of
 * the authenticator. A second approval ends the wait of the first.
 *
 * @param originOf The only origin at which a touch counts.
 * @param closing Ends every wait.
 */
export function createTouching({ clock }: Pick<Workshop['host'], 'clock'>, originOf: () => string, closing: AbortSignal) {
  let open: { readonly answer: (assertion: Assertion | undefined) => void; readonly done: Promise<void> } | undefined
  return {
    /** Starts an approval. Returns its challenge, or `undefined` once an approval without a touch is written. */
    begin: async (approve: (ask: AskTouch) => Promise<void>): Promise<TouchChallenge | undefined> => {
      let show: (challenge: TouchChallenge) => void = () => {}
      const asked = new Promise<TouchChallenge>((resolve) => {
        show = resolve
      })
      const ask: AskTouch = (challenge) =>
        new Promise((resolve, reject) => {
          open?.answer(undefined)
          const end = new AbortController()
          const answer = (assertion: Assertion | undefined): void => {
            if (assertion && !closing.aborted) resolve({ assertion, origin: originOf() })
            else reject(noTouch())
            end.abort()
          }
          const giveUp = (): void => answer(undefined)
          clock.sleep(patienceMs, AbortSignal.any([end.signal, closing])).then(giveUp, giveUp)
          open = { answer, done }
          show(challenge)
        })
      // It asks after `done` is known.
      const done = Promise.resolve().then(() => approve(ask))
      // Nobody waits for it any more when the wait ends without a touch.
      done.catch(() => {})
      return Promise.race([asked, done.then(() => undefined)])
    },
    /**
     * Brings the answer. Resolves when the approval is written.
     *
     * @throws `SW_CHANGED` if no approval waits, and the errors of `approve`.
     */
    answer: async (assertion: Assertion): Promise<void> => {
      const now = open
      open = undefined
      if (!now) throw noTouch()
      now.answer(assertion)
      await now.done
    },
  }
}

function noTouch(): SpritewrightError {
  return new SpritewrightError('SW_CHANGED', {
    message: 'Expected a touch within two minutes, for the last approval that was begun; found none. Nothing was approved. Approve again.',
  })
}
