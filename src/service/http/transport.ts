import { SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'
import { withDeadline } from '../../host/deadline.ts'
import { type Net, type NetResponse, readBody } from '../../host/net.ts'
import { searchFor } from '../../key-search.ts'
import type { ServiceAddress } from '../address.ts'
import { type JsonBody, maximumJsonBytes, parseJson } from '../json.ts'
import { toRefusal } from '../reasons.ts'
import { readEnvelope } from '../replies.ts'
import type { PublicError } from '../wire.ts'
import { type Fault, isGatewayStatus, readRetryAfter, withRetryTime } from './retry.ts'

/** Longest time for the complete answer to most requests, in milliseconds. */
export const longestRequestMs: number = 60_000

/** One request to the service. */
export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path and query below the base URL, starting with a slash. */
  readonly path: string
  /** Names the request in errors, e.g. `the balance`. */
  readonly what: string
  /** @default `application/json` */
  readonly accept?: string
  readonly body?: Uint8Array | undefined
  readonly contentType?: string | undefined
  readonly idempotencyKey?: string | undefined
  readonly lastEventId?: string
  /**
   * Sends `Service-Version: 1` (C2).
   *
   * @default false
   */
  readonly isManaged?: boolean | undefined
  /**
   * Longest time for the complete answer, in milliseconds.
   *
   * @default 60000
   */
  readonly deadlineMs?: number
  /**
   * Called with every part of an answer that is an event stream. If the callback returns true, the reading
   * ends after that part, and the connection is closed.
   *
   * @default read to the end
   */
  readonly isEnough?: (part: Uint8Array) => boolean
}

/** A complete answer. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * Sends each request to the service's origin once. The key is added to the headers right before the request is
 * sent, and is stored nowhere else.
 */
export interface Transport {
  readonly address: ServiceAddress
  /** Resolves when the headers have arrived; for bodies that are streams. Rejects like `Net`. */
  open(request: WireRequest, signal?: AbortSignal, bodyTimeoutMs?: number): Promise<NetResponse>
  /** Resolves with the complete answer. Rejects without an answer, or if the answer is truncated. */
  exchange(request: WireRequest, signal?: AbortSignal): Promise<Answer>
  /**
   * Parses an answer's body.
   *
   * @throws `SW_WIRE`
   */
  json(answer: Answer, what: string): JsonBody
  /** The error envelope of an answer; null if it has none. */
  envelope(answer: Answer): PublicError | null
  /**
   * The error for an answer other than 2xx. It has the time for the next try, if the service names one, and
   * whether the request may be retried.
   */
  refusal(answer: Answer, what: string): { readonly error: SpritewrightError; readonly fault: Fault | null }
  /** `Retry-After` of an answer, in milliseconds; null if it has none. */
  retryAfterMs(answer: Pick<Answer, 'headers'>): number | null
  /**
   * The error for a lost request. It contains a description, never the request or the error of the network.
   */
  unreachable(cause: unknown, what: string): SpritewrightError
  /** Masks the key in a text, in every form that `key-search` knows. */
  hide(text: string): string
}

/**
 * Trims an API key and checks that it can be sent in a header. The HTTP library's error message would print a
 * key with a line break inside. This check stops such a key, and no message quotes it.
 *
 * @throws `SW_NO_KEY` if nothing is left, or if a character is not visible ASCII.
 */
export function parseApiKey(text: string): string {
  const key = text.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  const found = key === '' ? 'an empty text' : 'a text with a space, a line break or a character outside ASCII'
  throw new SpritewrightError('SW_NO_KEY', {
    message: `Expected an API key of visible ASCII characters, found ${found}. Copy it again from the service's developer console.`,
    facts: {},
  })
}

/**
 * Creates the transport for one key.
 *
 * @param key From `parseApiKey`. Only the closures of this call hold it.
 * @param note Called for a rate limit that forbids the next try before some time.
 */
