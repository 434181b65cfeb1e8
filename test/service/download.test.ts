import { describe, expect, test } from 'vitest'
import { isLoopbackHost, isPrivateHost } from '../../src/host/net/address-blocks.ts'
import { json, type Reply, refused, scriptedNet } from '../kit/scripted-net.ts'
import { errorOf, testClient } from './fixtures.ts'

const asset = 'https://api.example.com/v1/image-jobs/job-1/asset'
const signed = 'https://cdn.example.net/file?signature=s3cr3t'
const zip = new Uint8Array([80, 75, 3, 4])
const to = (location: string, status = 302): Reply => ({ status, headers: { location } })
const file: Reply = { status: 200, headers: { 'content-type': 'application/zip', 'content-length': '4' }, body: zip }

function download(script: (url: string, number: number) => Reply, url = asset, baseUrl = 'https://api.example.com') {
  const net = scriptedNet((request, number) => script(request.url, number))
  const { client, clock } = testClient(net, { baseUrl })
  return { net, clock, result: clock.run(client.download(url)) }
}

describe('C25: the signed URL', () => {
  test.each([302, 303, 307, 308])('a %i is followed with an Accept header and nothing else', async (status) => {
    const { net, result } = download((url) => (url === asset ? to(signed, status) : file))
    expect(await result).toEqual({ bytes: zip, contentType: 'application/zip' })
    expect(net.requests[0]?.headers).toHaveProperty('authorization')
    expect(net.requests[1]).toMatchObject({ method: 'GET', url: signed, headers: { accept: '*/*' } })
    expect(Object.keys(net.requests[1]?.headers ?? {})).toEqual(['accept'])
  })

  test('three further redirects are followed, each as clean; a fourth is not', async () => {
    const hop = (url: string): string => `${signed}&hop=${Number(new URL(url).searchParams.get('hop')) + 1}`
    for (const [hops, isFollowed] of [
      [3, true],
      [4, false],
    ] as const) {
      const { net, result } = download((url) => (url === asset ? to(signed) : url.endsWith(`hop=${hops}`) ? file : to(hop(url))))
      if (isFollowed) expect((await result).bytes).toEqual(zip)
      else expect((await errorOf(result)).code).toBe('SW_WIRE')
      for (const request of net.requests.slice(1)) expect(Object.keys(request.headers)).toEqual(['accept'])
    }
  })

  test('an expired one is asked for anew, once; two expired ones in a row are an error', async () => {
    const one = download((url, number) => (url === asset ? to(signed) : number === 1 ? { status: 403 } : file))
    expect((await one.result).bytes).toEqual(zip)
    expect(one.net.requests.map((request) => request.url)).toEqual([asset, signed, asset, signed])
    const two = download((url) => (url === asset ? to(signed) : { status: 403 }))
    expect(await errorOf(two.result)).toMatchObject({ code: 'SW_REFUSED', facts: { status: 403 } })
    expect(two.net.requests).toHaveLength(4)
  })

  test('a cut body, a lost connection and a 503 there start the download over; no error shows the signed URL', async () => {
    const faults: Reply[] = [
      { status: 200, body: zip, cutAfter: 2 },
      { status: 200, headers: { 'content-length': '9' }, body: zip },
      new Error(`connect to ${signed}`),
      { status: 503, body: signed },
    ]
    const one = download((url, number) => (url === asset ? to(signed) : (faults[(number - 1) / 2] ?? file)))
    expect((await one.result).bytes).toEqual(zip)
    for (const fault of faults) {
      const error = await errorOf(download((url) => (url === asset ? to(signed) : fault)).result)
      expect(error.code).toBe('SW_UNREACHABLE')
      expect(JSON.stringify(error) + error.message + String(error.cause)).not.toMatch(/cdn\.example|s3cr3t/)
    }
  })

  test.each([
    [429, true],
    [500, true],
    [404, false],
  ])('a %i there starts the download over: %s', async (status, isRepeated) => {
    const { net, result } = download((url, number) => (url === asset ? to(signed) : number === 1 ? { status } : file))
    if (isRepeated) expect((await result).bytes).toEqual(zip)
    else expect((await errorOf(result)).code).toBe('SW_UNREACHABLE')
    expect(net.requests).toHaveLength(isRepeated ? 4 : 2)
  })

  test.each([
    ['http://cdn.example.net/file'],
    ['https://user:pass@cdn.example.net/file'],
    ['https://127.0.0.1/file'],
    ['https://2130706433/file'],
    ['https://localhost/file'],
    ['https://10.1.2.3/file'],
    ['https://169.254.169.254/latest/meta-data'],
    ['https://[::1]/file'],
    ['https://[::ffff:192.168.0.1]/file'],
    ['https://[fd00::1]/file'],
    ['file:///etc/passwd'],
    ['data:text/plain,x'],
    ['https://'],
  ])('a redirect to %s is not followed', async (location) => {
    const { net, result } = download((url) => (url === asset ? to(location) : file))
    expect((await errorOf(result)).code).toBe('SW_WIRE')
    expect(net.requests).toHaveLength(1)
  })

  test('http is followed from an API on this machine to this machine only', async () => {
    const base = 'http://127.0.0.1:9'
    const local = download((url) => (url.startsWith(base) ? to('http://127.0.0.1:10/x') : file), `${base}/v1/image-jobs/j/asset`, base)
    expect((await local.result).bytes).toEqual(zip)
    const away = download((url) => (url.startsWith(base) ? to('http://cdn.example.net/x') : file), `${base}/v1/image-jobs/j/asset`, base)
    expect((await errorOf(away.result)).code).toBe('SW_WIRE')
  })
})

