import type { EmbeddedCore } from '../../../src/embedded/core.ts'
import type { Clock } from '../../../src/host/clock.ts'
import type { Net, NetRequest, NetResponse } from '../../../src/host/net.ts'
import type { ServedRequest } from '../../../src/host/server.ts'
import { api, assets } from '../world.ts'

/** Requests by their purpose. */
export const requestKinds = ['submit', 'answer', 'upload', 'read', 'download', 'events'] as const
export type RequestKind = (typeof requestKinds)[number]

/** The fate of a request. */
export const netOutcomes = [
  /** Never arrives; the connection breaks. */
  'lostRequest',
  /** Arrives and is done; the connection breaks. */
  'lostResponse',
  /** A gateway answers 500, and the service receives nothing. */
  '500before',
  /** The service itself answers 503, retryable, and has done nothing. */
  '503before',
  /** Is done; a gateway answers 502. */
  '502after',
  '429',
  '409',
  '401',
  /** Is done; the answer breaks off in the middle. */
  'cut',
  /** Is done at once and answered after up to two minutes. */
  'slow',
  /** Never answered, never done. */
  'hang',
  /** The connection breaks, but the request still arrives up to two minutes later. */
  'late',
  /** Arrives twice. */
  'twice',
  /** Is done; a proxy answers with a page of its own. */
  'garbage',
] as const
export type NetOutcome = (typeof netOutcomes)[number]

/** One planned fault of the network. */
export interface NetFault {
  readonly on: RequestKind
  /** The first request of that kind that is affected, from 1. */
  readonly at: number
  /** How many of these requests in a row are affected. */
  readonly times: number
  readonly outcome: NetOutcome
  /** 0 to 400: where an answer is cut, or how long it takes in thirds of a second. */
  readonly size: number
}

/** The purpose of a request, by its method and path. */
export function kindOf({ method, url }: Pick<NetRequest, 'method' | 'url'>): RequestKind {
  if (method === 'POST') return url.endsWith('/v1/execute') ? 'submit' : url.endsWith('/answers') ? 'answer' : 'upload'
  if (url.endsWith('/events')) return 'events'
  return url.startsWith(`${api}/`) && !url.endsWith('/asset') ? 'read' : 'download'
}

/**
 * The wire between a process and the service, without loss. Only an event stream can be left before its end.
 */
export function serviceNet(service: EmbeddedCore): Net {
  return {
    close: async () => {},
    request: async (wanted) => {
      const isAsset = wanted.url.startsWith(`${assets}/`)
      const origin = isAsset ? assets : api
      const gone = kindOf(wanted) === 'events' ? leaving(wanted.signal) : undefined
      const request: ServedRequest = {
        method: wanted.method,
        path: wanted.url.slice(origin.length),
        headers: { host: origin.slice('http://'.length), ...wanted.headers },
        body: wanted.body ?? new Uint8Array(),
        signal: gone?.signal ?? nobodyLeaves,
      }
      const { status, headers, body } = await (isAsset ? service.handleAsset(request) : service.handle(request))
      return { status, headers: headers as Readonly<Record<string, string>>, body: gone ? whole(body, gone) : whole(body) }
    },
  }
}

const nobodyLeaves = new AbortController().signal

function leaving(signal: AbortSignal | undefined): AbortController {
  const gone = new AbortController()
  signal?.addEventListener('abort', () => gone.abort(), { once: true })
  return gone
}

async function* whole(body: Uint8Array | AsyncIterable<Uint8Array>, gone?: AbortController): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body
  else {
    try {
      yield* body
    } finally {
      gone?.abort()
    }
  }
}

/**
 * A network with planned faults.
 *
 * @param told Called for each fault that happens.
 */
export function faultyNet(net: Net, clock: Clock, faults: readonly NetFault[], told: () => void): Net {
  if (faults.length === 0) return net
  const seen: number[] = []
  return {
    close: () => net.close(),
    request: async (wanted) => {
      const kind = kindOf(wanted)
      let outcome: NetFault | undefined
      for (const [index, fault] of faults.entries()) {
        if (fault.on !== kind) continue
        const count = (seen[index] ?? 0) + 1
        seen[index] = count
        if (count >= fault.at && count < fault.at + fault.times) outcome ??= fault
      }
      if (!outcome) return net.request(wanted)
      told()
      return play(net, clock, wanted, outcome)
    },
  }
}

async function play(net: Net, clock: Clock, wanted: NetRequest, { outcome, size }: NetFault): Promise<NetResponse> {
  // An unread response must be closed, or an event stream would stay open at the service.
  const gone = new AbortController()
  wanted.signal?.addEventListener('abort', () => gone.abort(wanted.signal?.reason), { once: true })
  const forward = (): Promise<NetResponse> => net.request({ ...wanted, signal: gone.signal })
  const done = async (): Promise<void> => {
    await forward()
    gone.abort()
  }
  switch (outcome) {
    case 'lostRequest':
      throw broken()
    case 'lostResponse':
      await done()
      throw broken()
    case '500before':
      return page(500)
    case '503before':
      return envelope(503, 'temporarily_unavailable', true)
    case '502after':
      await done()
      return page(502)
    case '429':
      return envelope(429, 'rate_limited', true)
    case '409':
      return envelope(409, 'conflict', false)
    case '401':
      return envelope(401, 'authentication_failed', false)
    case 'cut':
      return cut(await forward(), size)
    case 'slow': {
      const response = await forward()
      await clock.sleep(size * 333, wanted.signal)
      return response
    }
    case 'hang':
      wanted.signal?.throwIfAborted()
      return new Promise((_resolve, reject) => {
        wanted.signal?.addEventListener('abort', () => reject(wanted.signal?.reason), { once: true })
      })
    case 'late':
      void clock.sleep(size * 333).then(() => net.request({ ...wanted, signal: new AbortController().signal }).then(leave))
      throw broken()
    case 'twice':
      await done()
      return net.request(wanted)
    case 'garbage':
      await done()
      return page(200)
  }
}

/** Reads nothing and closes the response. */
async function leave(response: NetResponse): Promise<void> {
  for await (const _part of response.body) return
}

function broken(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })
}

function answer(status: number, contentType: string, text: string): NetResponse {
  const bytes = new TextEncoder().encode(text)
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  return { status, headers: { 'content-type': contentType, 'content-length': String(bytes.length) }, body: body() }
}

function page(status: number): NetResponse {
  return answer(status, 'text/html', '<html><h1>proxy</h1></html>')
}

function envelope(status: number, reason: string, retryable: boolean): NetResponse {
  const error = {
    code: reason.toUpperCase(),
    reason,
    message: 'not now',
    category: reason.toUpperCase(),
    retryable,
    request_id: '00000000-0000-4000-8000-000000000000',
  }
  return answer(status, 'application/json', JSON.stringify({ error }))
}

/** The first bytes of an answer. Then the connection breaks, or ends as if the answer were complete. */
function cut(response: NetResponse, size: number): NetResponse {
  const body = async function* (): AsyncGenerator<Uint8Array> {
    let left = size
    for await (const part of response.body) {
      if (part.length >= left) {
        yield part.subarray(0, left)
        if (size % 2 === 0) return
        throw broken()
      }
      left -= part.length
      yield part
    }
  }
  return { ...response, body: body() }
}
