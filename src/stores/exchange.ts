import { hasCode } from '../errors.ts'
import type { Clock } from '../host/clock.ts'
import { withDeadline } from '../host/deadline.ts'
import { type Net, type NetRequest, readBody } from '../host/net.ts'
import type { Random } from '../host/random.ts'

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** Bounds of one request. */
export interface Bounds {
  /** Longest time for the whole answer, in milliseconds. */
  readonly timeoutMs: number
  /** Longest body, in bytes. */
  readonly maximumBytes: number
}

/** Bounds of a record, and of an answer without a body: a few kilobytes, for which a purchase waits. */
export const recordBounds: Bounds = { timeoutMs: 20_000, maximumBytes: 2 ** 20 }
/** Bounds of a page of a listing: at most 1,000 names. */
export const listBounds: Bounds = { timeoutMs: 60_000, maximumBytes: 2 ** 23 }
/** Bounds of a result. */
export const blobBounds: Bounds = { timeoutMs: 300_000, maximumBytes: 2 ** 30 }

/** Sends one request and reads its whole answer. Rejects if the answer does not come in time. */
export function exchange({ clock, net }: { clock: Clock; net: Net }, request: NetRequest, bounds: Bounds): Promise<Answer> {
  return withDeadline(clock, bounds.timeoutMs, undefined, async (signal) => {
    const response = await net.request({ ...request, signal })
    return { status: response.status, headers: response.headers, bytes: await readBody(response, bounds.maximumBytes) }
  })
}

/** Total number of tries of a call. */
const mostTries = 4
/** Longest wait after the first failure, in milliseconds. The wait doubles with each failure. */
const firstPauseMs = 200

/**
 * Runs a repeatable call, and repeats it after each temporary failure. The waits have jitter, so that many machines
 * do not repeat at the same time.
 */
export async function withTries<T>({ clock, random }: { clock: Clock; random: Random }, call: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await call()
    } catch (error) {
      if (number === mostTries || !hasCode(error, 'SW_STORE') || error.facts.mayPass !== true) throw error
    }
    const longestMs = firstPauseMs * 2 ** (number - 1)
    await clock.sleep(longestMs / 2 + (random.unit() * longestMs) / 2)
  }
}

/** Pauses before an answer is read again that contradicts a known write, in milliseconds. */
const settlingMs = [250, 500, 1000, 2000, 4000]

/**
 * Reads, and reads again while the answer contradicts what is known: a store may show a write some seconds late, or
 * half of it. Returns the last answer.
 *
 * @param isStale Whether the store must have something else.
 */
export async function readSettled<T>(clock: Pick<Clock, 'sleep'>, read: () => Promise<T>, isStale: (found: T) => boolean): Promise<T> {
  let found = await read()
  for (const ms of settlingMs) {
    if (!isStale(found)) break
    await clock.sleep(ms)
    found = await read()
  }
  return found
}

/** Whether two byte arrays are equal. */
export function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
