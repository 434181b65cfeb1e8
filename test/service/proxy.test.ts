import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nodeClock } from '../../src/host/clock.ts'
import { type Net, nodeNet } from '../../src/host/net.ts'
import { listen } from '../../src/host/server.ts'
import { createClient, type ServiceClient } from '../../src/service/client.ts'
import { tls } from '../plugin/tls.ts'
import { canary, errorOf, steadyRandom } from './fixtures.ts'

// Real sockets: a TLS server that stands for two hosts with no address, and a proxy that leads to it.
const zip = new Uint8Array(50_000).map((_, at) => at % 251)
let closers: (() => unknown)[]
beforeEach(() => {
  closers = []
  // The certificate of the tests is signed by nobody.
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
})
afterEach(async () => {
  for (const close of closers.reverse()) await close()
  vi.unstubAllEnvs()
})

interface Proxy {
  readonly port: number
  /** `CONNECT` targets in order. */
  readonly targets: string[]
  readonly authorizations: (string | undefined)[]
  /** All bytes that clients have sent through tunnels. */
  readonly bytes: Buffer[]
}

/** Starts a proxy that leads every tunnel to one port of this machine, or refuses it with a status. */
async function startProxy(port: number, refuseWith?: number): Promise<Proxy> {
  const proxy: Omit<Proxy, 'port'> = { targets: [], authorizations: [], bytes: [] }
  const server = createServer((_, response) => response.writeHead(599).end())
  server.on('connect', (request, socket) => {
    proxy.targets.push(request.url ?? '')
    proxy.authorizations.push(request.headers['proxy-authorization'])
    if (refuseWith !== undefined) return socket.end(`HTTP/1.1 ${refuseWith} Refused\r\n\r\n`)
    const target = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 Connected\r\n\r\n'))
    socket.on('data', (part: Buffer) => proxy.bytes.push(part))
    socket.pipe(target).pipe(socket)
    for (const end of [socket, target]) end.on('error', () => socket.destroy())
  })
  return { ...proxy, port: await started(server) }
}

async function started(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  return (server.address() as AddressInfo).port
}

/** Starts the service: capabilities, balance and a download that is redirected to another host. */
async function startService(): Promise<{ port: number; seen: { host?: string; path?: string; authorization?: string }[] }> {
  const seen: { host?: string; path?: string; authorization?: string }[] = []
  const server = createTlsServer(tls, (request, response) => {
    const { host, authorization } = request.headers
    seen.push({ ...(host && { host }), path: request.url ?? '', ...(authorization && { authorization }) })
    if (request.url === '/signed') return response.end(zip)
    if (request.url?.endsWith('/asset')) return response.writeHead(302, { location: 'https://files.example.test/signed' }).end()
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{"credits":"1.5"}')
  })
  return { port: await started(server), seen }
}

function clientOf(env: Record<string, string>, baseUrl = 'https://api.example.test'): ServiceClient {
  const net: Net = nodeNet(env)
  closers.push(() => net.close())
  return createClient({ net, clock: nodeClock(), random: { ...steadyRandom, unit: () => 0 } }, { baseUrl, key: canary })
}

describe('a proxy of the environment', () => {
  test('I7: requests and redirects go through its tunnel; it sees no key, and the second host none either', async () => {
    const service = await startService()
    const proxy = await startProxy(service.port)
    const client = clientOf({ HTTPS_PROXY: `http://artist:pass%20word@127.0.0.1:${proxy.port}` })
    expect(await client.balance()).toBe(15_000n)
    expect((await client.download('https://api.example.test/v1/image-jobs/j/asset')).bytes).toEqual(zip)
    expect([...new Set(proxy.targets)]).toEqual(['api.example.test:443', 'files.example.test:443'])
    expect(new Set(proxy.authorizations)).toEqual(new Set([`Basic ${Buffer.from('artist:pass word').toString('base64')}`]))
    expect(Buffer.concat(proxy.bytes).toString('latin1')).not.toContain(canary)
    expect(service.seen.map(({ host, authorization }) => [host, authorization])).toEqual([
      ['api.example.test', `Bearer ${canary}`],
      ['api.example.test', `Bearer ${canary}`],
      ['files.example.test', undefined],
    ])
  })

  test.each([
    ['https_proxy', { https_proxy: 'PROXY', HTTPS_PROXY: 'http://127.0.0.1:9' }],
    ['HTTP_PROXY', { HTTP_PROXY: 'PROXY' }],
    ['an address without a scheme', { HTTPS_PROXY: 'BARE' }],
  ])('%s is honoured', async (_, env) => {
    const proxy = await startProxy((await startService()).port)
    const bare = `127.0.0.1:${proxy.port}`
    const filled = Object.entries(env).map(([name, value]) => [name, value.replace('PROXY', `http://${bare}`).replace('BARE', bare)])
    expect(await clientOf(Object.fromEntries(filled)).balance()).toBe(15_000n)
    expect(proxy.targets).toEqual(['api.example.test:443'])
  })

  test('hosts of NO_PROXY are called directly', async () => {
    const proxy = await startProxy((await startService()).port)
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'other.test,.example.invalid' }
    const error = await errorOf(clientOf(env, 'https://api.example.invalid').balance())
    expect(error.code).toBe('SW_UNREACHABLE')
    expect(proxy.targets).toEqual([])
    expect(await clientOf(env).balance()).toBe(15_000n)
  })

  test('this machine is called directly, whatever NO_PROXY says', async () => {
    const proxy = await startProxy(1, 500)
    const api = await listen(async () => ({ status: 200, headers: {}, body: new TextEncoder().encode('{"credits":"1.5"}') }))
    closers.push(() => api.close())
    const address = `http://127.0.0.1:${proxy.port}`
    const env = { HTTPS_PROXY: address, HTTP_PROXY: address, http_proxy: address, NO_PROXY: '' }
    for (const url of [api.url, api.url.replace('127.0.0.1', 'localhost')]) expect(await clientOf(env, url).balance()).toBe(15_000n)
    expect(proxy.targets).toEqual([])
  })

  test('one that refuses is SW_UNREACHABLE: the proxy and its status are told, its password is not', async () => {
    const proxy = await startProxy(1, 407)
    const client = clientOf({ HTTPS_PROXY: `http://artist:secret@127.0.0.1:${proxy.port}` })
    const error = await errorOf(client.balance())
    expect(error.code).toBe('SW_UNREACHABLE')
    expect(error.message).toContain(`through the proxy http://127.0.0.1:${proxy.port} from HTTPS_PROXY`)
    expect(error.message).toContain('407')
    expect(error.message).not.toContain('secret')
  })

  test.each(['socks5://127.0.0.1:1080', 'http://', 'ftp://secret@proxy'])('%s is SW_CONFIG, and nothing is sent', async (value) => {
    const error = await errorOf(clientOf({ HTTPS_PROXY: value }).balance())
    expect(error).toMatchObject({ code: 'SW_CONFIG', facts: { variable: 'HTTPS_PROXY' } })
    expect(error.message).not.toContain('secret')
  })
})
