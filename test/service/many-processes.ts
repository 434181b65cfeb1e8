import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../src/host/clock.ts'
import type { Disk } from '../../src/host/disk.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

/**
 * One machine with several processes in virtual time. Every operation on its disk takes `delay()` before and
 * after it happens.
 */
export class Machine {
  readonly disk: MemoryDisk = new MemoryDisk()
  readonly #delay: () => number
  #now = 10_000
  #timers: { readonly at: number; readonly ring: () => void }[] = []

  constructor(delay: () => number) {
    this.#delay = delay
  }

  get now(): number {
    return this.#now
  }

  /** A process. Once it is killed, its current work ends in the middle, without a trace. */
  process(): Process {
    const state = { isKilled: false }
    const wait = (ms: number): Promise<void> =>
      new Promise((resolve) => this.#timers.push({ at: this.#now + ms, ring: () => state.isKilled || resolve() }))
    const slow = async <T>(work: () => Promise<T>): Promise<T> => {
      await wait(this.#delay())
      const result = await work().then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error
        },
      )
      await wait(this.#delay())
      return result()
    }
    const clock: Clock = {
      wall: () => this.#now,
      mono: () => this.#now,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason)
          const onAbort = (): void => {
            this.#timers = this.#timers.filter((other) => other !== timer)
            if (!state.isKilled) reject(signal?.reason)
          }
          const ring = (): void => {
            signal?.removeEventListener('abort', onAbort)
            if (!state.isKilled) resolve()
          }
          const timer = { at: this.#now + Math.max(0, ms), ring }
          this.#timers.push(timer)
          signal?.addEventListener('abort', onAbort)
        }),
    }
    const { disk } = this
    const slowDisk = {
      list: (folder: string) => slow(() => disk.list(folder)),
      writeTemp: (path: string, bytes: Uint8Array) => slow(() => disk.writeTemp(path, bytes)),
      remove: (path: string) => slow(async () => void disk.files.delete(path)),
      read: (path: string) => slow(() => disk.read(path)),
      stat: (path: string) => slow(() => disk.stat(path)),
      makeFolder: () => slow(() => disk.makeFolder()),
      sync: (path: string) => slow(() => disk.sync(path)),
      link: (from: string, to: string) => slow(() => disk.link(from, to)),
      syncFolder: (folder: string) => slow(() => disk.syncFolder(folder)),
    }
    return {
      clock,
      disk: slowDisk as unknown as Disk,
      wait,
      kill: () => {
        state.isKilled = true
      },
      get isKilled() {
        return state.isKilled
      },
    }
  }

  /** Calls `work` at a time of this machine. */
  at(time: number, work: () => void): void {
    this.#timers.push({ at: time, ring: work })
  }

  /** Moves from event to event until nothing is left to happen, or until `end`. */
  async run(end = Number.POSITIVE_INFINITY): Promise<void> {
    for (;;) {
      await nextTurn()
      let first = 0
      for (let index = 1; index < this.#timers.length; index++) {
        if ((this.#timers[index]?.at ?? 0) < (this.#timers[first]?.at ?? 0)) first = index
      }
      const next = this.#timers[first]
      if (next === undefined || next.at > end) {
        if (Number.isFinite(end)) this.#now = Math.max(this.#now, end)
        return
      }
      this.#timers.splice(first, 1)
      this.#now = Math.max(this.#now, next.at)
      next.ring()
    }
  }
}

/** See {@link Machine.process}. */
export interface Process {
  readonly clock: Clock
  readonly disk: Disk
  readonly isKilled: boolean
  wait(ms: number): Promise<void>
  kill(): void
}
