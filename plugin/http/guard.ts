import { createHash, timingSafeEqual } from 'node:crypto'
import type { ViteDevServer } from 'vite'

/** Header in which the panel's page sends the token. */
export const tokenHeader = 'x-spritewright-token'

/**
 * The parts of a request that decide whether it may act. Header names are in lower case, as Node gives them.
 */
export interface GuardedRequest {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** The addresses of a dev server, and who can reach it. */
export interface OwnAddress {
  /** `http://localhost:5173`: the origins of this server's pages. */
  readonly origins: ReadonlySet<string>
  /** Whether only this machine can reach it. */
  readonly isLoopback: boolean
}

/** Why a request may not act. */
export interface GuardRefusal {
  readonly status: 403 | 405 | 415
  readonly words: string
}

/**
 * Checks whether a request may change something. The request must be a POST of JSON from the panel's page,
 * from an origin of this server, with the token that the terminal has printed. All other code in a browser
 * lacks at least one of these: another site, another server on this machine, a page whose name was bound to
 * this address, a module of the game itself.
 *
 * @param token 256 bits that no page, module or cookie of this server contains.
 * @param isSpending Whether the request may lead to a charge. If so, the server must listen on loopback
 * alone.
 * @returns Why the request may not act; `undefined` if it may.
 */
export function refuseRequest(
  { method, headers }: GuardedRequest,
  own: OwnAddress,
  token: string,
  isSpending: boolean,
): GuardRefusal | undefined {
  if (method !== 'POST') return { status: 405, words: `Expected POST, found ${method ?? 'no method'}.` }
  const host = hostOf(headers)
  const { origin } = headers
  if (typeof origin !== 'string' || host === undefined || !own.origins.has(origin) || toHost(origin) !== host)
    return { status: 403, words: 'Expected a request of the panel to its own server, found another Host or Origin.' }
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin')
    return { status: 403, words: 'Expected a request from the same origin, found Sec-Fetch-Site of another.' }
  if (!/^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(String(headers['content-type'] ?? '')))
    return { status: 415, words: 'Expected Content-Type: application/json.' }
  if (!hasToken(headers, token))
    return {
      status: 403,
      words: 'Expected the token of the address that the terminal printed at the start; without it the panel only shows.',
    }
  if (isSpending && !own.isLoopback)
    return {
      status: 403,
      words:
        'This server can be reached from other machines (server.host), so nothing is bought from the panel. Approve in a terminal: npx spritewright approve',
    }
  return undefined
}

/** Whether a request has the token. The check takes the same time for every wrong token. */
export function hasToken(headers: GuardedRequest['headers'], token: string): boolean {
  const given = headers[tokenHeader]
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(token))
}

/** Whether a browser reports that another site sent the request. Such a page must not read our responses. */
export function isForeign({ headers }: GuardedRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** HTTP/2 has `:authority` in place of `Host`. If the two differ, neither counts. */
function hostOf(headers: GuardedRequest['headers']): string | undefined {
  const { host, ':authority': authority } = headers
  const [name = host] = authority === undefined ? [] : [authority]
  return typeof name === 'string' && (host === undefined || host === name) ? name : undefined
}

/** The parts of a dev server's configuration that name it. */
export type NamedServer = Pick<ViteDevServer['config']['server'], 'allowedHosts' | 'host' | 'hmr' | 'origin'>

/** Matches an IP address. A site can bind a name to another machine, but not an address. */
const addressHost = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d+)?$/i

/**
 * Whether a request names the server by an address or by one of its names. If not, a foreign page may have
 * bound its own name to this machine (DNS rebinding). That page could read the response as if its own server
 * had sent it.
 *
 * The names are those of Vite's own check. That check runs after all plugins in Vite 6, and never over TLS.
 */
export function isOwnHost(headers: GuardedRequest['headers'], { allowedHosts, host, hmr, origin }: NamedServer): boolean {
  if (allowedHosts === true) return true
  const asked = hostOf(headers)
  if (asked === undefined) return false
  if (addressHost.test(asked)) return true
  const [name = ''] = asked.split(':')
  const names: readonly unknown[] = [
    ...['localhost', '.localhost', host],
    ...[typeof hmr === 'object' && hmr.host, origin !== undefined && URL.canParse(origin) && new URL(origin).hostname],
    ...(allowedHosts ?? []),
  ]
  return names.some(
    (own) => typeof own === 'string' && (own === name || (own.startsWith('.') && (own.slice(1) === name || name.endsWith(own)))),
  )
}

function toHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}

/** The parts of a dev server that determine its addresses. */
export type ListeningServer = Pick<ViteDevServer, 'httpServer' | 'resolvedUrls'> & {
  readonly config: { readonly server: Pick<ViteDevServer['config']['server'], 'https' | 'host' | 'origin' | 'allowedHosts'> }
}

/**
 * The current addresses of a dev server. Names come from the address on which it listens and from its
 * configuration (`server.host`, whole names of `server.allowedHosts`, `server.origin`), never from a request.
 * Wildcards are not names.
 */
export function ownAddress({ httpServer, resolvedUrls, config }: ListeningServer): OwnAddress {
  const place = httpServer?.address()
  if (!place || typeof place === 'string') return { origins: new Set(), isLoopback: false }
  const { https, host, origin, allowedHosts } = config.server
  const scheme = https ? 'https' : 'http'
  const names = [
    ...namesOf(place.address),
    ...(typeof host === 'string' ? [host] : []),
    ...(Array.isArray(allowedHosts) ? allowedHosts.filter((name) => !name.startsWith('.')) : []),
  ]
  const urls = [
    ...names.map((name) => `${scheme}://${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}:${place.port}`),
    ...(isEverywhere(place.address) ? [...(resolvedUrls?.local ?? []), ...(resolvedUrls?.network ?? [])] : []),
    ...(origin === undefined ? [] : [origin]),
  ]
  return {
    origins: new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)),
    isLoopback: isLoopback(place.address),
  }
}

/** The names by which a page may request an address of this server. */
function namesOf(address: string): readonly string[] {
  if (address === '127.0.0.1' || address === '::1') return ['localhost', address]
  return isEverywhere(address) ? ['localhost', '127.0.0.1', '::1'] : [address]
}

function isEverywhere(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)
}
