import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nodeClock } from '../../src/host/clock.ts'
import type { StorePorts } from '../../src/stores/open.ts'
import type { RecordStore } from '../../src/stores/record-store.ts'
import { openS3Blobs, openS3Records } from '../../src/stores/s3.ts'
import { parseS3Address } from '../../src/stores/s3-client.ts'
import { OutageClock } from '../kit/outage-clock.ts'
import { type S3Asked, type S3Double, type S3Fault, type S3Rules, startS3Double } from '../kit/s3-double.ts'
import { scriptedNet } from '../kit/scripted-net.ts'
import { signatureOf } from '../kit/sigv4.ts'
import { describeBlobStore, describeRecordStore } from './contract.ts'
import { quickPorts } from './quick-ports.ts'

const where = parseS3Address('s3://studio/games/knights')
const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const freshName = (): string => `test/${randomUUID()}`

let double: S3Double
/** Chooses what happens to the next requests. */
let fault: (asked: S3Asked) => S3Fault | undefined = () => undefined
/** Milliseconds by which the double's clock is ahead. */
let skewMs = 0
/** Ends the time limit of a request that gets no whole answer. */
const limits = new OutageClock()
const ports = (): StorePorts => quickPorts({}, limits)
const rules: S3Rules = {
  fault: (asked) => {
    const chosen = fault(asked)
    if (chosen?.answer === 'silence' || chosen?.answer === 'drip') limits.pass()
    return chosen
  },
  skewMs: () => skewMs,
  sessionToken: 'session/token+of=this~test',
}

beforeAll(async () => {
  double = await startS3Double(rules)
})
afterAll(() => double.close())
beforeEach(() => {
  fault = () => undefined
})