export function createTransport(
  net: Net,
  clock: Clock,
  address: ServiceAddress,
  key: string,
  note: (request: WireRequest, retryAfterMs: number) => Promise<void>,
): Transport {
  const hide = searchFor(key).mask
  const open: Transport['open'] = async (request, signal, bodyTimeoutMs) => {
    const response = await net.request({
      method: request.method,
      url: `${address.origin}${address.path}${request.path}`,
      headers: toHeaders(request, key),
      body: request.body,
      signal,
      bodyTimeoutMs,
    })
    // Messages quote headers, and a `Location` is requested from another origin. Neither may contain the key.
    const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, hide(value)]))
    // After any other failure the request may have arrived, and a safe repetition must not wait too long.
    const retryAfterMs = response.status === 429 ? readRetryAfter(headers, clock.wall()) : null
    if (retryAfterMs !== null) await note(request, retryAfterMs)
    return { ...response, headers }
  }
  const envelope = (answer: Answer): PublicError | null => {
    try {
      return readEnvelope(parseJson(answer.body, 'the error envelope', hide).value)
    } catch {
      // Not JSON, so there is no envelope. The caller's error says so.
      return null
    }
  }
  return {
    address,
    open,
    exchange: (request, signal) =>
      withDeadline(clock, request.deadlineMs ?? longestRequestMs, signal, async (inTime) => {
        const response = await open(request, inTime)
        const { isEnough } = request
        const isStream = isEnough !== undefined && contentTypeOf(response.headers) === 'text/event-stream'
        const read = isStream ? { ...response, body: takeUntil(response.body, isEnough) } : response
        return { status: response.status, headers: response.headers, body: await readWhole(read, maximumJsonBytes) }
      }),
    json: (answer, what) => parseJson(answer.body, what, hide),
    envelope,
    refusal: (answer, what) => {
      const retryAfterMs = readRetryAfter(answer.headers, clock.wall())
      const { error, fault } = toFailure(answer, envelope(answer), what, retryAfterMs, address)
      return { error: withRetryTime(error, retryAfterMs, clock.wall()), fault }
    },
    retryAfterMs: (answer) => readRetryAfter(answer.headers, clock.wall()),
    unreachable: (cause, what) => toUnreachable(address, what, hide(describeCause(cause)), null),
    hide,
  }
}

function toHeaders(request: WireRequest, key: string): Record<string, string> {
  return {
    accept: request.accept ?? 'application/json',
    authorization: `Bearer ${key}`,
    ...(request.isManaged ? { 'service-version': '1' } : {}),
    ...(request.contentType === undefined ? {} : { 'content-type': request.contentType }),
    ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
    ...(request.lastEventId === undefined ? {} : { 'last-event-id': request.lastEventId }),
  }
}

/** The media type of an answer, without parameters; empty if it has none. */
export function contentTypeOf(headers: Readonly<Record<string, string>>): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

async function* takeUntil(body: AsyncIterable<Uint8Array>, isEnough: (part: Uint8Array) => boolean): AsyncGenerator<Uint8Array> {
  for await (const part of body) {
    yield part
    if (isEnough(part)) return
  }
}

/**
 * Reads a body and compares its length with `Content-Length`.
 *
 * @throws `RangeError` above `maximumBytes`; `Error` if the body is truncated.
 */
export async function readWhole(response: NetResponse, maximumBytes: number): Promise<Uint8Array> {
  const body = await readBody(response, maximumBytes)
  const length = response.headers['content-length']
  if (length !== undefined && /^\d+$/.test(length) && Number(length) !== body.length) {
    throw new Error(`the body was cut: ${body.length} of ${length} bytes`)
  }
  return body
}

function toFailure(
  answer: Answer,
  envelope: PublicError | null,
  what: string,
  retryAfterMs: number | null,
  address: ServiceAddress,
): ReturnType<Transport['refusal']> {
  const { status } = answer
  if (envelope !== null && status >= 400) {
    return { error: toRefusal(status, envelope, what), fault: { kind: 'answer', status, retryable: envelope.retryable, retryAfterMs } }
  }
  if (isGatewayStatus(status))
    return {
      error: toUnreachable(address, what, `status ${status} without an error envelope`, status),
      fault: { kind: 'transport', retryAfterMs },
    }
  const bare = (reason: string, retryable: boolean): PublicError => ({ reason, message: '', retryable, requestId: null, details: null })
  if (status === 401) return { error: toRefusal(status, bare('authentication_failed', false), what), fault: null }
  if (status === 403) return { error: toRefusal(status, bare('access_denied', false), what), fault: null }
  if (status === 429) {
    return { error: toRefusal(status, bare('rate_limited', true), what), fault: { kind: 'answer', status, retryable: true, retryAfterMs } }
  }
  const error = new SpritewrightError('SW_WIRE', {
    message: `Expected an answer or an error envelope for ${what} from ${address.host}, found status ${status} without one. Check that the base URL is the service's.`,
    facts: { what, status },
  })
  return { error, fault: null }
}

function toUnreachable(address: ServiceAddress, what: string, found: string, status: number | null): SpritewrightError {
  return new SpritewrightError('SW_UNREACHABLE', {
    message: `Expected an answer for ${what} from ${address.host}, found ${found}. Check the network and the service's base URL, then run the command again. A dev server tries again by itself.`,
    facts: { what, host: address.host, status },
  })
}

/** The messages of a failed connection and of its causes, without any object of the HTTP library. */
export function describeCause(cause: unknown): string {
  const words: string[] = []
  let at: unknown = cause
  while (at instanceof Error && words.length < 3) {
    const code = (at as { code?: unknown }).code
    const text = at.message === '' ? at.name : at.message
    words.push(typeof code === 'string' && !text.includes(code) ? `${text} (${code})` : text)
    at = at.cause
  }
  return words.length === 0 ? 'no answer' : words.join(': ').slice(0, 300)
}
