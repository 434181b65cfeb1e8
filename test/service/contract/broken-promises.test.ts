import { describe, expect, test } from 'vitest'
import { type ContractOptions, runContract } from '../../../src/contract/suite.ts'
import { parseCredits } from '../../../src/credit/credits.ts'
import type { NetRequest } from '../../../src/host/net.ts'
import { ManualClock } from '../../kit/manual-clock.ts'
import { countingRandom } from '../../kit/memory-disk.ts'
import { json, type Reply, refused, scriptedNet } from '../../kit/scripted-net.ts'
import { events, executed, paidId, zip } from './executed.ts'
import { otherId } from './held-job.ts'

const key = 'sw_test_0123456789abcdef0123456789abcdef'
const origin = 'https://api.example.com'
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
const refuse = (status: number, reason: string, more: Record<string, unknown> = {}): Reply => refused(status, reason, more, privately)

/** A service in memory that keeps all promises. Its one execution is complete at once. */
function soundly({ method, url, headers, body }: NetRequest): Reply {
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

type Change = (request: NetRequest, reply: Exclude<Reply, Error | 'silence'>) => Reply

async function check(change: Change, options: Partial<ContractOptions> = {}) {
  const net = scriptedNet((request) => change(request, soundly(request) as Exclude<Reply, Error | 'silence'>))
  const limits = { post: 1000, get: 1000, download: 1000 }
  const lines = await runContract({ net, clock: new ManualClock(), random: countingRandom() }, { baseUrl: origin, key, limits, ...options })
  return { net, lines, broken: lines.filter(({ verdict }) => verdict === 'broken').map(({ clause }) => clause) }
}

const at =
  (path: string, change: (body: Record<string, unknown>) => unknown): Change =>
  (request, reply) =>
    request.url.includes(path) && reply.status < 300 && reply.headers?.['content-type'] === 'application/json'
      ? { ...reply, body: JSON.stringify(change(JSON.parse(String(reply.body)))) }
      : reply
const onRefusal =
  (change: (error: Record<string, unknown>) => Record<string, unknown>): Change =>
  (_request, reply) =>
    reply.status >= 400 ? { ...reply, body: JSON.stringify({ error: change(JSON.parse(String(reply.body)).error) }) } : reply
const withHeaders =
  (path: string, headers: Record<string, string>): Change =>
  (request, reply) =>
    request.url.includes(path) || path === `${reply.status}` ? { ...reply, headers: { ...reply.headers, ...headers } } : reply
const instead =
  (isMeant: (request: NetRequest, status: number) => boolean, other: Reply): Change =>
  (request, reply) =>
    isMeant(request, reply.status) ? other : reply
const isPost = ({ method }: NetRequest): boolean => method === 'POST'

describe('a free promise that a service breaks is named, and no other is:', () => {
  const rows: readonly [string, readonly string[], Change][] = [
    ['nothing', [], (_request, reply) => reply],
    [
      'a read without a key is a conflict',
      ['C1'],
      instead(
        ({ method, url, headers }) => method === 'GET' && url.endsWith('/capabilities') && headers.authorization === undefined,
        refuse(422, 'conflict'),
      ),
    ],
    ['a submission without a key is accepted', ['C1'], instead((one) => isPost(one) && !one.headers.authorization, json(202, {}))],
    ['a submission with a wrong key is accepted', ['C1'], instead((one, status) => isPost(one) && status === 401, json(202, {}))],
    ['a read with a wrong key is 403', ['C1'], instead((one, status) => !isPost(one) && status === 401, refuse(403, 'access_denied'))],
    ['the events of others are open', ['C1'], instead(({ url }) => url.endsWith('/events'), { status: 200 })],
    ['version 2 is served', ['C2'], instead(({ headers }) => headers['service-version'] === '2', refuse(404, 'resource_not_found'))],
    ['what others said is deleted', ['C12'], instead(({ method }) => method === 'DELETE', { status: 204 })],
    [
      'an asset is given without a key',
      ['C26'],
      instead(({ url, headers }) => url.endsWith('/asset') && !headers.authorization, { status: 302 }),
    ],
    [
      'an asset of others is given',
      ['C26'],
      instead(({ url, headers }) => url.endsWith('/asset') && !!headers.authorization, { status: 302 }),
    ],
    ['the capabilities have a limit as text', ['C16'], at('/capabilities', (body) => ({ ...body, maximum_input_bytes: '9' }))],
    ['the prices have a boundary as text', ['C16'], at('/capabilities', (body) => ({ ...body, sprite_pricing: { tier_boundary: '9' } }))],
    ['a query changes the capabilities', ['C16'], at('/capabilities?', (body) => ({ ...body, api_version: '3' }))],
    ['the API version is missing', ['C38'], at('/capabilities', ({ api_version: _, ...body }) => body)],
    ['the use of test credits is a text', ['C16', 'C38'], at('/capabilities', (body) => ({ ...body, test_mode_uses_credits: 'no' }))],
    ['an image costs two credits', ['C13'], at('/capabilities', (body) => ({ ...body, live_charge_credits_per_image: 2 }))],
    ['an estimate is given without the operation', ['C17'], at('/capabilities', (body) => ({ ...body, operations: [] }))],
    ['the balance is a number of another field', ['C20'], at('/balance', () => ({ amount: 1 }))],
    ['the balance is no amount', ['C20'], at('/balance', () => ({ credits: '1e3' }))],
    ['no picture is taken', ['N1'], instead(({ url }) => url.endsWith('/reference-assets'), refuse(403, 'access_denied'))],
    ['an estimate has a further field', ['C18'], at('/sprite-pricing', (body) => ({ ...body, discount: 1 }))],
    ['an estimate is for other frames', ['C18'], at('/sprite-pricing?frame_count=100', (body) => ({ ...body, frame_count: 99 }))],
    ['an estimate is for another background', ['C18'], at('background=keep', (body) => ({ ...body, background: 'remove' }))],
    ['an estimate may be kept by proxies', ['C18'], withHeaders('/sprite-pricing', { 'cache-control': 'no-store' })],
    ['an estimate may be stored', ['C18'], withHeaders('200', { 'cache-control': 'private, no-cache' })],
    ...['frame_count=6', 'frame_count=101', 'frame_count=7.5', 'frame_count=canary', 'background=canary'].map(
      (query): [string, string[], Change] => [
        `an estimate is given for ${query}`,
        ['C18'],
        instead(({ url }) => url.includes(`?${query}`), json(200, {})),
      ],
    ),
    ['an estimate is of another account', ['C18'], instead(({ url }) => url.includes('/sprite-pricing?account='), json(200, {}))],
    ['a price has another version', ['C19'], at('/sprite-pricing', (body) => ({ ...body, price_version: 'v2' }))],
    ['an error has a seventh field', ['C27'], onRefusal((error) => ({ ...error, hint: 1 }))],
    ['an error lacks its message', ['C27'], onRefusal(({ message: _, ...error }) => error)],
    ['an error has a number as category', ['C27'], onRefusal((error) => ({ ...error, category: 3 }))],
    ['an error has details as a list', ['C27'], onRefusal((error) => ({ ...error, details: [] }))],
    ['an error has another text as its id', ['C27'], onRefusal((error) => ({ ...error, request_id: 'r-1' }))],
    ['an error may be stored', ['C27'], withHeaders('404', { 'cache-control': 'private' })],
    ['an error may be cached', ['C27'], withHeaders('404', { pragma: '' })],
    ['an error has no id in its headers', ['C27'], withHeaders('404', { 'x-request-id': '7' })],
    [
      'a header of an error repeats the query',
      ['C27'],
      (one, reply) => (reply.status < 400 ? reply : { ...reply, headers: { ...reply.headers, 'x-url': one.url } }),
    ],
    [
      'a reason is not public',
      ['C1', 'C12', 'C26', 'C28'],
      onRefusal((error) => (error.reason === 'resource_not_found' ? { ...error, reason: 'gone' } : error)),
    ],
    [
      'a 429 is not retryable',
      ['C1', 'C29'],
      instead(({ url }) => url.endsWith('/events'), refuse(429, 'rate_limited', { category: 'RATE_LIMITED' })),
    ],
    ['the body of the balance repeats the key', ['C40'], at('/balance', (body) => ({ ...body, for: key }))],
    ['a header of the balance repeats the key', ['C40'], withHeaders('/balance', { 'x-for': key })],
  ]

  test.each(rows)('%s', async (_what, clauses, change) => {
    const { broken, lines } = await check(change)
    expect([...new Set(broken)].sort()).toEqual([...clauses].sort())
    expect(JSON.stringify(lines)).not.toContain(key)
  })
})

describe('the one execution that is bought', () => {
  const spend = parseCredits('10')
  const isSubmission = ({ url, headers }: NetRequest): boolean => url.endsWith('/v1/execute') && headers['idempotency-key'] !== undefined

  test.each([
    ['1.5999', [], 'above the ceiling of 1.5999'],
    ['1.6', ['1.6', '0.0001'], '--spend 3.2'],
    ['3.1999', ['1.6', '0.0001'], '--spend 3.2'],
    ['3.2', ['1.6', '0.0001', '1.6', '1.6'], '--spend 4.8'],
    ['4.7999', ['1.6', '0.0001', '1.6', '1.6'], '--spend 4.8'],
    ['4.8', ['1.6', '0.0001', '1.6', '0.0001', '1.6'], ''],
  ])('C15: under a ceiling of %s sends these maxima, in this order', async (ceiling, maxima, words) => {
    const { net, lines } = await check((_request, reply) => reply, { spend: parseCredits(ceiling) })
    const sent = net.requests.filter(isSubmission).map(({ body }) => JSON.parse(new TextDecoder().decode(body)).max_credits)
    expect(sent).toEqual(maxima)
    expect(lines.some((line) => line.words.includes(words))).toBe(true)
  })

  test('C3, I6: is recorded before it is sent, sent again with key and bytes after a lost answer, and kept', async () => {
    const told: string[] = []
    const recorded: Readonly<Record<string, unknown>>[] = []
    let submissions = 0
    const { net } = await check(
      (request, reply) => {
        if (!isSubmission(request)) return reply
        told.push('sent')
        return submissions++ === 0 ? new Error('other side closed') : reply
      },
      {
        spend: parseCredits('1.6'),
        record: async (intent) => {
          recorded.push(intent)
          told.push('recorded')
        },
        keep: async (bytes, id) => void told.push(`kept ${bytes.length === zip.length} ${id}`),
      },
    )
    expect(told).toEqual(['recorded', 'sent', 'sent', 'sent', `kept true ${paidId}`])
    const [first, second] = net.requests.filter(isSubmission)
    expect(second).toEqual(first)
    expect(recorded).toMatchObject([{ key: first?.headers['idempotency-key'], maxCredits: '1.6' }])
  })

  test('C25: its file is asked for without key and version, at the place of the redirect', async () => {
    const { net } = await check((_request, reply) => reply, { spend })
    const outside = net.requests.filter(({ url }) => !url.startsWith(origin))
    expect(outside.map(({ url, headers }) => [url, headers])).toEqual([['https://files.example.com/signed', { accept: '*/*' }]])
  })

  test.each([
    ['with an address without TLS', { status: 302, headers: { location: 'http://files.example.com/x' } }, 0],
    ['that gives the file itself', { status: 200, body: zip }, 1],
  ])('C25: a link %s is not followed, and what was paid is kept', async (_what, link, count) => {
    const kept: Uint8Array[] = []
    const { net, lines } = await check(
      instead(({ url }) => url.endsWith(`${otherId}/asset`), link),
      { spend, keep: async (bytes) => void kept.push(bytes) },
    )
    expect(net.requests.filter(({ url }) => !url.startsWith(origin))).toEqual([])
    expect(kept).toHaveLength(count)
    expect(lines.find(({ clause }) => clause === 'C25')?.verdict).toBe('broken')
  })

  test('C26: a download on another origin is not asked for with the key', async () => {
    const elsewhere = 'https://evil.example.com/v1/image-jobs/x/asset'
    const { net, lines } = await check(
      at(`/v1/executions/${paidId}`, (body) => ({
        ...body,
        image_job: { ...executed.image_job, finished_assets: [{ download_url: elsewhere }] },
      })),
      { spend },
    )
    expect(net.requests.filter(({ url }) => url.includes('evil'))).toEqual([])
    expect(lines.find(({ title }) => title.startsWith('the download URL'))?.verdict).toBe('broken')
  })
})
