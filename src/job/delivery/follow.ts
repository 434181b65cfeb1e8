import type { Clock } from '../../host/clock.ts'
import type { ServiceClient } from '../../service/client.ts'
import { statusPollMs } from '../../service/limits/limits.ts'
import type { Execution, ServiceEvent } from '../../service/wire.ts'

/** Silence of a stream after which the status is read, milliseconds. */
const silenceMs = 30_000

/** Who is told of what. */
export interface FollowOptions {
  /** Told of every read. */
  readonly onExecution?: (execution: Execution) => void
  /** Told of every hint of the stream. */
  readonly onEvent?: (event: ServiceEvent) => void
  readonly signal?: AbortSignal | undefined
}

/** Whether an execution has come to an end, by its status. */
export function isEnded(execution: Execution): boolean {
  return execution.status === 'completed' || execution.status === 'failed' || execution.status === 'cancelled'
}

/**
 * Follows an execution until it has ended, waits for an answer, or was left by one (`needs_input` without a question). Every answer comes from a status read; the stream only says when reading is worth while.
 * An unknown status is waited out.
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
      const execution = await client.execution(executionId, stop.signal)
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

interface HintStream {
  isOpen(): boolean
  /** Resolves at the next hint worth a status read, at the end of the stream, or after `ms`. */
  next(clock: Clock, ms: number, signal: AbortSignal): Promise<void>
}

/** Reconnections of a stream that brought nothing, after which only status reads are made. */
const emptyTries = 5

/**
 * Reads the stream in the background and takes it up again after a drop, from the last event that arrived. A stream that cannot be had is not an error: reads go on by the clock.
 * It counts as open from its first event on, since a fifth stream waits in line and says nothing.
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
  const ring = (): void => {
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
      ring()
    seen.status = event.status ?? seen.status
  }
  const readOnce = async (): Promise<void> => {
    try {
      for await (const event of client.events(executionId, seen.lastEventId, signal)) take(event)
    } catch {
      // A drop, a refusal, an answer that is no stream: the status reads say what is true.
    }
    isOpen = false
    if (!signal.aborted) ring()
  }
  const read = async (): Promise<void> => {
    while (!seen.isDone && !signal.aborted && seen.tries < emptyTries) {
      seen.tries++
      await readOnce()
      await clock.sleep(seen.retryMs * 2 ** (seen.tries - 1), signal)
    }
  }
  // The only way out of the loop but its end is the abort of the following.
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
      const rung = new Promise<void>((resolve) => {
        wake = resolve
      })
      const slept = clock.sleep(ms, timer.signal).catch(() => {})
      await Promise.race([rung, slept])
      wake = undefined
      isDue = false
      timer.abort()
      outer.removeEventListener('abort', onAbort)
    },
  }
}
