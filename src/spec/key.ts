import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { SpritewrightError } from '../errors.ts'
import type { ServiceIdentity, SheetRequest } from './request.ts'

/**
 * The identity of one paid thing: SHA-256, lower-case hex, of the RFC 8785 form of everything that makes the picture and of where it is bought.
 *
 * Names, paths, prices and ceilings are no part of it, so a rename, a repack or a new price never buys again.
 */
export function requestHash(request: SheetRequest, identity: ServiceIdentity): string {
  const hasOptions = request.options !== undefined && Object.keys(request.options).length > 0
  return canonicalHash({
    v: 1,
    operation: request.operation,
    prompt: request.prompt,
    reference: request.referenceSha256,
    frames: request.frames,
    background: request.background,
    ...(hasOptions ? { options: request.options } : {}),
    take: request.take,
    apiVersion: identity.apiVersion,
    host: identity.host,
    keyMode: identity.keyMode,
  })
}

/**
 * The key of something that can be made again: SHA-256, lower-case hex, of the RFC 8785 form of its parts (request hashes, free fields, versions).
 *
 * @throws `SW_INTERNAL` for what JSON cannot hold: a bigint, a function, NaN.
 */
export function buildKey(parts: unknown): string {
  return canonicalHash(parts)
}

function canonicalHash(value: unknown): string {
  let text: string | undefined
  try {
    text = canonicalize(value)
  } catch (cause) {
    throw new SpritewrightError('SW_INTERNAL', { message: 'Expected plain JSON data for a key, found something else.', cause })
  }
  if (text === undefined) throw new SpritewrightError('SW_INTERNAL', { message: 'Expected plain JSON data for a key, found nothing.' })
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
