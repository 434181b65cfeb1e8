import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { gzip } from 'node:zlib'
import type { ViteDevServer } from 'vite'
import { errorCodes, SpritewrightError } from '../../../src/index.ts'
import { toPanelError } from '../../failure.ts'
import { type GuardRefusal, isForeign, ownAddress, refuseRequest } from '../../http/guard.ts'
import { guardHost, pathOf, refuseHost } from '../../http/middleware.ts'
import { type PageShelf, sendPage } from '../../http/pages.ts'
import type { ActionName, PanelRefusal } from '../../protocol/actions.ts'
import { type Actions, spendingActions } from './actions.ts'
import { OfferChanged } from './approval-offer.ts'
import { overtakenWords, type PanelOrigin } from './origin.ts'
import type { PanelFile } from './page-files.ts'
import { bodyLimit, isAction, parseRequest } from './request-schemas.ts'

/** The handlers behind the panel's addresses. */
export interface PanelRoutes {
  readonly origin: PanelOrigin
  /** Folder of the project. Errors name files from there. */
  readonly root: string
  readonly actions: Actions
  /** Returns a file of the built page by its path; `undefined` if there is none. */
  readonly file: (path: string) => Promise<PanelFile | undefined>
  /** Finds a packed page of a sprite. */
  readonly page: PageShelf['find']
  /** Answers `GET api/NAME`, by NAME. */
  readonly reads: Readonly<Record<string, (query: URLSearchParams, request: IncomingMessage) => Promise<unknown>>>
  /** Takes over `GET api/events`. */
  readonly events: (response: ServerResponse) => void
  /** Whether a text may be sent. A text that contains the API key may not. */
  readonly maySend: (text: string) => boolean
}

/**
 * Allows only the panel's own resources. No other page may frame the panel, so that every click on it is
 * meant.
 */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; worker-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Characters of the shortest answer that is compressed. */
const leastZipped = 16_384

/** Path of Vite's own handler that opens a file in the person's editor, below its base. */
const editorPath = '__open-in-editor'

/**
 * Answers requests at the panel's own origin: its page to everyone who may see the game, its actions to requests
 * that the guard accepts.
 */
export function createPanelHandler(server: ViteDevServer, routes: PanelRoutes): RequestListener {
  return (request, response) => {
    response.setHeader('X-Content-Type-Options', 'nosniff')
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
    response.setHeader('Referrer-Policy', 'no-referrer')
    if (refuseHost(request, response, server.config.server)) return
    answer(server, routes, request, response).catch((error: unknown) => respondError(routes, response, error))
  }
}

/** Sends a browser from the panel's path on the dev server to its own origin, without the token. */
export function redirectToPanel(server: ViteDevServer, prefix: string, origin: PanelOrigin): void {
  guardHost(server, prefix)
  server.middlewares.use(async (request, response, next) => {
    const path = pathOf(request)
    if (!`${path}/`.startsWith(prefix)) return next()
    response.setHeader('Cache-Control', 'no-store')
    if (path.length > prefix.length) {
      response.statusCode = 404
      return void response.end()
    }
    // If Vite runs in a server of another program, this is the first sign that a person wants the panel.
    await origin.open()
    response.statusCode = origin.url === undefined ? 503 : 302
    if (origin.url !== undefined) response.setHeader('Location', origin.url + (request.url ?? '').slice(path.length))
    response.end(origin.url === undefined ? 'The panel does not run. The terminal says why.' : undefined)
  })
}

async function answer(server: ViteDevServer, routes: PanelRoutes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { origin } = routes
  // Every browser sets this header when it asks for the script of a service worker. The panel has none.
  if (request.headers['service-worker'] !== undefined) {
    origin.overtake()
    return refuse(routes, response, { status: 403, words: 'Expected no service worker at this address.' })
  }
  if (!pathOf(request).startsWith(origin.prefix)) {
    response.statusCode = 404
    return void response.end()
  }
  const path = pathOf(request).slice(origin.prefix.length)
  const name = /^api\/([a-z-]+)$/.exec(path)?.[1]
  if (name !== undefined && isAction(name)) return act(routes, name, request, response)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD')
    return refuse(routes, response, { status: 405, words: `Expected GET, found ${request.method ?? 'no method'}.` })
  }
  if (name === undefined && path !== editorPath && !path.startsWith('pages/')) return serveFile(routes, path, request, response)
  if (isForeign(request)) return refuse(routes, response, { status: 403, words: 'Expected a request from the same origin.' })
  if (path.startsWith('pages/')) return sendPage(path.slice('pages/'.length), routes.page, request, response)
  if (path === editorPath) {
    request.url = server.config.base + (request.url ?? '').slice(origin.prefix.length)
    return server.middlewares(request, response)
  }
  const read = name !== undefined && Object.hasOwn(routes.reads, name) ? routes.reads[name] : undefined
  if (read) {
    const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '')
    return respond(routes, response, 200, await read(query, request), request)
  }
  if (name === 'events') {
    response.setHeader('Cache-Control', 'no-store')
    return routes.events(response)
  }
  response.statusCode = 404
  response.end()
}

