import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request at a server, with its body read to the end. */
export interface ServedRequest {
  readonly method: string
  /** Path with query, as sent, e.g. `/v1/sprite-pricing?frame_count=12`. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
}

/** A response: whole bytes, or a stream whose pieces are sent as they come. */
export interface ServedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  /** Cuts the connection after this many bytes of the body (faults); 0 cuts before the status line. */
  readonly cutAfter?: number
}

/** Answers one request. It uses no sockets, so that a simulator can call it in process. */
export type RequestHandler = (request: ServedRequest) => Promise<ServedResponse>

/** A listening server. */
export interface Listener {
  /** Origin without a trailing slash, e.g. `http://127.0.0.1:8123`. */
  readonly url: string
  readonly port: number
  /** Stops listening and closes all connections, including open streams. */
  close(): Promise<void>
}

/** Longest request body. A longer one is dropped and answered with 413. */
const maximumBodyBytes = 64 * 1024 * 1024

/**
 * Listens and passes every request to `handle`.
 *
 * @param port 0 chooses a free one.
 * @param address Of this machine, by default loopback.
 */
export async function listen(handle: RequestHandler, port: number = 0, address: string = '127.0.0.1'): Promise<Listener> {
  const server = createServer((incoming, outgoing) => {
    const gone = new AbortController()
    outgoing.on('close', () => gone.abort())
    const parts: Buffer[] = []
    let length = 0
    incoming.on('data', (part: Buffer) => {
      length += part.length
      if (length <= maximumBodyBytes) parts.push(part)
    })
    incoming.on('end', () => {
      if (length > maximumBodyBytes) return void outgoing.writeHead(413).end()
      const headers: Record<string, string> = {}
      for (const [name, value] of Object.entries(incoming.headers))
        if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
      const request: ServedRequest = {
        method: incoming.method ?? 'GET',
        path: incoming.url ?? '/',
        headers,
        body: Buffer.concat(parts),
        signal: gone.signal,
      }
      handle(request)
        .then((response) => answer(outgoing, response))
        .catch(() => outgoing.destroy())
    })
    incoming.on('error', () => gone.abort())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => resolve())
  })
  const taken = (server.address() as AddressInfo).port
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${taken}`,
    port: taken,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(outgoing: import('node:http').ServerResponse, response: ServedResponse): Promise<void> {
  if (response.cutAfter === 0) return void outgoing.destroy()
  outgoing.writeHead(response.status, response.headers)
  if (response.body instanceof Uint8Array) {
    if (response.cutAfter === undefined) return void outgoing.end(response.body)
    outgoing.write(response.body.subarray(0, response.cutAfter), () => outgoing.destroy())
    return
  }
  outgoing.flushHeaders()
  let sent = 0
  for await (const part of response.body) {
    if (outgoing.destroyed) return
    const rest = response.cutAfter === undefined ? part.length : Math.min(part.length, response.cutAfter - sent)
    sent += rest
    const isCut = response.cutAfter !== undefined && sent >= response.cutAfter
    await new Promise<void>((resolve) => outgoing.write(part.subarray(0, rest), () => resolve()))
    if (isCut) return void outgoing.destroy()
  }
  outgoing.end()
}
