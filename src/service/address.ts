import { SpritewrightError } from '../errors.ts'
import { isLoopbackHost } from '../host/net/address-blocks.ts'

/** The parsed address of the service. */
export interface ServiceAddress {
  /** Scheme, host and port, e.g. `https://api.example.com`. */
  readonly origin: string
  /** Path of the base URL without a trailing slash; empty at the root. */
  readonly path: string
  /** Host (with port) and path, a part of every request's identity. */
  readonly host: string
  readonly isLoopback: boolean
}

/**
 * Parses the base URL of a service. The URL may have a path. The key is sent to this URL, so plain `http:` is
 * allowed on this machine only.
 *
 * @throws `SW_CONFIG` unless `baseUrl` is an `https:` URL (or `http:` on loopback) without user name, query and
 * fragment.
 */
export function parseServiceAddress(baseUrl: string): ServiceAddress {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  const isLoopback = url !== null && isLoopbackHost(url.hostname)
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (url === null || !isPlain || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback))) {
    throw new SpritewrightError('SW_CONFIG', {
      message: `Expected the service's base URL as https://host or https://host/path (http only on this machine; no user name, query or fragment), found ${describeBase(url)}. Correct the service's base URL.`,
      facts: { option: 'service.baseUrl' },
    })
  }
  const path = url.pathname.replace(/\/+$/, '')
  return { origin: url.origin, path, host: url.host + path, isLoopback }
}

/** Describes a URL without its user name, password and query, which may be secrets. */
function describeBase(url: URL | null): string {
  if (url === null) return 'a text that is no URL'
  const extra = url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== ''
  return `${url.protocol}//${url.host}${url.pathname}${extra ? ' with more than host and path' : ''}`
}

/** Longest id of a reply that may become part of a path, in characters. */
const longestId = 200

/**
 * Turns an id into one segment of a path. Ids come from the service, from the lock file and from records, so
 * each id is checked before its use.
 *
 * @param what Names the id's owner in the error, e.g. `the execution`.
 * @returns The percent-encoded id.
 * @throws `SW_WIRE` for an empty or too long id, for control characters and lone surrogates, and for `.` or
 * `..` as the id or between its slashes, at any number of percent-encodings, because a URL or a proxy would
 * resolve the dots.
 */
export function toSegment(what: string, id: string): string {
  if (isSegment(id)) return encodeURIComponent(id)
  throw new SpritewrightError('SW_WIRE', {
    message: `Expected the id of ${what} as 1 to ${longestId} characters that name one part of a path, found ${JSON.stringify(id.slice(0, 60))}. Nothing was sent; if it is from the lock file, restore that file, else report it to the service.`,
    facts: { what, found: id.slice(0, longestId) },
  })
}

/** Whether {@link toSegment} accepts an id. */
export function isSegment(id: string): boolean {
  if (id === '' || id.length > longestId) return false
  const plain = decoded(id)
  return !/[\p{Cc}\p{Cs}]/u.test(plain) && !plain.split(/[/\\]/).some((part) => part === '.' || part === '..')
}

/** Removes nested percent-encodings. The recursion ends, because each round makes the text shorter. */
function decoded(text: string): string {
  const inner = text.replace(/%(?:u00)?([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return inner === text ? text : decoded(inner)
}
