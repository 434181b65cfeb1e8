import type { ServedResponse } from '../../host/server.ts'
import type { FaultDeed } from '../options/fault-plan.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** Members that a response must have (N18), and those that the next request needs. */
const needed: ReadonlySet<string> = new Set(
  `execution_id status key_mode credits asset_id image_job finished_assets download_url question question_id text
   error reason message retryable`.split(/\s+/),
)

/**
 * Changes a successful JSON answer as a deed says. Other answers stay. The interface allows no other members
 * in envelopes and estimates, so those stay as well.
 */
export function rewriteJson(deed: FaultDeed, response: ServedResponse): ServedResponse {
  const { body, headers, status } = response
  if (status >= 400 || !(body instanceof Uint8Array) || !/^application\/json/.test(headers['content-type'] ?? '')) return response
  const value = JSON.parse(new TextDecoder().decode(body)) as Json
  const changed = rewrite(deed, value)
  if (changed === value) return response
  const bytes = new TextEncoder().encode(JSON.stringify(changed))
  return { ...response, headers: { ...headers, 'content-length': String(bytes.length) }, body: bytes }
}

/** Changes a JSON value as a deed says. Returns the same value if there is nothing to change. */
export function rewrite(deed: FaultDeed, value: Json): Json {
  if (isObject(value) && 'price_version' in value) return value
  let changed = value
  if (deed.unknownStatus !== undefined && isObject(changed) && 'execution_id' in changed && 'status' in changed)
    changed = { ...changed, status: deed.unknownStatus }
  if (deed.dropOptionalFields === true) changed = inObjects(changed, (members) => members.filter(([name]) => needed.has(name)))
  if (deed.addUnknownFields === true)
    changed = inObjects(changed, (members) => [['x_unknown', { nested: [1, 'two', null] }], ...members, ['x_later', null]])
  return changed
}

type Members = readonly (readonly [name: string, value: Json])[]

function inObjects(value: Json, change: (members: Members) => Members): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => inObjects(item, change))
  if (!isObject(value)) return value
  return Object.fromEntries(change(Object.entries(value).map(([name, member]) => [name, inObjects(member, change)] as const)))
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Replaces a body with bytes that no reader expects: no JSON, no picture, no UTF-8. */
export function garble(response: ServedResponse): ServedResponse {
  const body = Uint8Array.from({ length: 64 }, (_, index) => (index * 167 + 131) % 256)
  return { ...response, headers: { ...response.headers, 'content-length': String(body.length) }, body }
}