async function act(routes: PanelRoutes, name: ActionName, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { origin } = routes
  const refusal: GuardRefusal | undefined = origin.isOvertaken
    ? { status: 403, words: overtakenWords }
    : refuseRequest(request, ownAddress(origin.listening), origin.token, spendingActions.has(name))
  if (refusal) {
    if (refusal.status === 405) response.setHeader('Allow', 'POST')
    return refuse(routes, response, refusal)
  }
  const body = await readBody(request, bodyLimit(name))
  if (!body) {
    response.setHeader('Connection', 'close')
    return refuse(routes, response, { status: 413, words: `Expected at most ${bodyLimit(name)} bytes, found more.` })
  }
  const take = routes.actions[name] as (ask: unknown) => Promise<unknown>
  respond(routes, response, 200, await take(parseRequest(name, body)))
}

async function serveFile(routes: PanelRoutes, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = path === '' ? 'index.html' : path
  const file = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/.test(name) ? await routes.file(name) : undefined
  if (!file) {
    response.statusCode = 404
    return void response.end()
  }
  response.setHeader('Content-Type', file.contentType)
  response.setHeader('Cache-Control', 'no-cache')
  response.setHeader('Content-Security-Policy', pagePolicy)
  response.setHeader('X-Frame-Options', 'DENY')
  // No page that opened the panel, or was in its tab before, keeps a hold of it.
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  // Removes a service worker that an earlier server on this port has left.
  if (path === '') response.setHeader('Clear-Site-Data', '"storage"')
  response.end(request.method === 'HEAD' ? undefined : file.bytes)
}

/** Reads the body of a request. Returns `undefined` if it is too long. */
async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  if (Number.parseInt(request.headers['content-length'] ?? '0', 10) > limit) return undefined
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > limit) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function refuse(
  routes: PanelRoutes,
  response: ServerResponse,
  { status, words }: { readonly status: GuardRefusal['status'] | 413; readonly words: string },
): void {
  respond(routes, response, status, { error: { code: 'SW_GUARD', message: words } } satisfies PanelRefusal)
}

function respondError(routes: PanelRoutes, response: ServerResponse, thrown: unknown): void {
  if (response.headersSent) return void response.end()
  const refusal: PanelRefusal = {
    error: toPanelError(thrown, routes.root),
    ...(thrown instanceof OfferChanged ? { offer: thrown.offer } : {}),
  }
  respond(routes, response, statusOf(thrown), refusal)
}

/** HTTP status by the exit code: 409 if a person has to decide, 502 if the service failed. */
function statusOf(thrown: unknown): number {
  if (thrown instanceof AggregateError) return Math.max(...thrown.errors.map(statusOf))
  if (!(thrown instanceof SpritewrightError)) return 500
  const { exit } = errorCodes[thrown.code]
  return exit === 2 ? 400 : exit === 1 ? 500 : exit === 4 ? 502 : 409
}

function respond(routes: PanelRoutes, response: ServerResponse, status: number, body: unknown, request?: IncomingMessage): void {
  const text = JSON.stringify(body)
  const maySend = routes.maySend(text)
  response.statusCode = maySend ? status : 500
  response.setHeader('Content-Type', 'application/json')
  response.setHeader('Cache-Control', 'no-store')
  if (!maySend)
    return void response.end('{"error":{"code":"SW_KEY_EXPOSED","message":"The answer would have held the API key, and was not sent."}}')
  if (text.length < leastZipped || !/\bgzip\b/.test(String(request?.headers['accept-encoding']))) return void response.end(text)
  response.setHeader('Content-Encoding', 'gzip')
  gzip(text, { level: 1 }, (error, bytes) => response.end(error ? undefined : bytes))
}
