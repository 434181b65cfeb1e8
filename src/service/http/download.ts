import { SpritewrightError } from '../../errors.ts'
import type { Clock } from '../../host/clock.ts'
import { withDeadline } from '../../host/deadline.ts'
import { isLoopbackHost, isPrivateHost } from '../../host/net/address-blocks.ts'
import type { Net, NetResponse } from '../../host/net.ts'
import { isSegment, type ServiceAddress } from '../address.ts'
import { maximumJsonBytes } from '../json.ts'
import type { Limiter } from '../limits/limits.ts'
import { lostAttempt } from './free-request.ts'
import { type Attempt, type Fault, isGatewayStatus, type RetryTools, retrying, withRetryTime } from './retry.ts'
import { readWhole, type Transport, type WireRequest } from './transport.ts'

/** A complete downloaded file. */
export interface DownloadedFile {
  readonly bytes: Uint8Array
  readonly contentType: string | null
}

/** The ports that {@link createDownload} needs. */
export interface DownloadPorts {
  readonly net: Net
  readonly clock: Clock
  readonly transport: Transport
  readonly limiter: Limiter
  readonly tools: RetryTools
}

/** Longest file in bytes. */
const maximumDownloadBytes = 256 * 1024 * 1024
const deadlineMs = 15 * 60_000
/** Most redirects after the redirect to the signed URL. */
const maximumFurtherHops = 3
const what = 'the download'
/** The `Accept` of downloads alone. */
export const anyType = '*/*'

/** A 403 of the signed URL: the URL has expired, so a new one is requested. */
const expired = Symbol('expired')

/**
 * Follows a `download_url` by hand. The key goes only to the API's own origin; the signed URL gets an
 * `Accept` header alone. A lost or truncated download is retried from the start, because a download is free.
 *
 * The signed URL is a secret for its 15 minutes: no error contains it or its host.
 */
export function createDownload(ports: DownloadPorts): (downloadUrl: string, signal?: AbortSignal) => Promise<DownloadedFile> {
  return async (downloadUrl, signal) => {
    const request: WireRequest = { method: 'GET', path: toAssetPath(downloadUrl, ports.transport.address), what, accept: anyType }
    return retrying(ports.tools, () => attempt(ports, request, signal), signal)
  }
}

/**
 * The path and query of an owned `download_url` under the base URL.
 *
 * @throws `SW_WIRE` unless the URL has the API's exact origin and asset path (C26).
 */
function toAssetPath(downloadUrl: string, address: ServiceAddress): string {
  const url = URL.canParse(downloadUrl, address.origin) ? new URL(downloadUrl, address.origin) : null
  const isOwned = url !== null && url.origin === address.origin && url.username === '' && url.password === ''
  if (isOwned && url.pathname.startsWith(`${address.path}/`)) {
    const path = url.pathname.slice(address.path.length)
    const job = /^\/v1\/image-jobs\/([\w.~-]+)\/asset$/.exec(path)?.[1]
    if (job !== undefined && isSegment(job)) return path + url.search
  }
  throw new SpritewrightError('SW_WIRE', {
    message: `Expected a download_url at ${address.origin}${address.path}/v1/image-jobs/…/asset, found ${isOwned ? 'another path of that origin' : 'one of another origin'}. Nothing was sent to it; report it to the service.`,
    facts: { what, expectedOrigin: address.origin },
  })
}

type Step = Attempt<DownloadedFile> | typeof expired

async function attempt(ports: DownloadPorts, request: WireRequest, signal?: AbortSignal): Promise<Attempt<DownloadedFile>> {
  try {
    const first = await askOnce(ports, request, signal)
    const result = first === expired ? await askOnce(ports, request, signal) : first
    return result === expired ? expiredTwice() : result
  } catch (error) {
    return lostAttempt(error, (cause) => toLost(ports, cause), signal)
  }
}

/** The cause's message may name the signed URL's host, so this error names only the API's. */
function toLost(ports: DownloadPorts, cause: unknown): SpritewrightError {
  if (cause instanceof RangeError) return badRedirect(`a file of more than ${maximumDownloadBytes} bytes`)
  const code = cause instanceof Error ? (cause as { code?: unknown }).code : undefined
  const isOfBody = cause instanceof Error && cause.message.startsWith('the body ')
  return ports.transport.unreachable(new Error(isOfBody ? cause.message : typeof code === 'string' ? code : 'a lost connection'), what)
}