describe('C26: the download_url', () => {
  test.each([
    ['https://api.example.com.evil.example/v1/image-jobs/j/asset'],
    ['https://api.example.com@evil.example/v1/image-jobs/j/asset'],
    ['https://user@api.example.com/base/v1/image-jobs/j/asset'],
    ['https://api.example.com:8443/base/v1/image-jobs/j/asset'],
    ['http://api.example.com/base/v1/image-jobs/j/asset'],
    ['//evil.example/base/v1/image-jobs/j/asset'],
    ['https://api.example.com/base/v1/image-jobs/j/asset/../../../executions/x'],
    ['https://api.example.com/base/v1/image-jobs/../asset'],
    ['https://api.example.com/base/v1/image-jobs/a%2fb/asset'],
    ['https://api.example.com/v1/image-jobs/j/asset'],
    ['https://api.example.com/based/v1/image-jobs/j/asset'],
    ['nonsense'],
    [''],
  ])('%j is refused before anything is sent', async (url) => {
    const { net, result } = download(() => file, url, 'https://api.example.com/base')
    expect(await errorOf(result)).toMatchObject({ code: 'SW_WIRE', facts: { expectedOrigin: 'https://api.example.com' } })
    expect(net.requests).toHaveLength(0)
  })

  test('one on the exact origin and path is used as given, with its query', async () => {
    const { net, result } = download(() => file, 'https://api.example.com/base/v1/image-jobs/j/asset?v=2', 'https://api.example.com/base')
    await result
    expect(net.requests[0]?.url).toBe('https://api.example.com/base/v1/image-jobs/j/asset?v=2')
  })

  test('a refusal of the API is a typed error; a retryable one is tried again', async () => {
    expect(await errorOf(download(() => refused(404, 'resource_not_found')).result)).toMatchObject({
      code: 'SW_REFUSED',
      facts: { status: 404 },
    })
    const { result } = download((_, number) => (number === 0 ? refused(429, 'rate_limited', { retryable: true }) : file))
    expect((await result).bytes).toEqual(zip)
    expect((await errorOf(download(() => json(404, { no: 'envelope' })).result)).code).toBe('SW_WIRE')
  })

  test('C30: the twenty-first download waits for the next window', async () => {
    const net = scriptedNet(() => file)
    const { client, clock } = testClient(net)
    const start = clock.mono()
    await clock.run(Promise.all(Array.from({ length: 21 }, () => client.download(asset))))
    expect(net.requests).toHaveLength(21)
    expect(clock.mono() - start).toBeGreaterThanOrEqual(60_000)
  })
})

test('addresses of this machine and of private networks are told from public ones', () => {
  for (const host of ['localhost', 'a.localhost', 'localhost.', '127.9.9.9', '[::1]', '[::ffff:7f00:1]'])
    expect(`${host} ${isLoopbackHost(host)}`).toBe(`${host} true`)
  for (const host of [
    '10.0.0.1',
    '172.31.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.1.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '[::]',
    '[fe80::1]',
    '[fc00::1]',
    '[64:ff9b::7f00:1]',
  ]) {
    expect(`${host} ${isPrivateHost(host)}`).toBe(`${host} true`)
    expect(`${host} ${isLoopbackHost(host)}`).toBe(`${host} false`)
  }
  for (const host of ['8.8.8.8', '172.32.0.1', '100.128.0.1', 'example.com', '[2606:4700::1]', 'notlocalhost', '10.example.com']) {
    expect(`${host} ${isPrivateHost(host)}`).toBe(`${host} false`)
  }
})
