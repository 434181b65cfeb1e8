import { notFromProfile, type ProfileRequest, type RequestPort } from '../profile.ts'
import type { FreeRequest } from './free-request.ts'
import type { WireRequest } from './transport.ts'

/**
 * Longest time for the complete answer to a profile's request, in milliseconds. The request may be an upload.
 */
const deadlineMs = 5 * 60_000

/** The client's transport as a profile sees it. It never sends paid work. */
export function toRequestPort(free: FreeRequest, part: string, what: string, signal: AbortSignal | undefined): RequestPort {
  return async (request) => free(toWireRequest(request, part, what), signal)
}

/**
 * Turns a profile's request into a request of the transport.
 *
 * @throws `SW_CONFIG` for a path outside `/v1/`, and for the path of submissions, which only `submit` sends.
 */
export function toWireRequest(request: ProfileRequest, part: string, what: string): WireRequest {
  const path = new URL(request.path, 'https://service.invalid').pathname
  const hasDots = /[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i.test(request.path)
  if (!request.path.startsWith('/v1/') || hasDots || /^\/v1\/execute\/?$/.test(path)) {
    throw notFromProfile(part, 'a path under /v1/ without "." and "..", that is not /v1/execute')
  }
  const { method, body, contentType, idempotencyKey, isManaged } = request
  return { method, path: request.path, what, deadlineMs, body, contentType, idempotencyKey, isManaged }
}
