import { isLoopbackHost } from '../host/net/address-blocks.ts'
import type { BlobStore } from './blob-store.ts'
import { addressError, storeError } from './failures.ts'
import { blobsOver } from './http-blobs.ts'
import { createHttpClient, type HttpPorts } from './http-client.ts'

/** A cache that answers at `<base>/cas/<sha256>`. */
export interface HttpCacheAddress {
  readonly kind: 'http-cache'
  /** URL without a slash at its end. */
  readonly base: string
}

/**
 * Parses the address of a cache.
 *
 * @throws `SW_CONFIG` unless it is `https:`, or `http:` on this machine, without user name, query and fragment.
 */
export function parseHttpCacheAddress(text: string): HttpCacheAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (url !== undefined && isAllowed && `${url.username}${url.password}${url.search}${url.hash}` === '')
    return { kind: 'http-cache', base: `${url.origin}${url.pathname.replace(/\/+$/, '')}` }
  throw addressError('https://host/path (http only on this machine; no user name, query or fragment)', 'something else')
}

/**
 * Opens a cache for results, which speaks the HTTP protocol of Bazel's remote cache. The protocol cannot write a file
 * only if its name is free, so the cache cannot keep records.
 *
 * @see https://bazel.build/remote/caching#http-caching
 */
export function openHttpCache(ports: HttpPorts, { base }: HttpCacheAddress): BlobStore {
  const blobs = blobsOver(ports, createHttpClient(ports, { address: base, base }), ({ status }) => status === 404)
  const failure = { address: base, work: 'list its results', found: 'an HTTP cache, whose protocol has no listing' }
  const list = async (): Promise<never> => {
    throw storeError({ ...failure, advice: 'Use the tool of the cache. Many caches remove old files by themselves.' })
  }
  return { ...blobs, list }
}
