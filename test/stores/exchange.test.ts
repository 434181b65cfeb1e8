import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { exchange, readSettled, recordBounds, withTries } from '../../src/stores/exchange.ts'
import { storeError } from '../../src/stores/failures.ts'
import { openHttpCache } from '../../src/stores/http-cache.ts'
import { createHttpClient } from '../../src/stores/http-client.ts'
import { openS3Blobs, openS3Records } from '../../src/stores/s3.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom } from '../kit/memory-disk.ts'
import { type Reply, scriptedNet } from '../kit/scripted-net.ts'

const request = { method: 'GET', url: 'https://s3.test/a', headers: {} } as const

test.each<[string, Reply]>([
  ['comes', { status: 200, body: 'a' }],
  ['breaks', new Error('broken')],
  ['is longer than its reader takes', { status: 200, body: new Uint8Array(recordBounds.maximumBytes + 1) }],
])('an answer that %s ends its time limit, so that no process waits for it', async (_, reply) => {
  const clock = new ManualClock()
  await exchange({ clock, net: scriptedNet(() => reply) }, request, recordBounds).catch(() => {})
  await clock.advance(0)
  expect(clock.sleepers).toBe(0)
})

test('an answer that does not come in time ends its request', async () => {
  const clock = new ManualClock()
  const answer = exchange({ clock, net: scriptedNet(() => 'silence') }, request, recordBounds)
  answer.catch(() => {})
  await clock.advance(recordBounds.timeoutMs)
  await expect(answer).rejects.toThrow('no whole answer within 20 seconds')
})

test.each([
  ['four times if the failure may pass', { mayPass: true }, 4],
  ['once if it does not', { mayPass: false }, 1],
])('a call that fails is tried %s', async (_, { mayPass }, times) => {
  let tries = 0
  const clock = leapingClock()
  const begun = clock.mono()
  const call = withTries({ clock, random: countingRandom() }, async () => {
    tries++
    throw storeError({ address: 's3://team', work: 'read a', found: 'nothing', mayPass })
  })
  await expect(call).rejects.toMatchObject({ code: 'SW_STORE' })
  expect([tries, clock.mono() - begun]).toEqual([times, mayPass ? 150 + 300 + 600 : 0])
})

test.each([
  ['again until the answer fits', 3, 4, 250 + 500 + 1000],
  ['five times again at most, for some seconds, and the last answer counts', 99, 6, 7750],
  ['once if the answer fits at once', 0, 1, 0],
])('an answer that contradicts a known write is read %s', async (_, stale, reads, ms) => {
  const clock = leapingClock()
  const begun = clock.mono()
  let read = 0
  const found = await readSettled(
    clock,
    async () => ++read,
    (number) => number <= stale,
  )
  expect([found, read, clock.mono() - begun]).toEqual([reads, reads, ms])
})

/** A client of a store that answers by a script. */
const clientOf = (reply: Reply) =>
  createHttpClient(
    { clock: new ManualClock(), random: countingRandom(), net: scriptedNet(() => reply) },
    { address: 'https://cache.test', base: 'https://cache.test' },
  )

test.each([
  ...[408, 409, 412, 421, 425, 429, 500, 501, 502, 503, 504].map((status) => [status, '', true] as const),
  ...[301, 400, 401, 403, 404, 405, 413].map((status) => [status, '', false] as const),
  [400, 'RequestTimeout', true],
  [400, 'EntityTooLarge', false],
] as const)('after the answer %i %s of a store, the same call may succeed in a moment: %s', (status, reason, mayPass) => {
  const bytes = new TextEncoder().encode(reason && `<Error><Code>${reason}</Code></Error>`)
  const error = clientOf('silence').refusal('read a', { status, headers: {}, bytes })
  expect(error).toMatchObject({ code: 'SW_STORE', facts: { status, mayPass, store: 'https://cache.test', work: 'read a' } })
  expect([error.facts.reason, error.message.includes(`${status}`)]).toEqual([reason || undefined, true])
})

