import type { ServedResponse } from '../../host/server.ts'
import type { Caller } from '../accounts/accounts.ts'
import { rateLimited } from '../accounts/windows.ts'
import { isOver } from '../executions/executions.ts'
import type { Ground } from '../executions/ground.ts'

/** Event streams of executions. */
export type Streams = ReturnType<typeof createStreams>

/** Creates streams over executions. */
export function createStreams(ground: Ground) {
  const open = new Map<string, number>()
  const stopping = new AbortController()
  const checkRoom = ({ key }: Caller): void => {
    if ((open.get(key.hash) ?? 0) >= ground.options.limits.streams) throw rateLimited()
  }
  return {
    /** @throws {Refusal} `rate_limited` if the key has the maximum number of open streams. */
    checkRoom,
    /**
     * Streams an execution's events after `lastEventId` until `done`; without an id, from the first one. A
     * client that leaves frees its place.
     *
     * @throws {Refusal} `rate_limited`, as `checkRoom`.
     */
    open: (caller: Caller, executionId: string, lastEventId: string | undefined, signal: AbortSignal): ServedResponse => {
      checkRoom(caller)
      const { hash } = caller.key
      open.set(hash, (open.get(hash) ?? 0) + 1)
      let isOpen = true
      const release = (): void => {
        if (isOpen) open.set(hash, open.get(hash)! - 1)
        isOpen = false
      }
      // Runs even if no client reads from the stream.
      signal.addEventListener('abort', release, { once: true })
      const from = lastEventId === undefined ? 0 : ground.options.shapes.eventNumber(lastEventId)
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
        body: follow(ground, executionId, from, AbortSignal.any([signal, stopping.signal]), release),
      }
    },
    /** Ends every open stream. */
    stop: (): void => stopping.abort(new Error('The embedded service is stopping.')),
  }
}

async function* follow(ground: Ground, id: string, from: number, signal: AbortSignal, release: () => void): AsyncGenerator<Uint8Array> {
  const { executions, options, store } = ground
  try {
    for (let next = Math.min(from, executions.get(id).events) + 1; !signal.aborted; ) {
      const execution = executions.get(id)
      // An event is sent only after it is durable: a crash must not take it back.
      await store.flushed()
      for (; next <= execution.events; next++) yield frame(ground, id, next)
      if (isOver(execution)) return
      if (executions.get(id).events >= next) continue
      if (await isSilent(ground, id, signal)) yield new TextEncoder().encode(`: nothing new for ${options.heartbeatMs} ms\n\n`)
    }
  } finally {
    release()
  }
}

function frame({ executions, options: { shapes } }: Ground, id: string, number: number): Uint8Array {
  const event = executions.event(id, number)
  const data = JSON.stringify(shapes.event(executions.get(id), event))
  return new TextEncoder().encode(`event: ${event.kind}\nid: ${shapes.eventId(number)}\ndata: ${data}\n\n`)
}

/**
 * Waits for an event, the heartbeat or the end of the stream.
 *
 * @returns Whether nothing came before the heartbeat.
 */
async function isSilent({ clock, executions, options }: Ground, id: string, signal: AbortSignal): Promise<boolean> {
  const woken = new AbortController()
  const takeBack = executions.onEvent(id, () => woken.abort())
  const beat = clock.sleep(options.heartbeatMs, AbortSignal.any([signal, woken.signal])).then(
    () => true,
    () => false,
  )
  return beat.finally(takeBack)
}
