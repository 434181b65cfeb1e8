import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { isLoopbackHost } from './net/address-blocks.ts'
import { describeProxies, readProxies } from './net/proxies.ts'

/** One HTTP request. Redirects are never followed and nothing is retried; the caller decides about both. */
export interface NetRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  /** Absolute `http:` or `https:` URL. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Aborts the request and the reading of its body. */
  readonly signal?: AbortSignal
  /**
   * Longest wait for the response's headers, in milliseconds.
   *
   * @default 30000
   */
  readonly headersTimeoutMs?: number
  /**
   * Longest pause inside the body, in milliseconds. 0 waits for ever (event streams).
   *
   * @default 30000
   */
  readonly bodyTimeoutMs?: number
}

/** A response whose headers have arrived. The body arrives while it is read. */
export interface NetResponse {
  readonly status: number
  /** Names in lower case. Repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** Without any content coding, e.g. gzip. Readable once. If the reader leaves the loop early, the connection is closed. */
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * The network, passed in. A request without a response rejects. It is then unknown whether the request was
 * received.
 */
export interface Net {
  request(request: NetRequest): Promise<NetResponse>
  /**
   * Waits for open requests and closes all connections, so that a process can end. A later request opens new
   * ones. A second call does nothing.
   */
  close(): Promise<void>
}

/**
 * The network of this machine, by undici, without its redirects, retries or cookie jar. undici is loaded with
 * the first request, because most runs send none.
 *
 * @param env Holds the usual variables of proxies. This machine itself is called without a proxy.
 */
export function nodeNet(env: Readonly<Record<string, string | undefined>> = {}): Net {
  const open = new Map<string, Dispatcher>()
  return {
    request: async (wanted) => {
      // By its file: Bun has a package of this name of its own, which cannot close.
      const { EnvHttpProxyAgent, request } = await import('undici/index.js')
      const proxies = readProxies(isLoopbackHost(new URL(wanted.url).hostname) ? {} : env)
      const proxyWords = describeProxies(proxies)
      const dispatcher =
        open.get(proxyWords) ?? new EnvHttpProxyAgent({ connectTimeout: 10_000, connections: 16, pipelining: 1, ...proxies })
      open.set(proxyWords, dispatcher)
      const response = await request(wanted.url, {
        dispatcher,
        method: wanted.method,
        headers: { 'accept-encoding': 'identity', ...wanted.headers },
        body: wanted.body === undefined ? null : Buffer.from(wanted.body.buffer, wanted.body.byteOffset, wanted.body.byteLength),
        headersTimeout: wanted.headersTimeoutMs ?? 30_000,
        bodyTimeout: wanted.bodyTimeoutMs ?? 30_000,
        signal: wanted.signal,
      }).catch((error: unknown) => {
        const isOwn = proxyWords === '' || wanted.signal?.aborted
        throw isOwn ? error : new Error(`through the proxy ${proxyWords}`, { cause: error })
      })
      const headers: Record<string, string> = Object.create(null)
      for (const [name, value] of Object.entries(response.headers)) {
        if (value !== undefined) headers[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
      }
      return decoded({ status: response.statusCode, headers, body: response.body }, wanted.method)
    },
    close: async () => {
      const dispatchers = [...open.values()]
      open.clear()
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()))
    },
  }
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * Undoes the codings of a body, although none was asked for: a store may keep files coded. What is counted afterwards
 * is the bytes without a coding.
 */
function decoded(response: NetResponse & { readonly body: Readable }, method: string): NetResponse {
  const { 'content-encoding': written = '', 'content-length': _length, ...headers } = response.headers
  const codings = written
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
  if (codings.length === 0 || method === 'HEAD' || response.status === 204 || response.status === 304) return response
  const steps = codings.reverse().map((name) => (Object.hasOwn(decoders, name) ? decoders[name]?.() : undefined))
  if (steps.length > 3 || !steps.every((step) => step !== undefined)) {
    response.body.on('error', () => {}).destroy()
    throw new Error(`the body has the coding ${written.slice(0, 60)}, expected none, or gzip, deflate or br`)
  }
  // The reader gets the error of any step from the last one.
  const body = pipeline([response.body, ...steps], () => {}) as unknown as AsyncIterable<Uint8Array>
  return { status: response.status, headers, body }
}

/**
 * Reads a body to its end.
 *
 * @throws `RangeError` as soon as the body is longer than `maximumBytes`. The connection is closed then.
 */
export async function readBody(response: NetResponse, maximumBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body) {
    length += part.length
    if (length > maximumBytes) throw new RangeError(`Expected a body of at most ${maximumBytes} bytes, found more.`)
    parts.push(part)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
