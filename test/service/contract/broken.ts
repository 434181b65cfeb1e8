import { json } from '../../kit/scripted-net.ts'
import { at, type Change, instead, isPost, key, onRefusal, refuse, withHeaders } from './sound-service.ts'

/** Changes of the sound service, with the clauses that each of them breaks. */
export const brokenPromises: readonly [string, readonly string[], Change][] = [
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

/** A service whose balance is another one at each request. */
function countingBalance(): Change {
  let count = 0
  return at('/balance', () => ({ credits: `${++count}` }))
}

/** Further changes, which leave something open, or break more than one thing. */
export const openPromises: readonly [string, Change][] = [
  ['no capabilities', instead(({ url }) => url.includes('/capabilities'), refuse(503, 'service_unavailable'))],
  ['capabilities that are a list', at('/capabilities', () => [])],
  ['capabilities without modes', at('/capabilities', () => ({ operations: 'all' }))],
  ['capabilities of another version and mode', at('/capabilities', (body) => ({ ...body, api_version: '2', key_mode: 'demo' }))],
  ['more operations', at('/capabilities', (body) => ({ ...body, operations: ['video', 'sprite_sheet', 'dance'] }))],
  ['no operation but an estimate', at('/capabilities', (body) => ({ ...body, operations: ['upscale'] }))],
  ['an operation without an estimate', instead(({ url }) => url.includes('/sprite-pricing'), refuse(403, 'access_denied'))],
  ['estimates that fail', instead(({ url }) => url.includes('/sprite-pricing'), refuse(500, 'internal_error'))],
  ['a first estimate alone', instead(({ url }) => url.includes('/sprite-pricing?'), json(200, { credits: 7 }))],
  ['an estimate without a version', at('/sprite-pricing', ({ price_version: _, ...body }) => body)],
  ['an estimate without a word on storing', withHeaders('/sprite-pricing', { 'cache-control': '' })],
  ['an empty balance', at('/balance', () => ({}))],
  ['a balance that is a list', at('/balance', () => [1])],
  ['no balance', instead(({ url, headers }) => url.endsWith('/balance') && headers.authorization === `Bearer ${key}`, refuse(404, 'gone'))],
  ['a balance that changes', countingBalance()],
  [
    'version 1 alone is searched',
    instead((one) => one.url.includes('/executions/') && one.headers['service-version'] !== '1', refuse(404, 'resource_not_found')),
  ],
  ['no refusal of others', instead((_one, status) => status === 404, json(200, {}))],
  ['an upload that is strange', at('/reference-assets', () => ({ id: 1 }))],
]
