import canonicalize from 'canonicalize'
import { SpritewrightError } from '../errors.ts'
import { sha256 } from '../host/sha256.ts'
import type { PaidRequest, ServiceIdentity } from './request.ts'

/**
 * The request hash: SHA-256, lower-case hex, of the RFC 8785 form of the request's paid fields and of the
 * service identity.
 *
 * Names, paths, prices and ceilings are not part of the hash. A rename, a repack or a new price never causes a
 * purchase.
 */
export function requestHash(request: PaidRequest, identity: ServiceIdentity): string {
  const { operation, prompt, reference } = request
  const { apiVersion, host, keyMode } = identity
  const where = { apiVersion, host, keyMode }
  // A file is named by its hash alone, a step by an object with its request hash, so the two never collide.
  const from = reference === undefined ? {} : { reference: reference.kind === 'file' ? reference.sha256 : { request: reference.hash } }
  const { take } = request
  if (request.operation !== 'sprite_sheet')
    return canonicalHash({ v: 1, operation, prompt, ...from, ...(take > 1 ? { take } : {}), ...where })
  const { frames, background, options } = request
  const hasOptions = options !== undefined && Object.keys(options).length > 0
  return canonicalHash({ v: 1, operation, prompt, ...from, frames, background, ...(hasOptions ? { options } : {}), take, ...where })
}

/**
 * The key of something that can be made again: SHA-256, lower-case hex, of its parts (request hashes, free
 * fields, versions) as JSON.
 *
 * The order of fields matters. One place in the code sets the order, and another order would only cause a rebuild.
 *
 * @param parts Plain data. JSON omits a nested function and writes a nested NaN as `null`, so the key is the same
 * as without the function and with `null`.
 * @throws `SW_INTERNAL` if the parts are not JSON: `undefined`, a function, or a bigint at any depth.
 */
export function buildKey(parts: unknown): string {
  return hashOf(() => JSON.stringify(parts) as string | undefined)
}

function canonicalHash(value: unknown): string {
  return hashOf(() => canonicalize(value))
}

function hashOf(toText: () => string | undefined): string {
  let text: string | undefined
  try {
    text = toText()
  } catch (cause) {
    throw new SpritewrightError('SW_INTERNAL', { message: 'Expected plain JSON data for a key, found something else.', cause })
  }
  if (text === undefined) throw new SpritewrightError('SW_INTERNAL', { message: 'Expected plain JSON data for a key, found nothing.' })
  return sha256(text)
}
