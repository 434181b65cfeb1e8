import { SpritewrightError } from '../errors.ts'
import type { NetResponse } from '../host/net.ts'
import { createEventReader, isResumable, toServiceEvent } from './events.ts'
import { contentTypeOf, readWhole, type Transport, type WireRequest } from './http/transport.ts'
import { maximumJsonBytes } from './json.ts'
import type { Limiter, Release } from './limits/limits.ts'
import type { Profile } from './profile.ts'
import type { ServiceEvent } from './wire.ts'

/** The ports that {@link streamEvents} needs. */
export interface StreamPorts {
  readonly transport: Transport
  readonly limiter: Limiter
  readonly profile: Profile
}

/**
 * One connection to an execution's event stream, without reconnecting. Ends when the connection ends or on
 * abort, also while it waits for one of the four streams.
 *
 * @throws `SW_UNREACHABLE`, `SW_KEY_REFUSED`, `SW_REFUSED` or `SW_WIRE` if no stream can be opened.
 */
export async function* streamEvents(
  ports: StreamPorts,
  path: string,
  lastEventId: string | null,
  signal: AbortSignal,
): AsyncGenerator<ServiceEvent, void, undefined> {
  let release: Release | null = null
  try {
    release = await ports.limiter.openStream(signal)
    const { lost } = release
    const open = lost === undefined ? signal : AbortSignal.any([signal, lost])
    const response = await openStream(ports, path, lastEventId, open)
    if (response !== null) yield* readStream(ports, response, lastEventId ?? '')
  } catch (error) {
    // The caller ended the stream, or another process has its slot now. Neither is an error.
    if (!signal.aborted && !release?.lost?.aborted) throw error
  } finally {
    release?.()
  }
}

/** Returns null for 204: the service has no more events. */
async function openStream(ports: StreamPorts, path: string, lastEventId: string | null, signal: AbortSignal): Promise<NetResponse | null> {
  const what = 'the event stream'
  const request: WireRequest = {
    method: 'GET',
    path,
    what,
    accept: 'text/event-stream',
    isManaged: true,
    ...(lastEventId !== null && isResumable(lastEventId) ? { lastEventId } : {}),
  }
  const release = await ports.limiter.take('get', signal)
  let response: NetResponse
  try {
    // A silent stream is no fault: the follower reads the execution meanwhile.
    response = await ports.transport.open(request, signal, 0)
  } catch (error) {
    throw signal.aborted ? error : ports.transport.unreachable(error, what)
  } finally {
    release()
  }
  const type = contentTypeOf(response.headers)
  if (response.status === 200 && type === 'text/event-stream') return response
  if (response.status === 204) return null
  const body = await readWhole(response, maximumJsonBytes).catch(() => new Uint8Array())
  if (response.status !== 200) throw ports.transport.refusal({ status: response.status, headers: response.headers, body }, what).error
  throw new SpritewrightError('SW_WIRE', {
    message: `Expected an event stream as text/event-stream, found ${(type || 'no content type').slice(0, 60)}. The execution continues and is read without the stream.`,
    facts: { what, status: 200, contentType: type || null },
  })
}

async function* readStream(ports: StreamPorts, response: NetResponse, lastEventId: string): AsyncGenerator<ServiceEvent, void, undefined> {
  const reader = createEventReader(lastEventId)
  const parts = response.body[Symbol.asyncIterator]()
  try {
    for (;;) {
      // A broken connection ends the stream at any point without an error. A read of the execution supplies
      // the facts of events that are missing.
      const next = await parts.next().catch(() => null)
      if (next === null) return
      if (next.done === true) break
      for (const event of reader.push(next.value)) {
        const { hide } = ports.transport
        const said = toServiceEvent({ ...event, data: hide(event.data) }, ports.profile, reader.retryMs)
        // Unescaped data may contain a form of the key. So may the event's name and id.
        const shown = Object.entries(said).map(([name, value]) => [name, typeof value === 'string' ? hide(value) : value])
        yield Object.fromEntries(shown) as ServiceEvent
      }
    }
  } finally {
    await parts.return?.()
  }
  reader.end()
}
