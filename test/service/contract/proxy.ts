import { nodeClock } from '../../../src/host/clock.ts'
import { nodeNet, readBody } from '../../../src/host/net.ts'
import { type Listener, listen, type ServedRequest, type ServedResponse } from '../../../src/host/server.ts'

/** The changes that a proxy makes. Everything else passes unchanged. */
export interface ProxyDeeds {
  /** Changes a request, or answers it. */
  readonly request?: (request: ServedRequest) => Promise<ServedRequest | ServedResponse>
  /** Changes an answer whose body was read to the end. Streams of events pass as they come. */
  readonly response?: (request: ServedRequest, response: WholeResponse) => Promise<WholeResponse>
  /** Cuts the answer to the client into pieces of this many bytes, each sent after this many milliseconds. */
  readonly pieces?: { readonly bytes: number; readonly delayMs: number }
}

/** An answer with its whole body. */
export interface WholeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** A proxy on loopback in front of another server, with real sockets on both sides. */
export async function startProxy(target: string, deeds: ProxyDeeds = {}): Promise<Listener> {
  const net = nodeNet()
  const listener = await listen(async (asked) => {
    const changed = (await deeds.request?.(asked)) ?? asked
    if ('status' in changed) return changed
    const { 'transfer-encoding': _t, connection: _c, 'content-length': _l, ...headers } = changed.headers
    const response = await net.request({
      method: changed.method as 'GET' | 'POST' | 'DELETE',
      url: target + changed.path,
      headers,
      ...(changed.body.length === 0 ? {} : { body: changed.body }),
      signal: asked.signal,
      bodyTimeoutMs: 0,
    })
    const { 'transfer-encoding': _te, connection: _co, 'keep-alive': _k, 'content-length': _cl, ...passed } = response.headers
    if (/^text\/event-stream/.test(passed['content-type'] ?? '')) {
      return { status: response.status, headers: passed, body: deeds.pieces ? inPieces(response.body, deeds.pieces) : response.body }
    }
    const whole = { status: response.status, headers: passed, body: await readBody(response, 256 * 1024 * 1024) }
    const told = (await deeds.response?.(changed, whole)) ?? whole
    return deeds.pieces ? { ...told, body: inPieces([told.body], deeds.pieces) } : told
  })
  return {
    ...listener,
    close: async () => {
      await listener.close()
      await net.close()
    },
  }
}

async function* inPieces(
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { bytes, delayMs }: { readonly bytes: number; readonly delayMs: number },
): AsyncGenerator<Uint8Array> {
  const clock = nodeClock()
  for await (const part of parts) {
    // A file of many kilobytes in the smallest pieces would take minutes: at most 64 pieces a part.
    const size = Math.max(bytes, Math.ceil(part.length / 64))
    for (let at = 0; at < part.length; at += size) {
      await clock.sleep(delayMs)
      yield part.subarray(at, at + size)
    }
  }
}

/** An answer with another JSON body. */
export function withJson(response: WholeResponse, change: (body: Record<string, unknown>) => unknown): WholeResponse {
  const body = JSON.parse(new TextDecoder().decode(response.body)) as Record<string, unknown>
  return { ...response, body: new TextEncoder().encode(JSON.stringify(change(body))) }
}
