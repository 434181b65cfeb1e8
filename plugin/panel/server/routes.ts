import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connect, ViteDevServer } from 'vite'
import { errorCodes, SpritewrightError } from '../../../src/index.ts'
import { toPanelError } from '../../failure.ts'
import { type GuardRefusal, isForeign, ownAddress, refuseRequest } from '../../http/guard.ts'
import { guardHost } from '../../http/middleware.ts'
import type { PanelRefusal } from '../../protocol/actions.ts'
import { addedHeader, guardWorkers } from '../../workers.ts'
import { type Actions, spendingActions } from './actions.ts'
import { OfferChanged } from './approval-offer.ts'
import type { PanelFile } from './page-files.ts'
import { type ActionName, bodyLimit, isAction, parseRequest } from './request-schemas.ts'

/** The handlers behind the panel's addresses. */
export interface PanelRoutes {
  /** `<base>__spritewright/`. */
  readonly prefix: string
  /** Folder of the project. Errors name files from there. */
  readonly root: string
  readonly token: string
  readonly actions: Actions
  /** Returns a file of the built page by its path; `undefined` if there is none. */
  readonly file: (path: string) => Promise<PanelFile | undefined>
  /** Answers `GET api/state`. */
  readonly state: (request: IncomingMessage, query: URLSearchParams) => Promise<unknown>
  /** Answers `GET api/frames`. */
  readonly frames: (query: URLSearchParams) => Promise<unknown>
  /** Answers `GET api/atlases`. */
  readonly atlases: () => Promise<unknown>
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
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Serves the panel: its page to everyone who may see the game, its actions to requests that the guard
 * accepts.
 */
export function servePanel(server: ViteDevServer, routes: PanelRoutes): void {
  const isOurs = (request: IncomingMessage): boolean => pathOf(request).startsWith(routes.prefix)
  // This handler is in front of Vite's own. Those would allow other origins to send requests and to read the
  // responses, and would answer preflight requests for the panel.
  const noCors: Connect.NextHandleFunction = (request, response, next) => {
    if (!isOurs(request)) return next()
    const setHeader = response.setHeader.bind(response)
    response.setHeader = (name, value) => (/^access-control-/i.test(name) ? response : setHeader(name, value))
    if (request.method !== 'OPTIONS') return next()
    response.statusCode = 405
    response.end()
  }
  server.middlewares.stack.unshift({ route: '', handle: noCors })
  guardHost(server, routes.prefix)
  guardWorkers(server, routes.prefix)
  server.middlewares.use((request, response, next) => {
    if (`${pathOf(request)}/` === routes.prefix) return redirect(response, routes.prefix)
    if (!isOurs(request)) return next()
    response.setHeader('X-Content-Type-Options', 'nosniff')
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
    response.setHeader('Referrer-Policy', 'no-referrer')
    answer(server, routes, request, response).catch((error: unknown) => respondError(routes, response, error))
  })
}

async function answer(server: ViteDevServer, routes: PanelRoutes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = pathOf(request).slice(routes.prefix.length)
  const name = /^api\/([a-z-]+)$/.exec(path)?.[1]
  if (name !== undefined && isAction(name)) return act(server, routes, name, request, response)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD')
    return refuse(routes, response, { status: 405, words: `Expected GET, found ${request.method ?? 'no method'}.` })
  }
  if (name === undefined) return serveFile(server, routes, path, request, response)
  if (isForeign(request)) return refuse(routes, response, { status: 403, words: 'Expected a request from the same origin.' })
  const query = new URLSearchParams((request.url ?? '').split('?')[1] ?? '')
  if (name === 'state') return respond(routes, response, 200, await routes.state(request, query))
  if (name === 'frames') return respond(routes, response, 200, await routes.frames(query))
  if (name === 'atlases') return respond(routes, response, 200, await routes.atlases())
  if (name === 'events') {
    response.setHeader('Cache-Control', 'no-store')
    return routes.events(response)
  }
  response.statusCode = 404
  response.end()
}

async function act(
  server: ViteDevServer,
  routes: PanelRoutes,
  name: ActionName,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = refuseRequest(request, ownAddress(server), routes.token, spendingActions.has(name))
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

async function serveFile(
  server: ViteDevServer,
  routes: PanelRoutes,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
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
  response.setHeader(openerHeader, openerPolicy(response.getHeader(openerHeader) ?? addedHeader(server, openerHeader)))
  response.end(request.method === 'HEAD' ? undefined : file.bytes)
}

const openerHeader = 'cross-origin-opener-policy'

/**
 * The policy of the panel's page. It separates the page, and so its token, from a page that opened it or was in
 * its tab before, even from one of the same origin. Pages of one origin stay connected if they have the same
 * policy, so the panel's policy differs from the game's.
 */
function openerPolicy(ofGame: unknown): string {
  return /^\s*same-origin\s*(?:;|$)/.test(String(ofGame)) ? 'same-origin-allow-popups' : 'same-origin'
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

function redirect(response: ServerResponse, to: string): void {
  response.statusCode = 302
  response.setHeader('Location', to)
  response.end()
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
  if (!(thrown instanceof SpritewrightError)) return 500
  const { exit } = errorCodes[thrown.code]
  return exit === 2 ? 400 : exit === 1 ? 500 : exit === 4 ? 502 : 409
}

function respond(routes: PanelRoutes, response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  const maySend = routes.maySend(text)
  response.statusCode = maySend ? status : 500
  response.setHeader('Content-Type', 'application/json')
  response.setHeader('Cache-Control', 'no-store')
  response.end(maySend ? text : '{"error":{"code":"SW_KEY_EXPOSED","message":"The answer would have held the API key, and was not sent."}}')
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?')[0] ?? ''
}
