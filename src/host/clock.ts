/** Time, passed in, so that a simulator can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch, by the wall clock. It may jump in either direction. */
  wall(): number
  /**
   * Milliseconds since an unspecified start. Never goes back while the machine is up. Comparable between
   * processes of one boot.
   */
  mono(): number
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The clock of this machine. */
export function nodeClock(): Clock {
  return {
    wall: () => Date.now(),
    mono: () => Number(process.hrtime.bigint() / 1_000_000n),
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        }, ms)
        const onAbort = (): void => {
          clearTimeout(timer)
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
      }),
  }
}
