import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { type Answer, blobBounds, listBounds, recordBounds, withTries } from '../../src/stores/exchange.ts'
import { addressError, checkName, checkSha256, isPassing, storeError, unsafeStore, wordsOf } from '../../src/stores/failures.ts'
import { blobsOver } from '../../src/stores/http-blobs.ts'
import { createHttpClient, type HttpClient, reasonOf } from '../../src/stores/http-client.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { countingRandom } from '../kit/memory-disk.ts'
import { scriptedNet } from '../kit/scripted-net.ts'

/** What a call refuses with. */
function refusalOf(call: () => unknown): SpritewrightError {
  try {
    call()
  } catch (error) {
    return error as SpritewrightError
  }
  return expect.unreachable()
}

test('a failure has all that is known of it, and advice of its own or that for every store', () => {
  const known = { address: 's3://team', work: 'read a', found: 'nothing' }
  const facts = { store: 's3://team', work: 'read a', found: 'nothing' }
  const bare = storeError(known)
  expect([bare.code, bare.facts, bare.cause]).toEqual(['SW_STORE', { ...facts, mayPass: false }, undefined])
  expect(bare.message).toMatch(/s3:\/\/team to read a, found nothing\. Check the network/)
  const cause = new Error('x')
  const full = storeError({ ...known, advice: 'Do that.', mayPass: true, facts: { status: 7, found: 'more' }, cause })
  expect([full.facts, full.cause]).toEqual([{ ...facts, mayPass: true, status: 7, found: 'more' }, cause])
  expect(full.message).toMatch(/found nothing\. Do that\.$/)
  const unsafe = [unsafeStore('s3://team', 'odd'), unsafeStore('s3://team', 'odd', { name: 'n' })]
  expect(unsafe.map(({ code, facts }) => [code, facts])).toEqual([
    ['SW_STORE_UNSAFE', { store: 's3://team' }],
    ['SW_STORE_UNSAFE', { store: 's3://team', name: 'n' }],
  ])
  expect(addressError('this', 'that')).toMatchObject({ code: 'SW_CONFIG', facts: { expected: 'this', found: 'that' } })
})

test('a failure is told by its code, or else by its message and by that of its cause', () => {
  const error = (message: string, fields: object = {}) => Object.assign(new Error(message), fields)
  const causes = [error('no', { code: 'EIO', cause: error('in') }), error('no', { code: 7 }), error(''), undefined, null, 'text']
  expect(causes.map(wordsOf)).toEqual(['EIO', 'no', ...Array.from({ length: 4 }, () => 'an unknown failure')])
  expect(wordsOf(error('out', { cause: error('mid', { cause: error('in', { code: 'ERR' }) }) }))).toBe('out (mid (ERR))')
})

test('a certificate, a password or a protocol that is refused does not pass, and a lost connection may', () => {
  const lasting = [
    'CERT_HAS_EXPIRED',
    'SELF_SIGNED_CERT',
    'UNABLE_TO_VERIFY',
    'ERR_TLS_X',
    'ERR_SSL_X',
    'SASL: x',
    'wrongpass x',
    'NOAUTH x',
  ]
  const more = ['NOPERM x', 'no Password', 'the server takes no SSL connections']
  expect([...lasting, ...more].filter(isPassing)).toEqual([])
  expect(['ECONNRESET', 'fetch failed', ''].filter(isPassing)).toEqual(['ECONNRESET', 'fetch failed', ''])
})

