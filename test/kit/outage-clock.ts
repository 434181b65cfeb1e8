import { type Clock, nodeClock } from '../../src/host/clock.ts'

/** How long a time limit lasts during an outage, in milliseconds. */
const outMs = 20

/** A clock whose sleeps are time limits. They last until an outage begins, so a busy server meets all of them. */
export class OutageClock implements Clock {
  readonly #clock = nodeClock()
  readonly #sleepers = new Set<() => void>()
  #isOut = false

  wall(): number {
    return this.#clock.wall()
  }

  mono(): number {
    return this.#clock.mono()
  }

  async sleep(_ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isOut) await this.#untilOut(signal)
    await this.#clock.sleep(outMs, signal)
  }

  /** Ends all time limits, now and until `end`. */
  begin(): void {
    this.#isOut = true
    for (const wake of this.#sleepers) wake()
  }

  end(): void {
    this.#isOut = false
  }

  /** Ends the time limits of now, and none that come later. */
  pass(): void {
    this.begin()
    this.end()
  }

  #untilOut(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = (): void => {
        this.#sleepers.delete(wake)
        reject(signal?.reason)
      }
      const wake = (): void => {
        this.#sleepers.delete(wake)
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      this.#sleepers.add(wake)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }
}
