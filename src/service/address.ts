import { SpritewrightError } from '../errors.ts'
import { isLoopbackIp, isSpecialIp } from '../host/address-blocks.ts'

/** Where the service lives, taken apart once. */
export interface ServiceAddress {
  /** Scheme, host and port, e.g. `https://api.example.com`. */
  readonly origin: string
  /** Path of the base URL without a trailing slash; empty at the root. */
  readonly path: string
  /** Host (with port) and path: a part of every request's identity. */
  readonly host: string
  readonly isLoopback: boolean
}

/**
 * Reads the base URL of a service. It may have a path; a key is sent to it, so plain `http:` is for this machine only.
 *
 * @throws `SW_CONFIG` for anything but an `https:` URL (or `http:` on loopback) without user name, query and fragment.
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

/** Names what was found without a user name, password or query, which may be secrets. */
function describeBase(url: URL | null): string {
  if (url === null) return 'a text that is no URL'
  const extra = url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== ''
  return `${url.protocol}//${url.host}${url.pathname}${extra ? ' with more than host and path' : ''}`
}

/** Whether a URL's host name (as `URL` writes it) is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const name = toPlainHost(hostname)
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackIp(name)
}

/**
 * Whether a URL's host name is this machine, or an IP address that is not public. Names are not looked up.
 */
export function isPrivateHost(hostname: string): boolean {
  return isLoopbackHost(hostname) || isSpecialIp(toPlainHost(hostname))
}

/** Without the brackets of IPv6 and the dot that may end a name. */
function toPlainHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