test('a name is made of segments of small letters, digits and three signs, at most 512 long', () => {
  const good = ['a', '0/_-', 'a.b/c..d', `${'a/'.repeat(255)}ab`]
  expect(good.map(checkName)).toEqual(good)
  const bad = ['', 'a/', '/a', 'a//b', '.a', 'a.', 'a/..', 'A', 'a b', 'ä', 'a\n', 'a'.repeat(513)]
  for (const name of bad) {
    const { code, facts, message } = refusalOf(() => checkName(name))
    expect([code, facts]).toEqual(['SW_INTERNAL', { name: name.slice(0, 512) }])
    expect(message).toContain(JSON.stringify(name.slice(0, 80)))
  }
  const hash = '0123456789abcdef'.repeat(4)
  expect(checkSha256(hash)).toBe(hash)
  for (const text of ['', hash.slice(1), `${hash}0`, hash.toUpperCase(), `g${hash.slice(1)}`, `${hash}\n`, 'x'.repeat(600)])
    expect(refusalOf(() => checkSha256(text))).toMatchObject({ code: 'SW_INTERNAL', facts: { sha256: text.slice(0, 512) } })
})

test('only a failure of a store is a reason for another try, and each pause has a part by chance', async () => {
  const waits: number[] = []
  const clock = { ...leapingClock(), sleep: async (ms: number) => void waits.push(ms) }
  const tries = async (errors: readonly unknown[], unit: number) => {
    const left = [...errors]
    const work = withTries({ clock, random: { ...countingRandom(), unit: () => unit } }, async () => {
      if (left.length > 0) throw left.shift()
      return 'done'
    })
    return [await work.catch((error: { code: string }) => error.code), errors.length - left.length, waits.splice(0)]
  }
  const passing = storeError({ address: 'a', work: 'b', found: 'c', mayPass: true })
  const other = new SpritewrightError('SW_CONFIG', { message: 'x', facts: { mayPass: true } })
  expect(await tries([passing, passing, passing], 0)).toEqual(['done', 3, [100, 200, 400]])
  expect(await tries([passing, passing, passing, passing, passing], 1)).toEqual(['SW_STORE', 4, [200, 400, 800]])
  expect(await tries([other], 1)).toEqual(['SW_CONFIG', 1, []])
})

test('a request is signed over its method, address and content, is sent with what was signed, and is bounded', async () => {
  const signed: unknown[] = []
  const net = scriptedNet(() => ({ status: 200, headers: { etag: 'x' }, body: 'ab' }))
  const clock = { ...leapingClock(), sleep: () => new Promise<void>(() => {}) }
  const ports = { clock, random: countingRandom(), net }
  const sign = async (...asked: unknown[]) => {
    signed.push(asked)
    return { authorization: 'by me' }
  }
  const own = createHttpClient(ports, { address: 's3://a', base: 'https://a.test/b', sign })
  const content = { body: new Uint8Array(1), headers: { 'if-none-match': '*' } }
  const answer = { status: 200, headers: { etag: 'x' }, bytes: new TextEncoder().encode('ab') }
  expect([own.address, await own.send('write c', 'PUT', 'c/d', recordBounds, content)]).toEqual(['s3://a', answer])
  const plain = createHttpClient(ports, { address: 's3://a', base: 'https://a.test/b' })
  await plain.send('write c', 'PUT', 'c', recordBounds, content)
  await plain.send('read c', 'GET', 'c', recordBounds)
  const signal = expect.any(AbortSignal)
  expect(signed).toEqual([['PUT', 'https://a.test/b/c/d', content]])
  expect(net.requests).toEqual([
    { method: 'PUT', url: 'https://a.test/b/c/d', headers: { authorization: 'by me' }, body: content.body, signal },
    { method: 'PUT', url: 'https://a.test/b/c', headers: content.headers, body: content.body, signal },
    { method: 'GET', url: 'https://a.test/b/c', headers: {}, signal },
  ])
  await expect(plain.send('read c', 'GET', 'c', { ...recordBounds, maximumBytes: 1 })).rejects.toMatchObject({ code: 'SW_STORE' })
  expect(await plain.send('read c', 'GET', 'c', { ...recordBounds, maximumBytes: 2 })).toEqual(answer)
  expect([recordBounds, listBounds, blobBounds].map(({ timeoutMs, maximumBytes }) => [timeoutMs, maximumBytes])).toEqual([
    [20_000, 1_048_576],
    [60_000, 8_388_608],
    [300_000, 1_073_741_824],
  ])
})

