import { SpritewrightError } from '../errors.ts'
import type { Clock } from '../host/clock.ts'
import { type Net, type NetRequest, type NetResponse, readBody } from '../host/net.ts'
import { searchFor } from '../key-search.ts'
import { parseServiceAddress, type ServiceAddress } from '../service/address.ts'
import { createEventReader } from '../service/events.ts'
import { readRetryAfter } from '../service/http/retry.ts'
import { parseApiKey } from '../service/http/transport.ts'
import { createLimiter, type Limits } from '../service/limits/limits.ts'
import type { StreamEvent } from '../service/profile.ts'

/** A request of the suite. */
export interface Call {
  /** @default 'GET' */
  readonly method?: NetRequest['method']
  /** Path below the base URL, starting with `/v1/`. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /**
   * Whose key is sent: ours, a key that was never issued, or none.
   *
   * @default 'ours'
   */
  readonly key?: 'ours' | 'wrong' | 'none'
  /**
   * Whether `Service-Version: 1` is sent.
   *
   * @default true
   */
  readonly isManaged?: boolean
}

/** A complete answer. */
export interface Reply {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly text: string
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown
}

/** An open event stream, or its refusal. */
export interface OpenStream {
  readonly status: number
  readonly contentType: string
  /** The next event; null at the end of the stream. */
  next(): Promise<StreamEvent | null>
  close(): Promise<void>
}

/** Sends requests without assumptions about the service: no retries except for 429, and no redirects. */
export interface Caller {
  readonly address: ServiceAddress
  call(call: Call): Promise<Reply>
  /** Opens a stream of events. */
  stream(path: string, lastEventId?: string): Promise<OpenStream>
  /** Sends a GET to another origin, without our credentials. */
  outside(url: string): Promise<Reply>
  /** Every refusal of the API origin so far (status 400 and above). */
  readonly refusals: readonly Reply[]
  /** Requests whose answers contained the key. */
  readonly leaks: readonly string[]
  /** Masks the key in a text. */
  hide(text: string): string
}

/** The ports that a caller needs. */
export interface CallerPorts {
  readonly net: Net
  readonly clock: Clock
}

const maximumBytes = 256 * 1024 * 1024
const textBytes = 1024 * 1024
/** A key in the usual form that was never issued. */
const wrongKey = 'sw_test_this_key_was_never_given_to_anybody'
/** Tries of a request that is answered with 429. */
const tries = 6

/**
 * Creates a caller for one service and key.
 *
 * @param limits The service's rate limits, which the suite respects.
 * @throws `SW_CONFIG`, `SW_NO_KEY`
 */
export function createCaller(ports: CallerPorts, baseUrl: string, key: string, limits: Partial<Limits> = {}, signal?: AbortSignal): Caller {
  const address = parseServiceAddress(baseUrl)
  const base = address.origin + address.path
  const keys = { ours: parseApiKey(key), wrong: wrongKey }
  const { isIn, mask } = searchFor(keys.ours)
  const limiter = createLimiter(ports.clock, limits)
  const refusals: Reply[] = []
  const leaks: string[] = []
  const note = (reply: Reply): Reply => {
    if (reply.status >= 400) refusals.push(reply)
    if (isIn(JSON.stringify(reply.headers)) || isIn(reply.text)) leaks.push(mask(`${reply.method} ${reply.path}`))
    return reply
  }
  const send = async (call: Call, bucket: 'post' | 'get' | 'download'): Promise<Reply> => {
    const release = await limiter.take(bucket, signal)
    try {
      return note(await toReply(call.method ?? 'GET', call.path, await ports.net.request(toRequest(base, call, keys, signal))))
    } catch (error) {
      throw unreachable(call, error, signal)
    } finally {
      release()
    }
  }
  return {
    address,
    refusals,
    leaks,
    hide: mask,
    call: async (call) => {
      const bucket = (call.method ?? 'GET') !== 'GET' ? 'post' : call.path.endsWith('/asset') ? 'download' : 'get'
      for (let attempt = 1; ; attempt++) {
        const reply = await send(call, bucket)
        if (reply.status !== 429 || attempt === tries) return reply
        // Another program uses the account. The suite waits, like any client.
        await ports.clock.sleep(waitOf(reply, attempt, ports.clock.wall()), signal)
      }
    },
    stream: async (path, lastEventId) => {
      const release = await limiter.take('get', signal)
      try {
        const headers = { accept: 'text/event-stream', ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) }
        const response = await ports.net.request({ ...toRequest(base, { path, headers }, keys, signal), bodyTimeoutMs: 0 })
        if (response.status === 200) return openStream(response, lastEventId ?? '')
        const { status } = note(await toReply('GET', path, response))
        return { status, contentType: '', next: async () => null, close: async () => {} }
      } finally {
        release()
      }
    },
    outside: async (url) => {
      const response = await ports.net.request({ method: 'GET', url, headers: { accept: '*/*' }, ...(signal ? { signal } : {}) })
      return toReply('GET', new URL(url).origin, response)
    },
  }
}

function toRequest(base: string, call: Call, keys: { readonly ours: string; readonly wrong: string }, signal?: AbortSignal): NetRequest {
  const { method = 'GET', path, headers = {}, body, key = 'ours', isManaged = true } = call
  return {
    method,
    url: base + path,
    headers: {
      accept: 'application/json',
      ...(key === 'none' ? {} : { authorization: `Bearer ${keys[key]}` }),
      ...(isManaged ? { 'service-version': '1' } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
  }
}

async function toReply(method: string, path: string, response: NetResponse): Promise<Reply> {
  const bytes = await readBody(response, maximumBytes)
  const text = bytes.length > textBytes ? '' : new TextDecoder().decode(bytes)
  return { method, path, status: response.status, headers: response.headers, bytes, text, json: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller checks this: most answers must be JSON, and a file must not.
    return undefined
  }
}

function openStream(response: NetResponse, lastEventId: string): OpenStream {
  const reader = createEventReader(lastEventId)
  const parts = response.body[Symbol.asyncIterator]()
  const waiting: StreamEvent[] = []
  return {
    status: response.status,
    contentType: response.headers['content-type'] ?? '',
    next: async () => {
      while (waiting.length === 0) {
        const part = await parts.next()
        if (part.done === true) return null
        waiting.push(...reader.push(part.value))
      }
      return waiting.shift() ?? null
    },
    close: async () => void (await parts.return?.()),
  }
}

function waitOf(reply: Reply, attempt: number, wallMs: number): number {
  return Math.min(120_000, readRetryAfter(reply.headers, wallMs) ?? Math.min(60_000, 2000 * 2 ** attempt))
}

function unreachable(call: Call, cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted || cause instanceof SpritewrightError) return cause
  const { code } = cause as { code?: unknown }
  return new SpritewrightError('SW_UNREACHABLE', {
    message: `Expected an answer to ${call.method ?? 'GET'} ${call.path}, found none (${typeof code === 'string' ? code : 'the connection failed'}). Check the base URL and the network, then run the command again.`,
    facts: { path: call.path },
  })
}
