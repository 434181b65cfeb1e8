import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ViteDevServer } from 'vite'
import type { BuiltPage } from '../../src/index.ts'
import { guardHost, pathOf } from './middleware.ts'

/**
 * Number of pages that are kept although no sprite shows them any more. A game that got their URLs may still
 * fetch them.
 */
const keptPages = 64

/** The pages that a dev server serves. */
export interface PageShelf {
  /** Adds all pages that are shown now. The oldest of the others are removed. */
  put(pages: readonly BuiltPage[]): void
  find(sha256: string): BuiltPage | undefined
}

/**
 * Creates an empty shelf.
 *
 * @param kept Number of pages that are kept although no sprite shows them any more.
 * @default 64
 */
export function createPageShelf(kept: number = keptPages): PageShelf {
  const pages = new Map<string, BuiltPage>()
  return {
    find: (sha256) => pages.get(sha256),
    put: (shown) => {
      for (const page of shown) {
        // A map keeps the insertion order of its keys, so the oldest come first.
        pages.delete(page.sha256)
        pages.set(page.sha256, page)
      }
      for (const sha256 of pages.keys()) {
        if (pages.size <= shown.length + kept) break
        pages.delete(sha256)
      }
    },
  }
}

/** Serves pages from memory under a prefix of the dev server, by content hash. */
export function servePages(server: ViteDevServer, prefix: string, find: PageShelf['find']): void {
  guardHost(server, prefix)
  server.middlewares.use((request, response, next) => {
    const path = pathOf(request)
    if (!path.startsWith(prefix)) return next()
    sendPage(path.slice(prefix.length), find, request, response)
  })
}

/** Sends the page with a file name. An ETag keeps a browser from fetching it twice. */
export function sendPage(name: string, find: PageShelf['find'], request: IncomingMessage, response: ServerResponse): void {
  const page = find(/^([0-9a-f]{64})\.[a-z0-9]+$/.exec(name)?.[1] ?? '')
  if (!page || (request.method !== 'GET' && request.method !== 'HEAD')) {
    response.statusCode = page ? 405 : 404
    return void response.end()
  }
  const etag = `"${page.sha256}"`
  response.setHeader('ETag', etag)
  response.setHeader('Cache-Control', 'no-cache')
  if (request.headers['if-none-match'] === etag) {
    response.statusCode = 304
    return void response.end()
  }
  response.setHeader('Content-Type', page.contentType)
  response.setHeader('Content-Length', page.bytes.length)
  response.end(request.method === 'HEAD' ? undefined : page.bytes)
}