test.each([
  ['ECONNREFUSED', true],
  ['ENOTFOUND', true],
  ['CERT_HAS_EXPIRED', false],
  ['SELF_SIGNED_CERT_IN_CHAIN', false],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false],
  ['ERR_SSL_WRONG_VERSION_NUMBER', false],
])('a connection to a store that fails by %s may pass: %s', async (code, mayPass) => {
  const failure = new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) })
  const sent = clientOf(failure).send('read a', 'GET', 'a', recordBounds)
  await expect(sent).rejects.toMatchObject({ code: 'SW_STORE', facts: { mayPass, found: `fetch failed (${code})` } })
})

test('a wrong setting of the network, like a proxy that is none, is no failure of the store', async () => {
  const wrong = new SpritewrightError('SW_CONFIG', { message: 'HTTPS_PROXY is no address.' })
  await expect(clientOf(wrong).send('read a', 'GET', 'a', recordBounds)).rejects.toBe(wrong)
})

test('a result that this process has removed is missing at once; one that it has written is looked for again', async () => {
  const net = scriptedNet(({ method }) => ({ status: method === 'HEAD' ? 404 : 200 }))
  const store = openHttpCache({ clock: leapingClock(), random: countingRandom(), net }, { kind: 'http-cache', base: 'https://cache.test' })
  const sha256 = 'a'.repeat(64)
  const looks = async (): Promise<number> => {
    const before = net.requests.length
    expect(await store.has(sha256)).toBe(false)
    return net.requests.length - before
  }
  const counts = [await looks()]
  await store.put(sha256, new Uint8Array(1))
  counts.push(await looks())
  await store.remove(sha256)
  expect([...counts, await looks()]).toEqual([1, 6, 1])
})

const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }

test.each([
  [{}, 'us-east-1'],
  [{ AWS_DEFAULT_REGION: 'eu-b-1' }, 'eu-b-1'],
  [{ AWS_REGION: 'eu-a-1', AWS_DEFAULT_REGION: 'eu-b-1' }, 'eu-a-1'],
  [{ AWS_REGION: ' ', AWS_DEFAULT_REGION: ' eu-b-1 ' }, 'eu-b-1'],
])('with %j, a bucket is asked in the region %s', async (env, region) => {
  const net = scriptedNet(() => ({ status: 404, body: '<Code>NoSuchKey</Code>' }))
  const ports = { clock: leapingClock(), random: countingRandom(), net }
  const store = openS3Records(ports, { ...credentials, ...env }, { kind: 's3', bucket: 'art', prefix: '' })
  expect(await store.get('a/1')).toBeUndefined()
  expect(net.requests[0]?.url).toBe(`https://art.s3.${region}.amazonaws.com/a/1`)
  expect(net.requests[0]?.headers).toMatchObject({ authorization: expect.stringContaining(`/${region}/s3/`) })
})

test.each([
  [501, ''],
  [400, '<Error><Code>NotImplemented</Code></Error>'],
])('a store that answers a write by %i %s does not know the condition, and keeps no journal', async (status, body) => {
  const net = scriptedNet(() => ({ status, body }))
  const store = openS3Records({ clock: leapingClock(), random: countingRandom(), net }, credentials, {
    kind: 's3',
    bucket: 'art',
    prefix: '',
  })
  await expect(store.putIfAbsent('a/1', new Uint8Array(1))).rejects.toMatchObject({ code: 'SW_STORE_UNSAFE', facts: { status } })
  expect(net.requests).toHaveLength(1)
})

const anHour = { date: 'Thu, 01 Jan 1970 01:00:00 GMT' }

/** The whole refusal of a bucket that answers so to a read. */
async function refusalOf(status: number, reason = '', headers: Record<string, string> = {}): Promise<SpritewrightError> {
  const net = scriptedNet(() => ({ status, headers, body: reason && `<Error><Code>${reason}</Code></Error>` }))
  const ports = { clock: leapingClock(), random: countingRandom(), net }
  const where = { kind: 's3', bucket: 'art', prefix: 'games' } as const
  return openS3Records(ports, credentials, where)
    .get('a/1')
    .then(
      () => expect.unreachable(),
      (error: SpritewrightError) => error,
    )
}

