import { hasCode, mayPass, SpritewrightError } from '../../errors.ts'
import { readPatiently } from '../../job/delivery/follow.ts'
import { readUnlessBroken } from '../../job/records/journal.ts'
import type { Submission } from '../../job/records/submission.ts'
import type { Context } from '../../project/context.ts'
import type { Session } from '../../project/session.ts'

/** The places for jobs that the account may have at work. A request has at most one of them. */
export interface Places {
  /** Runs work in the request's place. Waits for one if all are taken. */
  run<T>(hash: string, work: () => Promise<T>): Promise<T>
}

/**
 * Creates the places.
 *
 * @param most Number of places.
 * @param held Requests that have one from the beginning, until their promise is fulfilled.
 * @param signal Ends every wait for a place.
 */
export function createPlaces(most: number, held: ReadonlyMap<string, Promise<unknown>>, signal: AbortSignal): Places {
  const taken = new Map<string, number>()
  const waiting: (() => void)[] = []
  const leave = (hash: string): void => {
    const count = (taken.get(hash) ?? 1) - 1
    if (count > 0) taken.set(hash, count)
    else taken.delete(hash)
    wakeAll()
  }
  const wakeAll = (): void => {
    for (const wake of waiting.splice(0)) wake()
  }
  signal.addEventListener('abort', wakeAll, { once: true })
  const enter = async (hash: string): Promise<void> => {
    while (!taken.has(hash) && taken.size >= most) {
      signal.throwIfAborted()
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    taken.set(hash, (taken.get(hash) ?? 0) + 1)
  }
  for (const [hash, over] of held) {
    taken.set(hash, 1)
    over.then(
      () => leave(hash),
      () => {},
    )
  }
  return {
    run: async (hash, work) => {
      await enter(hash)
      try {
        return await work()
      } finally {
        leave(hash)
      }
    },
  }
}

const pollMs = 5_000
/**
 * Assumed longest duration of a job, in milliseconds. It counts if nobody can ask for its state: broken records
 * hide the execution, or the service's answer says nothing about it. The service promises no limit; jobs take
 * minutes.
 */
const longestJobMs = 30 * 60_000

/**
 * Finds the requests that an earlier worker has sent and that may still be at work at the service. The
 * promise of a request is fulfilled when the request is no longer at work, or when the service does not have it
 * any more. It is rejected only if the signal is aborted.
 *
 * A request whose records are broken may be at work. It counts for as long as a job may last, and stops nothing
 * else. So does one for which the service gives no state, for example because it refuses the key.
 *
 * @param onEvent Receives a sentence about each request whose records are broken.
 */
export async function findInFlight(
  { journal, reservations, host, options }: Pick<Context, 'journal' | 'reservations' | 'host' | 'options'>,
  { client }: Pick<Session, 'client'>,
  onEvent: (sentence: string) => void,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Promise<unknown>>> {
  const { clock } = host
  const mayRun = ({ accepted, completed, failed, stored, abandoned, sends }: Submission): boolean => {
    if (completed || failed || stored || abandoned) return false
    if (accepted) return true
    return sends.some(({ answer, at }) => answer.kind !== 'refused' && clock.wall() - at <= options.replayWindowMs)
  }
  /** Undefined if nobody can tell. */
  const isOver = async (hash: string): Promise<boolean | undefined> => {
    try {
      const view = await readUnlessBroken(journal, hash)
      if (!view) return undefined
      const { accepted } = view.submission
      if (!mayRun(view.submission)) return true
      if (!accepted) return false
      const { status } = await readPatiently(clock, () => client.execution(accepted.executionId, signal), signal)
      return status !== 'queued' && status !== 'running'
    } catch (error) {
      if (signal.aborted) throw error
      if (mayPass(error)) return false
      return error instanceof SpritewrightError && error.facts.status === 404 ? true : undefined
    }
  }
  const untilOver = async (hash: string, reservedAt: number): Promise<void> => {
    while (!((await isOver(hash)) ?? clock.wall() - reservedAt > longestJobMs)) await clock.sleep(pollMs, signal)
  }
  const found = new Map<string, Promise<unknown>>()
  for (const [hash, reservedAt] of await reservations.times()) {
    try {
      // The records on this machine are often enough. To read them needs no network.
      if ((await journal.peek(hash)).submission.stored || !mayRun((await journal.read(hash)).submission)) continue
    } catch (error) {
      if (!hasCode(error, 'SW_JOURNAL')) throw error
      onEvent(`One request is left out. ${error.message}`)
    }
    const over = untilOver(hash, reservedAt)
    // Nobody waits for it while the other requests are read.
    over.catch(() => {})
    found.set(hash, over)
  }
  return found
}
