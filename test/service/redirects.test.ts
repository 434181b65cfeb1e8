import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { nodeClock } from '../../src/host/clock.ts'
import { nodeNet } from '../../src/host/net.ts'
import { createClient, type ServiceClient } from '../../src/service/client.ts'
import { canary, errorOf, executionId, steadyRandom } from './fixtures.ts'

// Two real servers: the API, which redirects, and another one, which records every header that arrives.
const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

interface Arrival {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

async function serve(
  answer: (arrival: Arrival, number: number) => [number, Record<string, string>, string?],
): Promise<{ url: string; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = []
  const server: Server = createServer((request, response) => {
    const arrival = { method: request.method ?? '', path: request.url ?? '', headers: request.headers }
    arrivals.push(arrival)
    const [status, headers, body = ''] = answer(arrival, arrivals.length - 1)
    response.writeHead(status, headers).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals }
}

function clientOf(baseUrl: string): ServiceClient {
  const net = nodeNet()
  open.push(() => net.close())
  return createClient({ net, clock: nodeClock(), random: { ...steadyRandom, unit: () => 0 } }, { baseUrl, key: canary })
}

/** Expects only the headers of an anonymous reader. */
function expectAnonymous(arrivals: readonly Arrival[]): void {
  for (const { headers } of arrivals) {
    expect(Object.keys(headers).toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host'])
    expect(JSON.stringify(headers)).not.toContain(canary)
  }
}

const zip = 'PK the bytes of a file'

describe('redirects of a download', () => {
  test('C25, C1: to another port or another name of this machine they are followed, with none of our headers, over every kind of redirect', async () => {
    for (const status of [302, 303, 307, 308]) {
      const files = await serve((arrival) =>
        arrival.path === '/a' ? [status, { location: '/b?signed=1', 'set-cookie': 'session=1' }] : [200, {}, zip],
      )
      for (const to of [files.url, files.url.replace('127.0.0.1', 'localhost')]) {
        const api = await serve(() => [status, { location: `${to}/a`, 'set-cookie': 'session=2', 'www-authenticate': 'Bearer' }])
        const { bytes } = await clientOf(api.url).download(`${api.url}/v1/image-jobs/j/asset`)
        expect(new TextDecoder().decode(bytes)).toBe(zip)
        expect(api.arrivals).toHaveLength(1)
        expect(api.arrivals[0]?.headers.authorization).toBe(`Bearer ${canary}`)
      }
      expect(files.arrivals.map((arrival) => arrival.path)).toEqual(['/a', '/b?signed=1', '/a', '/b?signed=1'])
      expectAnonymous(files.arrivals)
    }
  })

  test('C25: back to the API origin, the signed address still gets no key', async () => {
    const api = await serve((_, number) => (number === 0 ? [302, { location: '/signed?s=1' }] : [200, {}, zip]))
    await clientOf(api.url).download(`${api.url}/v1/image-jobs/j/asset`)
    expect(api.arrivals[1]?.path).toBe('/signed?s=1')
    expectAnonymous(api.arrivals.slice(1))
  })

  test('C25: with a user name, to file:, to another scheme, without a place or in a loop they are refused, and nothing of ours arrives', async () => {
    const files = await serve(() => [302, { location: '/again' }])
    const host = new URL(files.url).host
    const places = [
      `http://user@${host}/x`,
      `http://user:${canary}@${host}/x`,
      `http://:secret@${host}/x`,
      'file:///etc/passwd',
      'data:application/zip;base64,UEs=',
      'ftp://127.0.0.1/x',
      'javascript:alert(1)',
      'http://192.0.2.1/x',
      'http://example.invalid/x',
      'http://',
      undefined,
    ]
    for (const location of places) {
      const api = await serve(() => [302, (location === undefined ? {} : { location }) as Record<string, string>])
      const error = await errorOf(clientOf(api.url).download(`${api.url}/v1/image-jobs/j/asset`))
      expect(`${location} ${error.code}`).toBe(`${location} SW_WIRE`)
      expect(error.message).not.toMatch(/passwd|secret|192\.0|example\.invalid/)
      expect(api.arrivals).toHaveLength(1)
    }
    expect(files.arrivals).toEqual([])
    const api = await serve(() => [302, { location: `${files.url}/again` }])
    expect((await errorOf(clientOf(api.url).download(`${api.url}/v1/image-jobs/j/asset`))).code).toBe('SW_WIRE')
    expect(files.arrivals).toHaveLength(4)
    expectAnonymous(files.arrivals)
  })

  test('C25: an expired address is asked for anew once, with the key at the API only; twice expired is SW_REFUSED', async () => {
    for (const isExpired of [(number: number) => number === 0, () => true]) {
      const files = await serve((_, number) => (isExpired(number) ? [403, {}, 'expired'] : [200, {}, zip]))
      const api = await serve((_, number) => [302, { location: `${files.url}/signed?s=${number}` }])
      const download = clientOf(api.url).download(`${api.url}/v1/image-jobs/j/asset`)
      if (isExpired(1)) expect((await errorOf(download)).code).toBe('SW_REFUSED')
      else expect(new TextDecoder().decode((await download).bytes)).toBe(zip)
      expect(api.arrivals).toHaveLength(2)
      expect(files.arrivals.map((arrival) => arrival.path)).toEqual(['/signed?s=0', '/signed?s=1'])
      expectAnonymous(files.arrivals)
    }
  })

  test('C26: a download_url of another origin, scheme, user or path is refused before anything is sent', async () => {
    const files = await serve(() => [200, {}, zip])
    const api = await serve(() => [200, {}, zip])
    const { host, port } = new URL(api.url)
    const urls = [
      `${files.url}/v1/image-jobs/j/asset`,
      `http://localhost:${port}/v1/image-jobs/j/asset`,
      `https://${host}/v1/image-jobs/j/asset`,
      `http://user@${host}/v1/image-jobs/j/asset`,
      `//${new URL(files.url).host}/v1/image-jobs/j/asset`,
      `${api.url}/v1/image-jobs/../balance`,
      `${api.url}/v1/balance`,
      `${api.url}/v1/image-jobs/a/b/asset`,
      'file:///v1/image-jobs/j/asset',
      '',
    ]
    for (const url of urls) expect(`${url} ${(await errorOf(clientOf(api.url).download(url))).code}`).toBe(`${url} SW_WIRE`)
    expect([...files.arrivals, ...api.arrivals]).toEqual([])
    expect((await clientOf(api.url).download('/v1/image-jobs/j/asset?v=2')).bytes).toHaveLength(zip.length)
    expect(api.arrivals[0]?.path).toBe('/v1/image-jobs/j/asset?v=2')
  })
})

describe('redirects of anything else', () => {
  test('C1, C40: no other request follows one: neither key nor body arrives elsewhere, and a submission so answered is unknown', async () => {
    const other = await serve(() => [200, {}, '{}'])
    for (const status of [301, 302, 303, 307, 308]) {
      const api = await serve(() => [status, { location: `${other.url}/v1/x` }])
      const client = clientOf(api.url)
      const calls = [
        () => client.capabilities(),
        () => client.balance(),
        () => client.estimate(12, 'keep'),
        () => client.execution(executionId),
        () => client.cancel(executionId),
        () => client.deleteConversation('c'),
        () => client.uploadReference({ bytes: new Uint8Array([1]), contentType: 'image/png' }),
        async () => {
          for await (const event of client.events(executionId, null, new AbortController().signal)) expect(event).toBeNull()
        },
      ]
      for (const call of calls) expect((await errorOf(call())).code).toBe('SW_WIRE')
      const answer = { executionId: 'exec-1', conversationId: 'c', questionId: 'q', text: 't', key: 'k' }
      expect(await client.submit({ key: 'k', body: new Uint8Array([1]) }, async () => {})).toMatchObject({ kind: 'unknown', status })
      expect(await client.answer(answer, async () => {})).toMatchObject({ kind: 'unknown', status })
    }
    expect(other.arrivals).toEqual([])
  })
})
