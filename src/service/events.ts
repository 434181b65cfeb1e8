import { createParser } from 'eventsource-parser'
import { SpritewrightError } from '../errors.ts'
import { toOneLine } from '../host/terminal.ts'
import type { Profile, StreamEvent } from './profile.ts'
import type { ServiceEvent } from './wire.ts'

/** Longest event, in characters. */
export const maximumEventLength: number = 1024 * 1024
const maximumIdLength = 1024

/** Reads an event stream from bytes as they arrive. The caller owns the connection. */
export interface EventReader {
  /**
   * Returns the events that these bytes complete.
   *
   * @throws `SW_WIRE` for an event above 1 MiB.
   */
  push(bytes: Uint8Array): StreamEvent[]
  /**
   * Must be called after the last bytes. An event without its blank line is dropped.
   *
   * @throws `SW_WIRE` if the stream had text, but no event, id, wait or comment: a proxy's page, for example.
   */
  end(): void
  /** Id to resume from: the id of the last complete event. Empty if no event was complete. */
  readonly lastEventId: string
  /**
   * The stream's requested wait before a new connection, limited to 500 to 60000 ms; null if the stream
   * requested no wait.
   */
  readonly retryMs: number | null
}

/**
 * Creates a reader of one event stream.
 *
 * @param lastEventId The id from which the stream was resumed. It stays until an event has another id.
 * @see WHATWG HTML 9.2, which `eventsource-parser` implements.
 */
export function createEventReader(lastEventId = ''): EventReader {
  let last = lastEventId
  let retryMs: number | null = null
  let events: StreamEvent[] = []
  let hasText = false
  let isEventStream = false
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: maximumEventLength,
    onId: (id) => {
      isEventStream = true
      last = id
    },
    onEvent: ({ event = 'message', data }) => {
      isEventStream = true
      events.push({ event, data, lastEventId: last })
    },
    onRetry: (ms) => {
      isEventStream = true
      retryMs = Math.min(60_000, Math.max(500, ms))
    },
    onComment: () => {
      isEventStream = true
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') isTooLong = true
    },
  })
  // The parser removes the byte order mark.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return {
    push: (bytes) => {
      events = []
      const text = decoder.decode(bytes, { stream: true })
      hasText ||= /\S/.test(text)
      parser.feed(text)
      if (isTooLong) throw badStream(`an event of more than ${maximumEventLength} characters`)
      return events
    },
    end: () => {
      const id = last
      // A truncated event still shows that this is an event stream, so the blank line is added here. The event
      // itself is dropped.
      if (!isEventStream) parser.feed('\n\n')
      last = id
      if (hasText && !isEventStream) throw badStream('text without any event')
    },
    get lastEventId() {
      return last
    },
    get retryMs() {
      return retryMs
    },
  }
}

function badStream(found: string): SpritewrightError {
  return new SpritewrightError('SW_WIRE', {
    message: `Expected an event stream of the execution, found ${found}. The execution continues and is read without the stream.`,
    facts: { what: 'the event stream', found },
  })
}

/**
 * Turns an event into a hint for people and for the follower. The hint's id is null if the event's id is too
 * long or not legal in a header, so that it must not be sent back.
 */
export function toServiceEvent(event: StreamEvent, profile: Profile, retryMs: number | null = null): ServiceEvent {
  const hint = profile.readEvent(event)
  return {
    kind: event.event,
    id: isResumable(event.lastEventId) ? event.lastEventId : null,
    status: hint?.status ?? null,
    progress: hint?.progress ?? null,
    message: hint?.message == null ? null : toOneLine(hint.message),
    ...(retryMs === null ? {} : { retryMs }),
  }
}

/** Whether an id can be sent as `Last-Event-ID`: 1 to 1024 visible ASCII characters, spaces only inside. */
export function isResumable(id: string): boolean {
  return id.length <= maximumIdLength && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(id)
}