async function askOnce(ports: DownloadPorts, request: WireRequest, signal: AbortSignal | undefined): Promise<Step> {
  const release = await ports.limiter.take('download', signal)
  try {
    return await withDeadline(ports.clock, deadlineMs, signal, async (inTime) => {
      const response = await ports.transport.open(request, inTime)
      release()
      if (isRedirect(response.status)) return followSigned(ports, response, inTime)
      if (response.status >= 200 && response.status <= 299) return { kind: 'done', value: await readFile(response) }
      const body = await readWhole(response, maximumJsonBytes)
      return { kind: 'failed', ...ports.transport.refusal({ status: response.status, headers: response.headers, body }, what) }
    })
  } finally {
    release()
  }
}

async function followSigned(ports: DownloadPorts, redirect: NetResponse, signal: AbortSignal): Promise<Step> {
  const { address } = ports.transport
  let from: URL = new URL(address.origin)
  let response = redirect
  for (let hop = 0; hop <= maximumFurtherHops; hop++) {
    from = toNextHop(response.headers.location, from, address)
    await discard(response)
    response = await ports.net.request({ method: 'GET', url: from.href, headers: { accept: anyType }, signal })
    if (isRedirect(response.status)) continue
    if (response.status === 200) return { kind: 'done', value: await readFile(response) }
    await discard(response)
    return response.status === 403 ? expired : failedSigned(ports, response)
  }
  await discard(response)
  throw badRedirect(`more than ${maximumFurtherHops} redirects after the first`)
}

/**
 * The target of a redirect.
 *
 * @throws `SW_WIRE` for a redirect that must not be followed. The error does not contain the target.
 */
function toNextHop(location: string | undefined, from: URL, address: ServiceAddress): URL {
  if (location === undefined || !URL.canParse(location, from)) throw badRedirect('a redirect without a readable Location')
  const url = new URL(location, from)
  if (url.username !== '' || url.password !== '') throw badRedirect('a redirect with a user name or password in it')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && address.isLoopback && isLoopbackHost(url.hostname))) {
    throw badRedirect('a redirect that leaves https')
  }
  if (!address.isLoopback && isPrivateHost(url.hostname)) throw badRedirect('a redirect into a private network')
  return url
}

function badRedirect(found: string): SpritewrightError {
  return new SpritewrightError('SW_WIRE', {
    message: `Expected the download to lead to a file behind an https address, found ${found}. It was not followed; report it to the service.`,
    facts: { what, found },
  })
}

function failedSigned({ transport, clock }: DownloadPorts, { status, headers }: NetResponse): Attempt<never> {
  const retryAfterMs = transport.retryAfterMs({ headers })
  const error = transport.unreachable(new Error(`status ${status} at the signed address`), what)
  const fault: Fault | null = isGatewayStatus(status) || status === 429 ? { kind: 'transport', retryAfterMs } : null
  return { kind: 'failed', error: withRetryTime(error, retryAfterMs, clock.wall()), fault }
}

function expiredTwice(): Attempt<never> {
  const error = new SpritewrightError('SW_REFUSED', {
    message: `Expected a file at the signed address, found status 403 at two fresh ones. Check this machine's clock and network, then run the same command again: the result is paid and stays with the service.`,
    facts: { what, status: 403, reason: null, retryable: true, requestId: null, details: null },
  })
  return { kind: 'failed', error, fault: null }
}

async function readFile(response: NetResponse): Promise<DownloadedFile> {
  return { bytes: await readWhole(response, maximumDownloadBytes), contentType: response.headers['content-type'] ?? null }
}

function isRedirect(status: number): boolean {
  return status === 302 || status === 303 || status === 307 || status === 308
}

/** Reads an unused body, so that its connection can be used again. A long body is closed instead. */
async function discard(response: NetResponse): Promise<void> {
  let length = 0
  try {
    for await (const part of response.body) {
      length += part.length
      if (length > 65_536) break
    }
  } catch {
    // Status and headers have arrived. A fault at the end of the body changes nothing.
  }
}
