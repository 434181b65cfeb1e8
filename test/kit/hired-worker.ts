import { join } from 'node:path'
import { type Host, nodeHost } from '../../src/host/host.ts'
import { createWorkshop, type WorkerEvent, type WorkRequest } from '../../src/workshop.ts'
import type { TestProject } from './project.ts'
import { shortPauses } from './short-pauses.ts'

/** A worker in this process. */
export interface HiredWorker {
  /** What it has told, in order. */
  readonly sentences: readonly string[]
  /** Waits until it has told a text so many times, once by default. Rejects if the worker ends before. */
  tells(text: string, times?: number): Promise<void>
  /** Ends it in order, if it has not ended. */
  end(): Promise<void>
}

/** How long a lease lasts, in milliseconds: a busy machine renews it in time, and all waits for it are pauses. */
export const leaseMs = 30_000

/**
 * Starts a worker in a clone. Its pauses are short.
 *
 * @param env All environment variables of its machine.
 * @param host Ports that differ from those of this machine.
 * @param onStoreAway Receives why it waits for a store. Without it, a store that does not answer fails at once.
 */
export async function hireWorker(
  { root }: TestProject,
  env: Readonly<Record<string, string>>,
  host: Partial<Host> = {},
  request: Partial<WorkRequest> = {},
  onStoreAway?: (sentence: string) => void,
): Promise<HiredWorker> {
  const ending = new AbortController()
  const sentences: string[] = []
  const waiting = new Set<() => void>()
  const workshop = await createWorkshop({
    root,
    ...(onStoreAway ? { onWait: onStoreAway, waitUntil: ending.signal } : {}),
    host: { ...nodeHost(), env, stateFolder: join(root, '.state', 'spritewright'), clock: shortPauses(), ...host },
  })
  const onEvent = ({ message }: WorkerEvent): void => {
    sentences.push(message)
    for (const wake of waiting) wake()
  }
  const working = workshop.work({ onEvent, signal: ending.signal, leaseMs, longestRequestMs: 300, ...request })
  const ended = working.finally(() => workshop.close())
  ended.catch(() => {})
  return {
    sentences,
    tells: (text, times = 1) => {
      const told = new Promise<void>((resolve) => {
        const look = (): void => {
          if (sentences.filter((sentence) => sentence.includes(text)).length >= times) resolve()
        }
        waiting.add(look)
        look()
      })
      const early = ended.then(() => {
        throw new Error(`Expected the worker to tell "${text}", found that it ended after:\n${sentences.join('\n')}`)
      })
      return Promise.race([told, early])
    },
    end: async () => {
      ending.abort()
      await ended
    },
  }
}
