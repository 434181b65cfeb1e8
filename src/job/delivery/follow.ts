import { SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'
import type { ServiceClient } from '../../service/client.ts'
import { statusPollMs } from '../../service/limits/limits.ts'
import type { Execution, ServiceEvent } from '../../service/wire.ts'

/** Silence of a stream after which the status is read, in milliseconds. */
const silenceMs = 30_000

/** How long the service may answer "not found" before an execution or its file counts as gone, in milliseconds. */
const settlingMs = 30_000

/** Callbacks, and a signal to stop. */
export interface FollowOptions {
  /** Called after every status read. */
  readonly onExecution?: (execution: Execution) => void
  /** Called for every hint of the stream. */
  readonly onEvent?: (event: ServiceEvent) => void
  readonly signal?: AbortSignal | undefined
}

/** Whether an execution has ended, by its status. */
export function isEnded(execution: Execution): boolean {
  return execution.status === 'completed' || execution.status === 'failed' || execution.status === 'cancelled'
}

/**
 * Watches an execution until it has ended, waits for an answer, or was replaced by the execution of an answer
 * (`needs_input` without a question). The state always comes from a status read. The stream only causes earlier
 * reads. If the status is unknown, the function continues to wait.
 */
export async function follow(
  ports: { client: ServiceClient; clock: Clock },
  executionId: string,
  options: FollowOptions = {},
): Promise<Execution> {
  const { client, clock } = ports
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(options.signal?.reason)
  if (options.signal?.aborted) onAbort()
  options.signal?.addEventListener('abort', onAbort, { once: true })
  let stream: HintStream | undefined
  try {
    for (;;) {
      stop.signal.throwIfAborted()
      const execution = await readPatiently(clock, () => client.execution(executionId, stop.signal), stop.signal)
      options.onExecution?.(execution)
      if (isEnded(execution) || execution.question !== null || execution.status === 'needs_input') return execution
      stream ??= openHints(client, clock, executionId, stop.signal, options.onEvent)
      const waitMs = stream.isOpen() ? silenceMs : statusPollMs
      await stream.next(clock, waitMs, stop.signal)
    }
  } finally {
    options.signal?.removeEventListener('abort', onAbort)
    stop.abort(new Error('The following has ended.'))
  }
}

/**
 * Reads again while the service answers "not found". The service is eventually consistent: for a moment it may not
 * know an execution that it has just accepted, or a file that it has just completed.
 *
 * @throws the last error, after {@link settlingMs}.
 */
export async function readPatiently<T>(clock: Clock, read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const begun = clock.mono()
  for (;;) {
    try {
      return await read()
    } catch (error) {
      const isUnknown = error instanceof SpritewrightError && error.facts.status === 404 && clock.mono() - begun < settlingMs
      if (!isUnknown) throw error
      await clock.sleep(statusPollMs, signal)
    }
  }
}

interface HintStream {
  isOpen(): boolean
  /** Resolves at the next hint that asks for a status read, at the end of the stream, or after `ms`. */
  next(clock: Clock, ms: number, signal: AbortSignal): Promise<void>
}

/** Number of connections without an event after which only status reads are made. */
const emptyTries = 5

/**
 * Reads the stream in the background. After a lost connection it reconnects, from the last event that arrived. An
 * unavailable stream is no error: status reads continue by the clock. The stream counts as open after its first
 * event, since a fifth stream is queued and sends nothing.
 */
function openHints(
  client: ServiceClient,
  clock: Clock,
  executionId: string,
  signal: AbortSignal,
  onEvent: ((event: ServiceEvent) => void) | undefined,
): HintStream {
  let isOpen = false
  let isDue = false
  let wake: (() => void) | undefined
  const notify = (): void => {
    isDue = true
    wake?.()
  }
  const seen = { lastEventId: null as string | null, status: null as string | null, retryMs: 1_000, isDone: false, tries: 0 }
  const take = (event: ServiceEvent): void => {
    isOpen = true
    seen.tries = 0
    seen.lastEventId = event.id ?? seen.lastEventId
    seen.retryMs = event.retryMs ?? seen.retryMs
    onEvent?.(event)
    if (event.kind === 'done') seen.isDone = true
    if (seen.isDone || event.kind === 'question' || event.kind === 'asset' || (event.status !== null && event.status !== seen.status))
      notify()
    seen.status = event.status ?? seen.status
  }
  /** Returns the wait that the service requests, in milliseconds; 0 if it requests none. */
  const readOnce = async (): Promise<number> => {
    let askedMs = 0
    try {
      for await (const event of client.events(executionId, seen.lastEventId, signal)) take(event)
    } catch (error) {
      // The connection was lost or refused, or the answer is no stream. Status reads give the true state.
      const retryAt = error instanceof SpritewrightError ? Date.parse(String(error.facts.retryAt)) : Number.NaN
      if (!Number.isNaN(retryAt)) askedMs = retryAt - clock.wall()
    }
    isOpen = false
    if (!signal.aborted) notify()
    return askedMs
  }
  const read = async (): Promise<void> => {
    while (!seen.isDone && !signal.aborted && seen.tries < emptyTries) {
      seen.tries++
      const askedMs = await readOnce()
      await clock.sleep(Math.max(askedMs, seen.retryMs * 2 ** (seen.tries - 1)), signal)
    }
  }
  // Only the end of the stream or an abort ends this loop.
  read().catch(() => {})
  return {
    isOpen: () => isOpen,
    next: async (clock, ms, outer) => {
      if (isDue) {
        isDue = false
        return
      }
      const timer = new AbortController()
      const onAbort = (): void => timer.abort()
      outer.addEventListener('abort', onAbort, { once: true })
      const notified = new Promise<void>((resolve) => {
        wake = resolve
      })
      const slept = clock.sleep(ms, timer.signal).catch(() => {})
      await Promise.race([notified, slept])
      wake = undefined
      isDue = false
      timer.abort()
      outer.removeEventListener('abort', onAbort)
    },
  }
}
