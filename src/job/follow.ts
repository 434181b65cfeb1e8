import type { Clock } from '../host/clock.ts'
import type { ServiceClient } from '../service/client.ts'
import type { Execution, ServiceEvent } from '../service/wire.ts'

/** How an execution is watched. */
export interface FollowOptions {
  /** Wait between status reads while no stream is open, milliseconds. @default 2000 */
  readonly pollMs?: number
  /** Silence of a stream after which the status is read, milliseconds. @default 30000 */
  readonly silenceMs?: number
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
      stream ??= openHints(client, executionId, stop.signal, options.onEvent)
      const waitMs = stream.isOpen() ? (options.silenceMs ?? 30_000) : (options.pollMs ?? 2_000)
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

/** Reads the stream in the background. A stream that cannot be had, or breaks, is not an error: reads go on by the clock. */
function openHints(
  client: ServiceClient,
  executionId: string,
  signal: AbortSignal,
  onEvent: ((event: ServiceEvent) => void) | undefined,
): HintStream {
  let isOpen = true
  let isDue = false
  let wake: (() => void) | undefined
  const ring = (): void => {
    isDue = true
    wake?.()
  }
  const read = async (): Promise<void> => {
    let lastEventId: string | null = null
    let status: string | null = null
    for await (const event of client.events(executionId, lastEventId, signal)) {
      lastEventId = event.id ?? lastEventId
      onEvent?.(event)
      const isNews =
        event.kind === 'done' || event.kind === 'question' || event.kind === 'asset' || (event.status !== null && event.status !== status)
      status = event.status ?? status
      if (isNews) ring()
    }
  }
  read().then(
    () => {
      isOpen = false
      ring()
    },
    () => {
      isOpen = false
      if (!signal.aborted) ring()
    },
  )
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
