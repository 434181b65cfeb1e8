import type { Clock } from '../../host/clock.ts'
import type { Tell } from './events.ts'
import type { WorkerStatus } from './status.ts'

/** Watches whether a worker that has something to buy buys it. */
export interface StallWatch {
  readonly tell: Tell
  /** Notes that the queue was emptied. */
  emptied(): void
  /** Checks once a minute until the signal is aborted. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

const checkMs = 60_000
const stalledMs = 600_000

/**
 * Creates a watch. A worker that stands by, or for which nothing is ordered, is not stalled.
 *
 * @param readStatus Reads the queue.
 * @param waits See `Clones.waits`.
 * @param tell Reports ten minutes without a purchase with the reason, on change, and after twice that time each.
 */
export function createStallWatch(
  clock: Clock,
  readStatus: () => Promise<WorkerStatus>,
  waits: () => readonly string[],
  tell: Tell,
): StallWatch {
  let since = clock.mono()
  let told = { why: '', afterMs: 0 }
  /** Why it cannot work. `undefined` while it stands by. */
  let trouble: string | undefined = ''
  let isEmptied = false
  const findReason = async (): Promise<string | undefined> => {
    if (trouble) return `it cannot work: ${trouble}`
    if (trouble === undefined) return undefined
    const wasEmptied = isEmptied
    isEmptied = false
    const status = await readStatus().catch((error: Error) => error)
    const [away = status instanceof Error ? `the queue cannot be read: ${status.message}` : undefined] = waits()
    if (away !== undefined || status instanceof Error) return away
    if (wasEmptied) return 'the queue is emptied again and again'
    const order = status.running.find(({ phase }) => phase === 'waiting') ?? status.running[0] ?? status.waiting[0]
    const state = order?.phase === undefined || order.phase === 'waiting' ? order?.message : order.phase
    return order && `${order.id} is not bought: ${state ?? 'it waits for its turn'}`
  }
  const restart = (): void => {
    since = clock.mono()
    told = { why: '', afterMs: 0 }
  }
  const check = async (): Promise<void> => {
    const why = await findReason()
    const afterMs = clock.mono() - since
    if (why === undefined) {
      // Health shows the last state that was told.
      if (told.why && trouble === '') tell({ kind: 'active', message: 'Nothing waits to be bought any more.' })
      restart()
    } else if (afterMs >= stalledMs && (told.why !== why || afterMs >= 2 * told.afterMs)) {
      told = { why, afterMs }
      tell({ kind: 'stalled', message: `This worker has bought nothing for ${Math.floor(afterMs / 60_000)} minutes, because ${why}` })
    }
  }
  return {
    tell: ({ kind, message }) => {
      if (kind === 'standby' || kind === 'bought') restart()
      if (kind === 'trouble' || kind === 'lost') trouble = message
      else if (kind === 'standby') trouble = undefined
      else if (kind === 'active' || kind === 'bought') trouble = ''
    },
    emptied: () => {
      isEmptied = true
    },
    run: async (signal) => {
      while (!signal.aborted) await clock.sleep(checkMs, signal).then(check, () => {})
    },
  }
}