test.each([
  [301, '', {}, 'AWS_REGION'],
  [301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-a-1' }, 'the region of the bucket, eu-a-1.'],
  [301, '', { 'x-amz-bucket-region': 'Evil\u001b[0m' }, 'the region of the bucket.'],
  [400, 'AuthorizationHeaderMalformed', {}, 'AWS_REGION'],
  [403, 'RequestTimeTooSkewed', {}, 'the clock of this machine'],
  [403, 'AccessDenied', {}, 's3:ListBucket'],
  [404, 'NoSuchBucket', {}, 'Check the network'],
  [404, '', {}, 'Check the network'],
  [503, '', {}, 'Check the network'],
] as const)('the refusal %i %s of a bucket advises only what helps', async (status, reason, headers, advice) => {
  const error = await refusalOf(status, reason, headers)
  const advices = ['AWS_REGION', 'the clock of this machine', 's3:ListBucket', 'Check the network']
  expect(advices.filter((one) => error.message.includes(one))).toEqual([advices.includes(advice) ? advice : 'AWS_REGION'])
  expect(error.message).toContain(advice)
  const found = `the answer ${status}${reason && ` ${reason}`}`
  const facts = { store: 's3://art/games', work: 'read a/1', found, mayPass: status === 503, status, ...(reason && { reason }) }
  expect([error.code, error.facts]).toEqual(['SW_STORE', facts])
})

test.each<Record<string, string>>([{}, anHour, { 'last-modified': anHour.date }])(
  'a record whose answer has only the times %j has no age',
  async (headers) => {
    const error = await refusalOf(200, '', headers)
    expect([error.code, error.facts]).toEqual(['SW_STORE_UNSAFE', { store: 's3://art/games' }])
  },
)

test('the age of a record is the time from its writing to the answer, and a second for what both leave out', async () => {
  const headers = { ...anHour, 'last-modified': 'Thu, 01 Jan 1970 00:59:50 GMT' }
  const net = scriptedNet(() => ({ status: 200, headers, body: 'a' }))
  const ports = { clock: leapingClock(), random: countingRandom(), net }
  const store = openS3Records(ports, credentials, { kind: 's3', bucket: 'art', prefix: '' })
  expect(await store.get('a/1')).toEqual({ bytes: new TextEncoder().encode('a'), ageMs: 11_000 })
})

describe('an HTTP cache', () => {
  const base = 'https://cache.test'
  const hash = 'a'.repeat(64)
  const cacheOf = (script: Parameters<typeof scriptedNet>[0]) => {
    const net = scriptedNet(script)
    return { net, store: openHttpCache({ clock: leapingClock(), random: countingRandom(), net }, { kind: 'http-cache', base }) }
  }

  test('cannot be listed, and says so with its address', async () => {
    const { net, store } = cacheOf(() => 'silence')
    await expect(store.list()).rejects.toMatchObject({
      code: 'SW_STORE',
      message: expect.stringContaining('the tool of the cache'),
      facts: { store: base, work: 'list its results', found: expect.stringContaining('no listing'), mayPass: false },
    })
    expect([store.address, net.requests]).toEqual([base, []])
  })

  test('gives and takes results of any usual size, which no answer without a result may have', async () => {
    const large = new Uint8Array(recordBounds.maximumBytes + 1)
    const { net, store } = cacheOf(({ method }) => ({ status: 200, ...(method === 'PUT' ? {} : { body: large }) }))
    await store.put(hash, large)
    expect([net.requests[0]?.method, net.requests[0]?.url, net.requests[0]?.body]).toEqual(['PUT', `${base}/cas/${hash}`, large])
    expect((await store.get(createHash('sha256').update(large).digest('hex')))?.length).toBe(large.length)
    for (const call of [store.has, store.remove]) await expect(call(hash)).rejects.toMatchObject({ code: 'SW_STORE' })
    expect(net.requests.filter(({ method, body }) => method !== 'PUT' && body !== undefined)).toEqual([])
  })

  test.each([200, 201, 204])('that answers %i has done what was asked', async (status) => {
    const { net, store } = cacheOf(() => ({ status }))
    await store.put(hash, new Uint8Array(1))
    await store.remove(hash)
    expect(await store.has(hash)).toBe(true)
    expect(net.requests.map(({ method }) => method)).toEqual(['PUT', 'DELETE', 'HEAD'])
  })

  test.each([202, 206, 302, 404, 403])('that answers %i to a write has not stored the result', async (status) => {
    const { store } = cacheOf(() => ({ status }))
    await expect(store.put(hash, new Uint8Array(1))).rejects.toMatchObject({
      code: 'SW_STORE',
      facts: { store: base, work: `write cas/${hash}`, status },
    })
    for (const call of [store.has, store.remove, store.get])
      if (status === 404) expect((await call(hash)) || undefined).toBeUndefined()
      else await expect(call(hash)).rejects.toMatchObject({ facts: { status, work: expect.stringMatching(/^(?:find|remove|read) cas/) } })
  })
})

describe('the listing of a bucket', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string]
  const entry = (key: string, bytes: number, ms: number): string =>
    `<Contents><Key>${key}</Key><LastModified>${new Date(ms).toISOString()}</LastModified>\n<Size>${bytes}</Size></Contents>`
  const page = (isTruncated: boolean, ...entries: readonly string[]): Reply => ({
    status: 200,
    body: `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${entries.join('')}</ListBucketResult>`,
  })
  const listing = (prefix: string, ...pages: readonly Reply[]) => {
    const net = scriptedNet((_, number) => pages[number] ?? 'silence')
    const ports = { clock: leapingClock(), random: countingRandom(), net }
    return { net, list: openS3Blobs(ports, credentials, { kind: 's3', bucket: 'art', prefix }).list() }
  }

  test('asks for each page behind the last name of the one before it, and leaves out what is no result', async () => {
    const odd = [entry('game/cas/x', 9, 9), entry(`game/cas2/${c}`, 9, 9)]
    const { net, list } = listing('game', page(true, entry(`game/cas/${a}`, 1, 1000), entry(`game/cas/${b}`, 2, 2001)), page(false, ...odd))
    expect(await list).toEqual([
      { sha256: a, bytes: 1, writtenMs: 1000 },
      { sha256: b, bytes: 2, writtenMs: 2001 },
    ])
    const after = (name: string) =>
      `https://art.s3.us-east-1.amazonaws.com/?list-type=2&prefix=game%2Fcas%2F&start-after=${encodeURIComponent(name)}`
    expect(net.requests.map(({ method, url }) => [method, url])).toEqual([
      ['GET', after('game/cas/')],
      ['GET', after(`game/cas/${b}`)],
    ])
  })

  test('of results at the top of a bucket is that of their folder, and a page without an end or a further name is none', async () => {
    const top = listing('', page(false, entry(`cas/${a}`, 1, 0)))
    expect(await top.list).toEqual([{ sha256: a, bytes: 1, writtenMs: 0 }])
    expect(new URL(top.net.requests[0]?.url ?? '').searchParams.get('prefix')).toBe('cas/')
    const same = entry(`cas/${a}`, 1, 0)
    const endless = listing('', page(true, same), page(true, same))
    const failure = { store: 's3://art', work: 'list cas/', mayPass: false }
    await expect(endless.list).rejects.toMatchObject({
      code: 'SW_STORE',
      facts: { ...failure, found: expect.stringContaining('without an end') },
    })
    expect(endless.net.requests).toHaveLength(2)
    const refused = listing('', { status: 403, body: '<Code>AccessDenied</Code>' })
    await expect(refused.list).rejects.toMatchObject({ facts: { ...failure, status: 403, reason: 'AccessDenied' } })
  })
})