const records = (env: Record<string, string> = {}): RecordStore => openS3Records(ports(), { ...double.env, ...env }, where)
const away = { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' }

/** Plays these faults, one for each request of a method, then none. */
function play(method: string, ...faults: S3Fault[]): void {
  fault = (asked) => (asked.method === method ? faults.shift() : undefined)
}

describeRecordStore('records in S3', () => ({
  precisionMs: 2000,
  open: () => records(),
  openAway: () => records(away),
  openLossy: (lands) => {
    play('PUT', { lands, answer: 'cut' })
    return records()
  },
}))

describeBlobStore('results in S3', () => ({
  open: () => openS3Blobs(ports(), double.env, where),
  openAway: () => openS3Blobs(ports(), { ...double.env, ...away }, where),
}))

describe('an unclear answer of S3', () => {
  const answers = [409, 412, 429, 500, 503, 'cut', 'silence', 'half', 'drip'] as const

  test.each(answers.flatMap((answer) => [true, false].map((lands) => ({ answer, lands }))))(
    'to a write: $answer (it landed: $lands) ends as mine, with one file',
    async ({ answer, lands }) => {
      const name = freshName()
      play('PUT', { lands, answer })
      expect(await records().putIfAbsent(name, text('own'))).toBe('mine')
      expect(double.files.get(`games/knights/${name}`)?.bytes).toEqual(Buffer.from('own'))
    },
  )

  test.each(answers)("to a write: %s while another's write lands is taken", async (answer) => {
    const name = freshName()
    fault = ({ method, key }) => {
      if (method !== 'PUT' || double.files.has(key)) return undefined
      double.files.set(key, { bytes: text("another's"), atMs: Date.now() })
      return { answer }
    }
    expect(await records().putIfAbsent(name, text('own'))).toBe('taken')
  })

  test.each([500, 503, 429, 'cut', 'silence', 'half', 'drip'] as const)('to a read: %s is asked again', async (answer) => {
    const name = freshName()
    await records().putIfAbsent(name, text('own'))
    play('GET', { answer }, { answer })
    expect((await records().get(name))?.bytes).toEqual(text('own'))
  })

  test('to a write and to the read after it is decided by the next try', async () => {
    const name = freshName()
    let gets = 0
    fault = ({ method, key }) => {
      if (method === 'PUT' && !double.files.has(key)) return { lands: true, answer: 'cut' }
      return method === 'GET' && gets++ < 2 ? { answer: 500 } : undefined
    }
    expect(await records().putIfAbsent(name, text('own'))).toBe('mine')
  })

  test('to every write ends after four tries as SW_STORE, and says the last answer', async () => {
    fault = ({ method }) => (method === 'PUT' ? { answer: 409 } : undefined)
    const before = double.asked.length
    await expect(records().putIfAbsent(freshName(), text('own'))).rejects.toMatchObject({
      code: 'SW_STORE',
      message: expect.stringContaining('409 ConditionalRequestConflict'),
      facts: { status: 409, reason: 'ConditionalRequestConflict' },
    })
    expect(double.asked.slice(before).map(({ method }) => method)).toEqual(['PUT', 'GET', 'PUT', 'GET', 'PUT', 'GET', 'PUT', 'GET'])
  })

  test('to a read of a result is asked again, and to its write too', async () => {
    const store = openS3Blobs(ports(), double.env, where)
    const hash = 'b'.repeat(64)
    play('PUT', { answer: 500 }, { answer: 'cut', lands: true })
    await store.put(hash, text('result'))
    play('GET', { answer: 'half' })
    expect(await store.get(hash)).toEqual(text('result'))
  })
})

describe('a clear refusal of S3', () => {
  test('is SW_STORE at once, and says which rights are needed', async () => {
    play('PUT', { answer: 403 })
    const before = double.asked.length
    await expect(records().putIfAbsent(freshName(), text('own'))).rejects.toMatchObject({
      code: 'SW_STORE',
      message: expect.stringMatching(/403 AccessDenied.*s3:ListBucket/),
      facts: { status: 403, reason: 'AccessDenied', mayPass: false },
    })
    expect(double.asked.length - before).toBe(1)
  })

  test('a bucket that is not there is no free name', async () => {
    const store = openS3Records(ports(), double.env, parseS3Address('s3://another/games'))
    await expect(store.get('a/1')).rejects.toMatchObject({ code: 'SW_STORE', facts: { status: 404, reason: 'NoSuchBucket' } })
  })

  test('a 404 that does not come from S3 is no free name', async () => {
    const net = scriptedNet(() => ({ status: 404, body: '<html>not here</html>' }))
    await expect(openS3Records({ ...ports(), net }, double.env, where).get('a/1')).rejects.toMatchObject({ code: 'SW_STORE' })
  })

  test.each([
    [{ AWS_SECRET_ACCESS_KEY: 'another-secret' }, 'SignatureDoesNotMatch'],
    [{ AWS_ACCESS_KEY_ID: 'AKIDANOTHER' }, 'InvalidAccessKeyId'],
    [{ AWS_REGION: 'eu-test-2' }, 'AuthorizationHeaderMalformed'],
    [{ AWS_SESSION_TOKEN: '' }, 'InvalidToken'],
  ])('a signature with %o is refused', async (env, reason) => {
    await expect(records(env as Record<string, string>).get('a/1')).rejects.toMatchObject({ code: 'SW_STORE', facts: { reason } })
  })

  test('a clock of the store that is an hour ahead: the message says to set the clock', async () => {
    skewMs = 3_600_000
    await expect(records().get('a/1')).rejects.toMatchObject({ message: expect.stringContaining('Set the clock of this machine') })
    skewMs = 0
  })
})

describe('the age of a record', () => {
  test.each([-600_000, 600_000])("is by the store's clock alone: it is %i ms off", async (offMs) => {
    skewMs = offMs
    const name = freshName()
    const { mono } = nodeClock()
    const before = mono()
    await records().putIfAbsent(name, text('own'))
    const { ageMs = Number.NaN } = (await records().get(name)) ?? {}
    // Whole seconds, rounded up.
    expect(ageMs % 1000).toBe(0)
    expect(ageMs).toBeGreaterThanOrEqual(1000)
    expect(ageMs).toBeLessThanOrEqual(mono() - before + 3000)
    skewMs = 0
  })

  test('is negative if the clock of the store went back', async () => {
    const name = freshName()
    await records().putIfAbsent(name, text('own'))
    skewMs = -840_000
    expect((await records().get(name))?.ageMs).toBeLessThan(-420_000)
    skewMs = 0
  })

  test.each(['date', 'last-modified'])('without the header %s the store is SW_STORE_UNSAFE', async (header) => {
    const bare = await startS3Double({ without: [header] })
    const store = openS3Records(ports(), bare.env, where)
    await store.putIfAbsent('a/1', text('own'))
    await expect(store.get('a/1')).rejects.toMatchObject({ code: 'SW_STORE_UNSAFE', facts: { store: 's3://studio/games/knights' } })
    await bare.close()
  })
})

describe('what is sent to S3', () => {
  test('a reply cannot be taken from a cache, and a proxy cannot drop the condition', async () => {
    const before = double.asked.length
    const name = freshName()
    await records().putIfAbsent(name, text('own'))
    await records().get(name)
    const [put, get] = double.asked.slice(before)
    expect(put?.signedHeaders).toContain('if-none-match')
    expect(get?.headers['cache-control']).toBe('no-cache')
  })

  test.each([
    ['s3://art', 'https://art.s3.us-east-1.amazonaws.com/a/1'],
    ['s3://art/games/', 'https://art.s3.us-east-1.amazonaws.com/games/a/1'],
    ['s3://art.of.war/x', 'https://s3.us-east-1.amazonaws.com/art.of.war/x/a/1'],
  ])('without an endpoint, %s is %s', async (address, url) => {
    const net = scriptedNet(() => ({ status: 404, body: '<Code>NoSuchKey</Code>' }))
    await openS3Records({ ...ports(), net }, { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }, parseS3Address(address)).get('a/1')
    expect(net.requests.map((request) => request.url)).toEqual([url])
  })

  test('the endpoint may have a path, and the first of two variables counts', async () => {
    const net = scriptedNet(() => ({ status: 404, body: '<Code>NoSuchKey</Code>' }))
    const env = { ...double.env, AWS_ENDPOINT_URL_S3: 'http://store.test:9000/s3/', AWS_ENDPOINT_URL: 'http://other.test' }
    await openS3Records({ ...ports(), net }, env, where).get('a/1')
    expect(net.requests[0]?.url).toBe('http://store.test:9000/s3/studio/games/knights/a/1')
  })

  test('the double signs as AWS documents it, so it does not only agree with our client', () => {
    const headers = {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'x-amz-date': '20130524T000000Z',
    }
    const by = { accessKey: '', day: '20130524', region: 'us-east-1', service: 's3', signedHeaders: Object.keys(headers) }
    expect(signatureOf({ method: 'GET', target: '/test.txt', headers }, 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', by)).toBe(
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    )
  })
})

describe('credentials of S3', () => {
  test.each([
    ['AWS_ACCESS_KEY_ID', ''],
    ['AWS_SECRET_ACCESS_KEY', ' '],
    ['AWS_SECRET_ACCESS_KEY', 'two words of a secret'],
    ['AWS_SESSION_TOKEN', 'line\nbreak of a secret'],
    ['AWS_REGION', 'evil.example/secret'],
    ['AWS_ENDPOINT_URL_S3', 'https://user:secret@store.test'],
    ['AWS_ENDPOINT_URL_S3', 'ftp://secret.test'],
  ])('%s=%j is SW_CONFIG, and the message does not repeat it', (variable, value) => {
    const open = (): RecordStore => openS3Records(ports(), { ...double.env, [variable]: value }, where)
    expect(open).toThrow(expect.objectContaining({ code: 'SW_CONFIG', message: expect.stringContaining(variable) }))
    expect(open).not.toThrow(/secret/)
  })

  test('no error shows a credential, however it is printed', async () => {
    const secrets = ['wJalrXUtnFEMI', 'AKIAIOSFODNN7EXAMPLE', 'session/token']
    const refusals: unknown[] = []
    fault = () => ({ answer: 403 })
    for (const env of [{}, away, { AWS_SECRET_ACCESS_KEY: 'another-secret' }] as Record<string, string>[])
      await records(env)
        .get('a/1')
        .catch((error) => refusals.push(error))
    expect(refusals).toHaveLength(3)
    for (const refusal of refusals) {
      const printed = inspect(refusal, { depth: 12, showHidden: true }) + JSON.stringify(refusal) + String((refusal as Error).stack)
      expect(secrets.filter((secret) => printed.includes(secret))).toEqual([])
    }
  })
})

test.each([
  ['s3://studio', 's3://studio', 'https://s3.test/studio/a/1'],
  ['s3://studio/games/knights', 's3://studio/games/knights', 'https://s3.test/studio/games/knights/a/1'],
])('a store at %s has its names under its prefix, or at the top of its bucket', async (address, shown, url) => {
  const net = scriptedNet(() => ({ status: 200, headers: { date: new Date(0).toUTCString(), 'last-modified': new Date(0).toUTCString() } }))
  const env = { AWS_ENDPOINT_URL_S3: 'https://s3.test', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const store = openS3Records({ ...ports(), net }, env, parseS3Address(address))
  await store.get('a/1')
  expect([store.address, net.requests.map((request) => request.url)]).toEqual([shown, [url]])
})

test('a result that the store answers to writing as missing is not taken for stored', async () => {
  const body = '<Error><Code>NoSuchKey</Code></Error>'
  const net = scriptedNet(() => ({ status: 404, body }))
  const env = { AWS_ENDPOINT_URL_S3: 'https://s3.test', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }
  const store = openS3Blobs({ ...ports(), net }, env, where)
  expect([await store.get('a'.repeat(64)), await store.has('a'.repeat(64))]).toEqual([undefined, false])
  await expect(store.put('a'.repeat(64), text('a'))).rejects.toMatchObject({ code: 'SW_STORE' })
})

describe('the listing of a bucket', () => {
  let small: S3Double
  beforeAll(async () => {
    small = await startS3Double({ pageLength: 2, fault: (asked) => fault(asked) })
  })
  afterAll(() => small.close())
  const hashes = ['a', 'b', 'c', 'd', 'e'].map((digit) => digit.repeat(64))

  test('has the results below its prefix on all pages with their sizes and times, and nothing else', async () => {
    for (const [at, hash] of hashes.entries()) small.files.set(`games/knights/cas/${hash}`, { bytes: new Uint8Array(at), atMs: 1000 * at })
    for (const key of ['games/knights/cas/readme', `games/knights/${hashes[0]}`, `cas/${hashes[0]}`, `games/knights2/cas/${hashes[0]}`])
      small.files.set(key, { bytes: new Uint8Array(9), atMs: 0 })
    play('GET', { answer: 503 }, { answer: 'half' })
    expect(await openS3Blobs(ports(), small.env, where).list()).toEqual(
      hashes.map((sha256, at) => ({ sha256, bytes: at, writtenMs: 1000 * at })),
    )
    expect(await openS3Blobs(ports(), small.env, parseS3Address('s3://studio')).list()).toMatchObject([{ sha256: hashes[0], bytes: 9 }])
  })

  test('is refused as a whole if one page is', async () => {
    let asked = 0
    fault = () => (++asked > 1 ? { answer: 403 } : undefined)
    await expect(openS3Blobs(ports(), small.env, where).list()).rejects.toMatchObject({ code: 'SW_STORE', facts: { status: 403 } })
  })

  test.each(['<ListBucketResult></ListBucketResult>', '<IsTruncated>true</IsTruncated>', '<html>a proxy</html>'])(
    'does not end with the answer %j',
    async (body) => {
      const net = scriptedNet(() => ({ status: 200, body }))
      const store = openS3Blobs({ ...ports(), net }, small.env, where)
      await expect(store.list()).rejects.toMatchObject({ code: 'SW_STORE' })
    },
  )
})
