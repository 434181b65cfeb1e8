import { createParser } from 'eventsource-parser'
import { SpritewrightError } from '../errors.ts'
import type { Profile, StreamEvent } from './profile.ts'
import type { ServiceEvent } from './wire.ts'

/** Longest event, in characters. */
export const maximumEventLength: number = 1024 * 1024
const maximumIdLength = 1024

/** Reads an event stream, fed with bytes as they come; it owns no connection. */
export interface EventReader {
  /** The events that these bytes complete. @throws `SW_WIRE` for an event above 1 MiB. */
  push(bytes: Uint8Array): StreamEvent[]
  /** To be called after the last bytes; an event without its blank line is dropped. @throws `SW_WIRE` where the stream held text but no event. */
  end(): void
  /** Id to resume from: the last one of a whole event. Empty where there is none. */
  readonly lastEventId: string
  /** Wait before a new connection that the stream has asked for, kept within 500 and 60000 ms; null where it has not. */
  readonly retryMs: number | null
}

/**
 * @param lastEventId The id that the stream was resumed from; it stays until an event brings another.
 * @see WHATWG HTML 9.2. An `id:` in a block without data does not move the id here, as the parser below does not tell of it: a resume repeats a little and loses nothing.
 */
export function createEventReader(lastEventId = ''): EventReader {
  let last = lastEventId
  let retryMs: number | null = null
  let events: StreamEvent[] = []
  let eventCount = 0
  let strayLines = 0
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: maximumEventLength,
    onEvent: (event) => {
      if (event.id !== undefined) last = event.id
      eventCount++
      events.push({ event: event.event ?? 'message', data: event.data, lastEventId: last })
    },
    onRetry: (ms) => {
      retryMs = Math.min(60_000, Math.max(500, ms))
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') isTooLong = true
      if (error.type === 'unknown-field') strayLines++
    },
  })
  // The parser takes three Latin-1 characters at the start for a byte order mark; the decoder below has dropped the real one.
  parser.feed('')
  const decoder = new TextDecoder()
  const toLineFeeds = createLineEnds()
  return {
    push: (bytes) => {
      events = []
      parser.feed(toLineFeeds(decoder.decode(bytes, { stream: true })))
      if (isTooLong) throw badStream(`an event of more than ${maximumEventLength} characters`)
      return events
    },
    end: () => {
      parser.reset({ consume: true })
      if (eventCount === 0 && strayLines > 0) throw badStream('text without any event')
    },
    get lastEventId() {
      return last
    },
    get retryMs() {
      return retryMs
    },
  }
}

/** CR and CRLF become LF at once, also over chunks: the parser holds a CR back at the end of what it has, and so would never deliver a last event that ends in one. */
function createLineEnds(): (text: string) => string {
  let endedInCr = false
  return (text) => {
    if (text === '') return text
    const rest = endedInCr && text.startsWith('\n') ? text.slice(1) : text
    endedInCr = text.endsWith('\r')
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest
  }
}

function badStream(found: string): SpritewrightError {
  return new SpritewrightError('SW_WIRE', {
    message: `Expected an event stream of the execution, found ${found}. The execution itself goes on and is read without the stream.`,
    facts: { what: 'the event stream', found },
  })
}

/** An event as a hint for people and for the follower. Its id is null where it may not be sent back: too long, or not legal in a header. */
export function toServiceEvent(event: StreamEvent, profile: Profile, retryMs: number | null = null): ServiceEvent {
  const hint = profile.readEvent(event)
  return {
    kind: event.event,
    id: isResumable(event.lastEventId) ? event.lastEventId : null,
    status: hint?.status ?? null,
    progress: hint?.progress ?? null,
    message: hint?.message ?? null,
    ...(retryMs === null ? {} : { retryMs }),
  }
}

/** Whether an id can be sent as `Last-Event-ID`: 1 to 1024 visible ASCII characters, spaces only inside. */
export function isResumable(id: string): boolean {
  return id.length <= maximumIdLength && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(id)
}