test('the name of an error is found in the first 4096 bytes of an answer, and is one word of at most 64 characters', () => {
  const reason = (text: string) => reasonOf({ status: 400, headers: {}, bytes: new TextEncoder().encode(text) })
  const code = `<Code>${'a'.repeat(64)}</Code>`
  expect([code, `${' '.repeat(4096 - code.length)}${code}`, '<Code>A.1</Code><Code>B</Code>'].map(reason)).toEqual([
    'a'.repeat(64),
    'a'.repeat(64),
    'A.1',
  ])
  for (const text of [`${' '.repeat(4097 - code.length)}${code}`, `<Code>${'a'.repeat(65)}</Code>`, '<Code>a b</Code>', '<Code></Code>'])
    expect(reason(text)).toBeUndefined()
})

test('results are asked for by their names within their bounds, and read again only while they contradict what is known', async () => {
  const bytes = new TextEncoder().encode('result')
  const hash = createHash('sha256').update(bytes).digest('hex')
  const calls: unknown[] = []
  const answers: (number | string)[] = []
  const client: HttpClient = {
    address: 's3://a',
    send: async (...[work, method, key, bounds, content]) => {
      calls.push([work, method, key, bounds, content])
      const next = answers.shift() ?? 200
      return {
        status: typeof next === 'number' ? next : 200,
        headers: {},
        bytes: typeof next === 'string' ? new TextEncoder().encode(next) : new Uint8Array(),
      }
    },
    refusal: (work, { status }) => storeError({ address: 's3://a', work, found: `${status}` }),
  }
  const isMissing = ({ status }: Answer): boolean => status === 410
  const store = blobsOver({ clock: leapingClock(), random: countingRandom(), net: scriptedNet(() => 'silence') }, client, isMissing)
  const key = `cas/${hash}`
  const next = async (call: () => Promise<unknown>, ...script: (number | string)[]) => {
    answers.splice(0, answers.length, ...script)
    calls.length = 0
    return [await call().catch((error: SpritewrightError) => error.facts.found), calls.length]
  }
  expect(await next(() => store.get(hash), 'result')).toEqual([bytes, 1])
  expect(calls).toEqual([[`read ${key}`, 'GET', key, blobBounds, {}]])
  expect(await next(() => store.get(hash), 'half', 'resul', 'result')).toEqual([bytes, 3])
  expect(await next(() => store.get(hash), ...Array.from({ length: 7 }, () => 'half'))).toEqual([new TextEncoder().encode('half'), 6])
  expect(await next(() => store.get(hash), 410)).toEqual([undefined, 1])
  expect(await next(() => store.get(hash), 404)).toEqual(['404', 1])
  expect(await next(() => store.has(hash), 404)).toEqual([false, 1])
  expect(calls).toEqual([[`find ${key}`, 'HEAD', key, recordBounds, {}]])
  expect(await next(() => store.has(hash), 403)).toEqual(['403', 1])
  expect(await next(() => store.put(hash, bytes), 410)).toEqual(['410', 1])
  expect(await next(() => store.has(hash), 410)).toEqual([false, 1])
  expect(await next(() => store.put(hash, bytes), 204)).toEqual([undefined, 1])
  expect(calls).toEqual([[`write ${key}`, 'PUT', key, blobBounds, { body: bytes }]])
  expect(await next(() => store.has(hash), 410, 410, 200)).toEqual([true, 3])
  expect(await next(() => store.get(hash), 410, 'result')).toEqual([bytes, 2])
  expect(await next(() => store.remove(hash), 410)).toEqual([undefined, 1])
  expect(calls).toEqual([[`remove ${key}`, 'DELETE', key, recordBounds, {}]])
  expect(await next(() => store.remove(hash), 404)).toEqual(['404', 1])
  expect(await next(() => store.get(hash), 410)).toEqual([undefined, 1])
})
