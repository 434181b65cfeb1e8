import { SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'

/** The service's limits, as this process keeps them. */
export interface Limits {
  /** Length of the sliding window in milliseconds. @default 60000 */
  readonly windowMs: number
  /** POST requests a window. @default 10 */
  readonly post: number
  /** GET requests a window, downloads left out. @default 120 */
  readonly get: number
  /** Asset downloads a window. @default 20 */
  readonly download: number
  /** Open event streams. @default 4 */
  readonly streams: number
}

/** The limits of the service's interface. */
export const defaultLimits: Limits = { windowMs: 60_000, post: 10, get: 120, download: 20, streams: 4 }

/** Wait between two status reads of an execution, milliseconds: a quarter of the GETs of a window. */
export const statusPollMs: number = 2_000

/** Gives a slot back; further calls do nothing. */
export interface Release {
  (): void
  /** Aborted where a slot that is shared with other processes was lost, because this one stood still for too long: its use is to end. */
  readonly lost?: AbortSignal
}

/** Keeps a client inside the service's limits, first come first served. Rejects with the signal's reason when aborted. */
export interface Limiter {
  /**
   * Waits for a slot. It stays taken until it is released (when the answer has come) and a window longer: the service counts a
   * request when it arrives, somewhere in between, so no timing of the network can put more into its window than are allowed.
   */
  take(bucket: 'post' | 'get' | 'download', signal?: AbortSignal): Promise<Release>
  /** Waits until fewer than the allowed streams are open. */
  openStream(signal?: AbortSignal): Promise<Release>
  /** Resolves when all that was given back is known to everybody who shares the limits. */
  settled(): Promise<void>
}

/** The limits with their defaults. @throws `SW_CONFIG` for a limit that is no whole number above 0. */
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

/** The limits of this process. @throws `SW_CONFIG` as {@link resolveLimits}. */
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

/** A number of slots; a released one rests for a while before it is free. */
class Slots {
  readonly #clock: Clock
  readonly #count: number
  readonly #restMs: number
  #inUse = 0
  /** When resting slots are free again, by `mono`, in order of release. */
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
    // The timer belongs to the queue, not to one waiter, and ends with it: an idle client keeps no process alive.
    const timer = new AbortController()
    this.#timer = timer
    this.#clock.sleep(next - now, timer.signal).then(
      () => this.#serve(),
      () => {},
    )
  }
}
