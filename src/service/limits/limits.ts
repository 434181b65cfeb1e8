import { SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'

/** Limits that this process keeps towards the service. */
export interface Limits {
  /**
   * Length of the sliding window in milliseconds.
   *
   * @default 60000
   */
  readonly windowMs: number
  /**
   * POST requests in a window.
   *
   * @default 10
   */
  readonly post: number
  /**
   * GET requests in a window, except downloads.
   *
   * @default 120
   */
  readonly get: number
  /**
   * Asset downloads in a window.
   *
   * @default 20
   */
  readonly download: number
  /**
   * Open event streams.
   *
   * @default 4
   */
  readonly streams: number
}

/** The limits of the service's interface. */
export const defaultLimits: Limits = { windowMs: 60_000, post: 10, get: 120, download: 20, streams: 4 }

/**
 * Wait between two status reads of an execution, in milliseconds. The reads use a quarter of a window's GET
 * requests.
 */
export const statusPollMs: number = 2_000

/** Releases a slot. Further calls do nothing. */
export interface Release {
  (): void
  /**
   * Aborted if a slot that is shared with other processes was lost, because this process was suspended for
   * too long. Its holder must stop using the slot.
   */
  readonly lost?: AbortSignal
}

/**
 * Keeps a client inside the service's limits, in order of arrival. Rejects with the signal's reason on abort.
 */
export interface Limiter {
  /**
   * Waits for a slot. The slot stays taken until its release, when the answer has arrived, and for one more
   * window.
   *
   * The service counts a request when the request arrives, which is after the slot was taken and before the
   * answer. So no delay in the network can exceed the limit in a window of the service.
   */
  take(bucket: 'post' | 'get' | 'download', signal?: AbortSignal): Promise<Release>
  /** Waits until fewer than the allowed streams are open. */
  openStream(signal?: AbortSignal): Promise<Release>
  /**
   * Resolves when the releases of this process are written. A failed write is not repeated; its slot expires.
   */
  settled(): Promise<void>
}

/**
 * Adds the defaults to the limits.
 *
 * @throws `SW_CONFIG` for a limit that is not a whole number above 0.
 */
export function resolveLimits(limits: Partial<Limits> = {}): Limits {
  const all: Limits = { ...defaultLimits, ...limits }
  for (const [name, value] of Object.entries(all)) {
    if (Number.isInteger(value) && value >= 1) continue
    throw new SpritewrightError('SW_CONFIG', {
      message: `Expected the limit "${name}" as a whole number from 1, found ${value}. Correct service.limits.`,
      facts: { option: `service.limits.${name}`, found: value },
    })
  }
  return all
}

/**
 * The limits of this process alone.
 *
 * @throws `SW_CONFIG` like {@link resolveLimits}.
 */
export function createLimiter(clock: Clock, limits: Partial<Limits> = {}): Limiter {
  const all = resolveLimits(limits)
  const buckets = {
    post: new Slots(clock, all.post, all.windowMs),
    get: new Slots(clock, all.get, all.windowMs),
    download: new Slots(clock, all.download, all.windowMs),
  }
  const streams = new Slots(clock, all.streams, 0)
  return { take: (bucket, signal) => buckets[bucket].take(signal), openStream: (signal) => streams.take(signal), settled: async () => {} }
}

/** A number of slots. A released slot rests before it is free again. */
class Slots {
  readonly #clock: Clock
  readonly #count: number
  readonly #restMs: number
  #inUse = 0
  /** The times at which resting slots are free again, by `mono`, in order of their release. */
  #resting: number[] = []
  #waiting: (() => void)[] = []
  #timer: AbortController | null = null

  constructor(clock: Clock, count: number, restMs: number) {
    this.#clock = clock
    this.#count = count
    this.#restMs = restMs
  }

  take(signal?: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const grant = (): void => {
        signal?.removeEventListener('abort', onAbort)
        this.#inUse++
        resolve(this.#releaseOnce())
      }
      const onAbort = (): void => {
        this.#waiting = this.#waiting.filter((waiting) => waiting !== grant)
        this.#serve()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(grant)
      this.#serve()
    })
  }

  #releaseOnce(): Release {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#inUse--
      if (this.#restMs > 0) this.#resting.push(this.#clock.mono() + this.#restMs)
      this.#serve()
    }
  }

  #serve(): void {
    const now = this.#clock.mono()
    this.#resting = this.#resting.filter((freeAt) => freeAt > now)
    while (this.#waiting.length > 0 && this.#inUse + this.#resting.length < this.#count) this.#waiting.shift()?.()
    this.#timer?.abort()
    this.#timer = null
    const next = this.#resting[0]
    if (this.#waiting.length === 0 || next === undefined) return
    // The timer belongs to the queue, not to one waiter, and ends when the queue is empty. So an idle client
    // keeps no process alive.
    const timer = new AbortController()
    this.#timer = timer
    this.#clock.sleep(next - now, timer.signal).then(
      () => this.#serve(),
      () => {},
    )
  }
}
