import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { SpritewrightError } from '../errors.ts'
import type { PaidRequest, ServiceIdentity } from './request.ts'

/**
 * The identity of one paid thing: SHA-256, lower-case hex, of the RFC 8785 form of everything that makes the picture and of where it is bought.
 *
 * Names, paths, prices and ceilings are no part of it, so a rename, a repack or a new price never buys again.
 */
export function requestHash(request: PaidRequest, identity: ServiceIdentity): string {
  const { operation, prompt, reference } = request
  const { apiVersion, host, keyMode } = identity
  const where = { apiVersion, host, keyMode }
  // A file stands by its hash alone, a step by its request: the two can never be taken for one another.
  const from = reference === undefined ? {} : { reference: reference.kind === 'file' ? reference.sha256 : { request: reference.hash } }
  if (request.operation !== 'sprite_sheet') return canonicalHash({ v: 1, operation, prompt, ...from, ...where })
  const { frames, background, take, options } = request
  const hasOptions = options !== undefined && Object.keys(options).length > 0
  return canonicalHash({ v: 1, operation, prompt, ...from, frames, background, ...(hasOptions ? { options } : {}), take, ...where })
}

/**
 * The key of something that can be made again: SHA-256, lower-case hex, of its parts (request hashes, free fields, versions) as JSON. Fields count in the order in which they stand, which
 * one place in our code gives them; another order would only make anew what is there.
 *
 * @param parts Plain data: inside them, a function or NaN would be told apart from nothing and null by nobody.
 * @throws `SW_INTERNAL` for what is no JSON: nothing, a function, or a bigint anywhere.
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
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
