import type { Net, NetRequest, NetResponse } from '../../src/host/net.ts'

/** What a script returns: an answer, or an error that the request rejects with. */
export type Reply =
  | { status: number; headers?: Record<string, string>; body?: string | Uint8Array; cutAfter?: number }
  | Error
  /** Never answers; rejects when it is aborted. */
  | 'silence'

/** A net in memory. `script` answers each request; it gets the request's number, from 0. */
export function scriptedNet(script: (request: NetRequest, number: number) => Reply): Net & { readonly requests: NetRequest[] } {
  const requests: NetRequest[] = []
  return {
    requests,
    request: async (request) => {
      if (request.signal?.aborted) throw request.signal.reason
      const reply = script(request, requests.push(request) - 1)
      if (reply instanceof Error) throw reply
      if (reply === 'silence') return never(request)
      const body = typeof reply.body === 'string' ? new TextEncoder().encode(reply.body) : (reply.body ?? new Uint8Array())
      return { status: reply.status, headers: reply.headers ?? {}, body: toBody(body, reply.cutAfter) }
    },
    close: async () => {},
  }
}

/** JSON as a reply. */
export function json(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}

/** An error envelope as a reply. */
export function refused(status: number, reason: string, more: Record<string, unknown> = {}, headers: Record<string, string> = {}): Reply {
  const error = {
    code: reason.toUpperCase(),
    reason,
    message: `about ${reason}`,
    category: 'TEST',
    retryable: false,
    request_id: '6f1c9c1e-7d0a-4d3e-9f0e-1c9a7b2d3e4f',
    ...more,
  }
  return json(status, { error }, headers)
}

async function* toBody(bytes: Uint8Array, cutAfter: number | undefined): AsyncGenerator<Uint8Array> {
  if (cutAfter === undefined) yield bytes
  else {
    yield bytes.subarray(0, cutAfter)
    throw new Error('other side closed')
  }
}

function never(request: NetRequest): Promise<NetResponse> {
  return new Promise((_, reject) => request.signal?.addEventListener('abort', () => reject(request.signal?.reason)))
}
