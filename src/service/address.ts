import { SpritewrightError } from '../errors.ts'

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
  const name = hostname.replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return true
  const ipv4 = parseIpv4(name) ?? mappedIpv4(name)
  return ipv4 !== null && ipv4 >>> 24 === 127
}

/** IPv4 blocks that no public service has: [first address, prefix length], from the IANA special-purpose registry. */
const privateBlocks: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
]

/** Whether a URL's host name is loopback, or an address literal inside a private, link-local or reserved block. Names are not looked up. */
export function isPrivateHost(hostname: string): boolean {
  if (isLoopbackHost(hostname)) return true
  const ipv4 = parseIpv4(hostname.replace(/\.$/, '')) ?? mappedIpv4(hostname)
  if (ipv4 !== null) {
    return privateBlocks.some(([first, length]) => (ipv4 ^ (parseIpv4(first) ?? 0)) >>> (32 - length) === 0)
  }
  // `URL` writes IPv6 in its shortest form: `[::]`, `[fc..]`/`[fd..]` unique local, `[fe80..febf]` link-local, `[64:ff9b:` IPv4 behind NAT64.
  return /^\[(::\]|f[cd][0-9a-f]{2}:|fe[89a-f][0-9a-f]:|ff[0-9a-f]{2}:|64:ff9b:|::[0-9a-f]{1,4}(:[0-9a-f]{1,4})?\])/.test(hostname)
}

function parseIpv4(text: string): number | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (match === null) return null
  return match.slice(1).reduce((address, part) => ((address << 8) | Number(part)) >>> 0, 0)
}

/** `[::ffff:7f00:1]`, the form in which `URL` writes an IPv4-mapped address. */
function mappedIpv4(hostname: string): number | null {
  const match = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname)
  if (match === null) return null
  return ((Number.parseInt(match[1] ?? '0', 16) << 16) | Number.parseInt(match[2] ?? '0', 16)) >>> 0
}
