import { type ContractLine, type ContractOptions, runContract } from '../../../src/contract/suite.ts'
import type { NetRequest } from '../../../src/host/net.ts'
import { ManualClock } from '../../kit/manual-clock.ts'
import { countingRandom } from '../../kit/memory-disk.ts'
import { json, type Reply, refused, scriptedNet } from '../../kit/scripted-net.ts'
import { events, executed, paidId, zip } from './executed.ts'
import { otherId } from './held-job.ts'

/** The key of the account. */
export const key = 'sw_test_0123456789abcdef0123456789abcdef'
/** The place of the service. */
export const origin = 'https://api.example.com'
const capabilities = {
  api_version: '1',
  key_mode: 'live',
  operations: ['text_to_image', 'sprite_sheet'],
  live_charge_credits_per_image: 1,
  test_mode_uses_credits: true,
}
const estimated = {
  price_version: 'sprite-base-frame-20261017-v1',
  credits: '1.6',
  reference_usd: '0.16',
  reference_credit_cents: 10,
  binding: false,
}
const privately = { 'cache-control': 'private, no-store', pragma: 'no-cache', 'x-request-id': otherId }
/** A refusal as the interface shows it. */
export const refuse = (status: number, reason: string, more: Record<string, unknown> = {}): Reply =>
  refused(status, reason, more, privately)

/** A service in memory that keeps all promises. Its one execution is complete at once. */
export function soundly({ method, url, headers, body }: NetRequest): Reply {
  if (!url.startsWith(origin)) return { status: 200, body: zip }
  const { pathname: path, searchParams: query } = new URL(url)
  if (headers.authorization === undefined) return refuse(422, 'invalid_request')
  if (headers.authorization !== `Bearer ${key}`) return refuse(401, 'authentication_failed')
  if (path === '/v1/capabilities') return json(200, capabilities)
  if (path === '/v1/balance') return json(200, { credits: '12.5' })
  if (path === '/v1/sprite-pricing') {
    const [count, background] = [Number(query.get('frame_count') ?? 12), query.get('background') ?? 'remove']
    const isValid = Number.isInteger(count) && count >= 7 && count <= 100 && ['remove', 'keep'].includes(background)
    if (!isValid || query.has('account')) return refuse(422, 'invalid_request')
    return json(200, { ...estimated, frame_count: count, background }, privately)
  }
  if (path === '/v1/reference-assets') return json(201, { asset_id: otherId })
  if (headers['service-version'] !== '1') return refuse(422, 'invalid_request')
  if (path === '/v1/execute') {
    if (new TextDecoder().decode(body).includes('"1.6"'))
      return json(202, { execution_id: paidId, conversation_id: paidId, status: 'queued' })
    return headers['idempotency-key']?.endsWith('-under') ? refuse(422, 'invalid_request') : refuse(409, 'conflict')
  }
  if (method === 'GET' && path === `/v1/executions/${paidId}`) return json(200, executed)
  if (path === `/v1/executions/${paidId}/events`) {
    const after = Number(headers['last-event-id'] ?? 0)
    const text = events.slice(after).map(({ event, id, data }) => `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`)
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: text.join('') }
  }
  if (path === `/v1/image-jobs/${otherId}/asset`) return { status: 302, headers: { location: 'https://files.example.com/signed' } }
  return refuse(404, 'resource_not_found')
}

/** Changes an answer of the sound service, so that it breaks a promise. */
export type Change = (request: NetRequest, reply: Exclude<Reply, Error | 'silence'>) => Reply

/** What the suite found and sent. */
export interface Checked {
  readonly net: ReturnType<typeof scriptedNet>
  readonly lines: readonly ContractLine[]
  /** The clauses that are broken, one for each check. */
  readonly broken: readonly string[]
}

/** Checks the sound service with a change. */
export async function check(change: Change, options: Partial<ContractOptions> = {}): Promise<Checked> {
  const net = scriptedNet((request) => change(request, soundly(request) as Exclude<Reply, Error | 'silence'>))
  const limits = { post: 1000, get: 1000, download: 1000 }
  const lines = await runContract({ net, clock: new ManualClock(), random: countingRandom() }, { baseUrl: origin, key, limits, ...options })
  return { net, lines, broken: lines.filter(({ verdict }) => verdict === 'broken').map(({ clause }) => clause) }
}

/** Changes the JSON of answers under a path. */
export const at =
  (path: string, change: (body: Record<string, unknown>) => unknown): Change =>
  (request, reply) =>
    request.url.includes(path) && reply.status < 300 && reply.headers?.['content-type'] === 'application/json'
      ? { ...reply, body: JSON.stringify(change(JSON.parse(String(reply.body)))) }
      : reply
/** Changes the error of each refusal. */
export const onRefusal =
  (change: (error: Record<string, unknown>) => Record<string, unknown>): Change =>
  (_request, reply) =>
    reply.status >= 400 ? { ...reply, body: JSON.stringify({ error: change(JSON.parse(String(reply.body)).error) }) } : reply
/** Adds headers to answers under a path, or with a status. */
export const withHeaders =
  (path: string, headers: Record<string, string>): Change =>
  (request, reply) =>
    request.url.includes(path) || path === `${reply.status}` ? { ...reply, headers: { ...reply.headers, ...headers } } : reply
/** Gives another answer to some requests. */
export const instead =
  (isMeant: (request: NetRequest, status: number) => boolean, other: Reply): Change =>
  (request, reply) =>
    isMeant(request, reply.status) ? other : reply
/** Whether a request is a POST. */
export const isPost = ({ method }: NetRequest): boolean => method === 'POST'
