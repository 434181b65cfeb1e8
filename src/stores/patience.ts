import { hasCode } from '../errors.ts'
import type { Clock } from '../host/clock.ts'
import type { Random } from '../host/random.ts'

/** Runs a call of a store, and repeats it while its failure may pass. Rejects with the failure of the last try. */
export type Patiently = <T>(call: () => Promise<T>) => Promise<T>

/** The waits of a run for shared stores. */
export interface Patience {
  /** Longest wait of one call, in milliseconds; missing without patience. */
  readonly longestMs?: number
  /** Why the run waits now: a clause for each store that does not answer. */
  readonly reasons: ReadonlyMap<string, string>
  /**
   * Returns the waits for one store.
   *
   * @param address Without credentials, for messages.
   */
  of(address: string): Patiently
}

/** How a run waits. */
export interface PatienceInit {
  readonly clock: Clock
  readonly random: Random
  /** Longest wait of one call, in milliseconds. */
  readonly longestMs: number
  /** Ends all waits at once. The calls then fail as without patience. */
  readonly signal: AbortSignal
  /** Receives one sentence when a wait begins, and one when the store answers again. */
  readonly onWait: (sentence: string) => void
}

/** Longest pauses before the second try and between later ones, in milliseconds. The pauses have jitter. */
const firstPauseMs = 500
const longestPauseMs = 5_000

/**
 * Creates the waits of a run. After a store has used up the patience, its calls fail without a wait for as long
 * again, because thousands of results may be missing.
 */
export function createPatience({ clock, random, longestMs, signal, onWait }: PatienceInit): Patience {
  const reasons = new Map<string, string>()
  const of = (address: string): Patiently => {
    let spentAt = Number.NEGATIVE_INFINITY
    /** Checks whether a failed call is tried again. The person is told of a wait once. */
    const mayWait = (error: unknown, begun: number): boolean => {
      if (!hasCode(error, 'SW_STORE') || error.facts.mayPass !== true || signal.aborted) return false
      if (clock.mono() - spentAt < longestMs) return false
      if (clock.mono() - begun >= longestMs) {
        spentAt = clock.mono()
        reasons.delete(address)
        return false
      }
      const why = `the shared store ${address} does not answer: ${String(error.facts.found)}`
      if (!reasons.has(address)) onWait(`Waiting, because ${why}. This run tries again for at most ${Math.ceil(longestMs / 60_000)} min.`)
      reasons.set(address, why)
      return true
    }
    return async (call) => {
      const begun = clock.mono()
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        try {
          const answer = await call()
          if (reasons.delete(address)) onWait(`The shared store ${address} answers again. The run goes on.`)
          return answer
        } catch (error) {
          if (!mayWait(error, begun)) throw error
        }
        // An interruption gets one more try.
        await clock.sleep(pauseMs / 2 + (random.unit() * pauseMs) / 2, signal).catch(() => {})
      }
    }
  }
  return { longestMs, reasons, of }
}

/** No waits: each call is tried once. */
export const noPatience: Patience = { reasons: new Map(), of: () => (call) => call() }
