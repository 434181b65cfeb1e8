import { reasonAdvice } from '../service/reasons.ts'
import type { Reply } from './caller.ts'
import type { Finding } from './check.ts'
import { isRecord, isUuid, kindOf, records, wrongKinds } from './records.ts'

/** The `error` of an envelope; an empty object if the reply has none. */
export function errorOf(reply: Reply): Readonly<Record<string, unknown>> {
  return isRecord(reply.json) && isRecord(reply.json.error) ? reply.json.error : {}
}

/** Returns the differences between a refusal and the interface's envelope and headers. */
export function envelopeFaults(reply: Reply): string[] {
  const at = `${reply.method} ${withoutQuery(reply.path)} (${reply.status})`
  return [...bodyFaults(reply.json), ...headerFaults(reply)].map((fault) => `${at}: ${fault}`)
}

function bodyFaults(body: unknown): string[] {
  if (!isRecord(body) || !isRecord(body.error)) return [`expected a JSON object with one key "error", found ${kindOf(body)}`]
  const { error, ...rest } = body
  const faults = Object.keys(rest).length > 0 ? [`expected one key "error", found also ${Object.keys(rest).join(', ')}`] : []
  const expected = Object.keys(records.error)
  const missing = expected.filter((field) => error[field] === undefined || error[field] === null)
  if (missing.length > 0) faults.push(`expected error.${missing.join(', error.')}, found none`)
  const further = Object.keys(error).filter((field) => !expected.includes(field) && field !== 'details')
  if (further.length > 0) faults.push(`expected six fields and details in error, found also ${further.join(', ')}`)
  faults.push(...wrongKinds(error, records.error, 'error'))
  if (typeof error.request_id === 'string' && !isUuid(error.request_id))
    faults.push('expected error.request_id as a UUID, found another text')
  if (error.details !== undefined && !isRecord(error.details))
    faults.push(`expected error.details as an object, found ${kindOf(error.details)}`)
  return faults
}

function headerFaults({ headers }: Reply): string[] {
  const faults: string[] = []
  if (!isUuid(headers['x-request-id']))
    faults.push(`expected X-Request-ID as a UUID, found ${headers['x-request-id'] === undefined ? 'none' : 'another text'}`)
  if (!/\bno-store\b/i.test(headers['cache-control'] ?? '')) faults.push('expected Cache-Control: no-store, found it missing')
  if (!/\bno-cache\b/i.test(headers.pragma ?? '')) faults.push('expected Pragma: no-cache, found it missing')
  return faults
}

/** The refusal that a check expects: any of the statuses with any of the reasons. */
export interface ExpectedRefusal {
  readonly status: readonly number[]
  readonly reason: readonly string[]
}

/**
 * Returns complaints if a reply is not the expected refusal, and otherwise an empty list. Another check covers
 * the envelope.
 */
export function refusalFaults(reply: Reply, what: string, expected: ExpectedRefusal): string[] {
  const { reason } = errorOf(reply)
  const wanted = `${expected.status.join(' or ')} ${expected.reason.join(' or ')}`
  if (!expected.status.includes(reply.status)) return [`Expected ${wanted} for ${what}, found ${reply.status}${shown(reason)}`]
  if (typeof reason === 'string' && !expected.reason.includes(reason))
    return [`Expected ${wanted} for ${what}, found ${reply.status}${shown(reason)}`]
  return []
}

/** "Not found" or "access denied". The interface does not say which of the two a service answers (N10). */
export const notOurs: ExpectedRefusal = { status: [403, 404], reason: ['access_denied', 'resource_not_found'] }

/** Returns the reasons that the interface does not list. */
export function unknownReasons(replies: readonly Reply[]): string[] {
  const found = replies.map((reply) => errorOf(reply).reason).filter((reason) => typeof reason === 'string')
  return [...new Set(found)].filter((reason) => !Object.hasOwn(reasonAdvice, reason))
}

/** The finding for a status that no check expected, e.g. a gateway's. */
export function strange(reply: Reply, what: string): Finding {
  return { broken: `Expected an answer to ${what} as the interface shows it, found ${reply.status}${shown(errorOf(reply).reason)}.` }
}

function shown(reason: unknown): string {
  return typeof reason === 'string' ? ` ${reason.slice(0, 60)}` : ''
}

function withoutQuery(path: string): string {
  return path.replace(/\?.*$/s, '')
}
