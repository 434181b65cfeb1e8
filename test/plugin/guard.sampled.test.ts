import { Agent, request } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type GuardedRequest, type ListeningServer, ownAddress, refuseRequest } from '../../plugin/http/guard.ts'
import type { ActionName } from '../../plugin/protocol/actions.ts'
import type { Options } from '../../src/options/options.ts'
import { freePort } from '../kit/listen.ts'
import { openPanel, type PanelClient, sendRaw, staleAsks } from './panel-client.ts'
import { type Answer, type Dev, portOf, startDev } from './server.ts'
import { type Game, noNet, openSource, pluginOf, vites } from './world.ts'

let game: Game
const open: Dev[] = []
beforeAll(async () => {
  game = await openSource()
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
afterAll(() => game.remove())

async function start(
  load: (typeof vites)[number][1],
  server: NonNullable<Parameters<typeof startDev>[3]>['server'] = {},
  base = '/',
  options: Options = {},
): Promise<Dev> {
  const dev = await startDev(await load(), game, pluginOf(game, { net: noNet(), options }), { base, server })
  open.push(dev)
  return dev
}

/** Every combination of one value of each list. */
function product<T extends Readonly<Record<string, readonly unknown[]>>>(lists: T): { [K in keyof T]: T[K][number] }[] {
  return Object.entries(lists).reduce<Record<string, unknown>[]>(
    (cells, [name, values]) => cells.flatMap((cell) => values.map((value) => ({ ...cell, [name]: value }))),
    [{}],
  ) as { [K in keyof T]: T[K][number] }[]
}

describe.each(vites)('who may act on the dev server of %s', (_name, load) => {
  test('of all methods, origins, hosts, sites, types and tokens exactly one combination acts', async () => {
    const dev = await start(load)
    const panel = await openPanel(dev)
    const own = `127.0.0.1:${panel.port}`
    const digest = (await panel.state()).sprites.find(({ name }) => name === 'hero')?.digest ?? ''
    const body = JSON.stringify({ sprite: 'hero', digest, animations: { walk: { fps: 8 } } })
    const before = await game.read('sprites/hero.sprite.json')
    const cells = product({
      method: ['POST', 'GET', 'PUT'],
      origin: [
        `http://${own}`,
        undefined,
        'null',
        `https://${own}`,
        `http://localhost:${panel.port}`,
        'http://127.0.0.1:1',
        'http://evil.test',
      ],
      host: [own, '127.0.0.1:1', 'evil.test'],
      site: ['same-origin', 'same-site', 'cross-site', 'none'],
      type: ['application/json', 'text/plain', undefined],
      token: [panel.token, undefined, `${panel.token.slice(0, -1)}${panel.token.endsWith('A') ? 'B' : 'A'}`],
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 16 })
    const acted: unknown[] = []
    let readable = 0
    await Promise.all(
      cells.map(async ({ method, ...cell }) => {
        const headers: Record<string, string> = { host: cell.host, 'sec-fetch-site': cell.site }
        if (cell.origin !== undefined) headers.origin = cell.origin
        if (cell.type !== undefined) headers['content-type'] = cell.type
        if (cell.token !== undefined) headers['x-spritewright-token'] = cell.token
        const { status, cors } = await send(agent, panel, method, headers, body)
        if (cors) readable++
        if (status < 400) acted.push({ method, ...cell, status })
      }),
    )
    agent.destroy()
    panel.close()
    expect(readable).toBe(0)
    expect(acted).toEqual([
      {
        ...{ method: 'POST', origin: `http://${own}`, host: own, site: 'same-origin', type: 'application/json', token: panel.token },
        status: 200,
      },
    ])
    expect(await game.read('sprites/hero.sprite.json')).toBe(before)
  })

  test('every action asks for all of it: method, origin, host, site, type and token', async () => {
    const dev = await start(load)
    const { port, prefix, token, close } = await openPanel(dev)
    const host = `127.0.0.1:${port}`
    const headers = {
      host,
      origin: `http://${host}`,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'x-spritewright-token': token,
    }
    const wrongs: readonly Readonly<Record<string, string>>[] = [
      { origin: 'http://evil.test' },
      { origin: 'null' },
      { origin: '' },
      { host: '127.0.0.1:1' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'content-type': 'text/plain' },
      { 'x-spritewright-token': '' },
      { 'x-spritewright-token': `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}` },
    ]
    const codeOf = async (method: string, action: string, change: Readonly<Record<string, string>>): Promise<unknown> => {
      const body = JSON.stringify(staleAsks[action as ActionName])
      const answer = await sendRaw(port, { path: `${prefix}api/${action}`, method, headers: { ...headers, ...change }, body })
      return answer.status < 400 ? 'done' : JSON.parse(answer.text).error.code
    }
    const [before, files] = [await game.read('sprites/hero.sprite.json'), await game.list()]
    for (const action of Object.keys(staleAsks)) {
      const codes = [await codeOf('PUT', action, {}), ...(await Promise.all(wrongs.map((change) => codeOf('POST', action, change))))]
      expect([action, new Set(codes)]).toEqual([action, new Set(['SW_GUARD'])])
      // The guard alone has refused the others: this one gets to the action.
      expect([action, await codeOf('POST', action, {})]).not.toEqual([action, 'SW_GUARD'])
    }
    expect([await game.read('sprites/hero.sprite.json'), await game.list()]).toEqual([before, files])
    close()
  })

  test('under another of its names too; a token in the address or in a cookie is none', async () => {
    const dev = await start(load, {}, '/game/')
    const { port, prefix, token, close } = await openPanel(dev)
    const ask = (path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
      sendRaw(port, {
        path,
        method: 'POST',
        headers: { host: `localhost:${port}`, origin: `http://localhost:${port}`, 'content-type': 'application/json', ...headers },
        body: '{"ids":[]}',
      }).then(({ status }) => status)
    // Without a key, the workshop can only refuse an offer.
    expect(await ask(`${prefix}api/offer`, { 'x-spritewright-token': token })).toBe(400)
    expect(await ask(`${prefix}api/offer?token=${token}`, {})).toBe(403)
    expect(await ask(`${prefix}api/offer`, { cookie: `x-spritewright-token=${token}; token=${token}` })).toBe(403)
    expect(await ask('/api/offer', { 'x-spritewright-token': token })).toBe(404)
    expect(await ask('/game/__spritewright/api/offer', { 'x-spritewright-token': token })).toBe(404)
    expect(await ask(`${prefix}api/nothing`, { 'x-spritewright-token': token })).toBe(405)
    close()
  })

  test('the game itself may not: it finds the token nowhere, and is another site or origin to the panel', async () => {
    const dev = await start(load)
    const { port, prefix, token, close } = await openPanel(dev)
    const game = { origin: `http://127.0.0.1:${portOf(dev.server)}`, 'sec-fetch-site': 'same-site' }
    const own = { origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' }
    const page = await dev.get('/', { headers: { accept: 'text/html' } })
    const panel = await sendRaw(port, { path: prefix })
    const old = await dev.get('/__spritewright/?show=hero.walk')
    expect(old).toMatchObject({ status: 302, headers: { location: `http://127.0.0.1:${port}${prefix}?show=hero.walk` }, text: '' })
    for (const path of ['index.html', 'panel.js', 'api/state', 'api/events', 'api/approve'])
      expect([path, (await dev.get(`/__spritewright/${path}`)).status]).toEqual([path, 404])
    const texts = [page, panel, old].flatMap(({ text, headers }) => [text, JSON.stringify(headers)])
    const modules = await dev.crawl('/src/main.js')
    for (const read of ['state', 'frames', 'atlases', 'events'])
      expect([read, (await sendRaw(port, { path: `${prefix}api/${read}`, headers: game })).status]).toEqual([read, 403])
    const state = await sendRaw(port, { path: `${prefix}api/state`, headers: own })
    expect(JSON.parse(state.text).access).toMatchObject({ mayAct: false, mayBuy: false })
    for (const text of [...texts, ...modules.values(), state.text, JSON.stringify(dev.told.all)]) expect(text).not.toContain(token)
    for (const action of Object.keys(staleAsks))
      for (const [sender, given] of [
        [own, {}],
        [game, { 'x-spritewright-token': token }],
      ] as const) {
        const refused = await sendRaw(port, {
          path: `${prefix}api/${action}`,
          method: 'POST',
          headers: { ...sender, ...given, 'content-type': 'application/json' },
          body: '{}',
        })
        expect([action, refused.status, JSON.parse(refused.text).error.code]).toEqual([action, 403, 'SW_GUARD'])
      }
    close()
  })

  test('another origin reads nothing: no CORS headers, no preflight, no answer to a foreign page', async () => {
    const dev = await start(load)
    const { port, prefix, close } = await openPanel(dev)
    const get = (path: string, request: { method?: string; headers?: Readonly<Record<string, string>> } = {}): Promise<Answer> =>
      sendRaw(port, { path: prefix + path, ...request })
    const origin = 'http://localhost:9'
    for (const path of ['', 'api/state', 'api/approve', 'nothing.js']) {
      for (const method of ['GET', 'OPTIONS', 'HEAD']) {
        const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-spritewright-token' }
        const answer = await get(path, { method, headers })
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
        if (method === 'OPTIONS') expect(answer.status).toBe(405)
      }
    }
    // Vite's own answers have these headers, so no option of Vite disables them.
    expect((await dev.get('/src/main.js', { headers: { origin } })).headers['access-control-allow-origin']).toBe(origin)
    expect(await get('api/state', { headers: { 'sec-fetch-site': 'cross-site' } })).toMatchObject({ status: 403 })
    for (const path of [
      '../.env',
      '..%2f.env',
      '%2e%2e/package.json',
      '.spritewright/ledger.jsonl',
      'a/../../package.json',
      '//index.html',
    ])
      expect(await get(path)).toMatchObject({ status: 404, text: '' })
    close()
  })

  test('a panel that other machines can reach takes edits, and spends nothing', async () => {
    const dev = await start(load, { host: '0.0.0.0' }, '/', { panel: { port: await freePort() } })
    const panel = await openPanel(dev)
    const { access, sprites } = await panel.state()
    expect(access).toMatchObject({ mayAct: true, mayBuy: false })
    expect(access.words).toContain('server.host')
    const { digest = '' } = sprites.find(({ name }) => name === 'hero') ?? {}
    expect(await panel.act('edit', { sprite: 'hero', digest, animations: { walk: { fps: 8 } } })).toMatchObject({ digest })
    const refused: string[] = []
    for (const [action, ask] of Object.entries(staleAsks) as [ActionName, unknown][]) {
      if (action === 'quote' || action === 'dismiss') continue
      const { status, text } = await panel.refused(action, ask)
      if (status === 403 && JSON.parse(text).error.code === 'SW_GUARD') refused.push(action)
    }
    expect(refused.sort()).toEqual(['answer', 'approve', 'cancel', 'recover', 'touch'])
    panel.close()
  })

  test('a body that is too long, no JSON, or not what is asked for, is refused in words', async () => {
    const dev = await start(load)
    const panel = await openPanel(dev)
    for (const [ask, status] of [
      [{ sprite: 'x'.repeat(300_000) }, 413],
      ['text', 400],
      [{ sprite: 'hero' }, 400],
      [{ sprite: 'hero', digest: '0'.repeat(64), animations: { walk: { frames: 99 } } }, 400],
    ] as const) {
      const refused = await panel.refused('edit', ask)
      expect([refused.status, JSON.parse(refused.text).error.message]).toEqual([status, expect.stringContaining('Expected')])
    }
    panel.close()
  })
})

function send(
  agent: Agent,
  { port, prefix }: Pick<PanelClient, 'port' | 'prefix'>,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<{ readonly status: number; readonly cors: boolean }> {
  return new Promise((resolve, reject) => {
    const path = `${prefix}api/edit`
    const withBody = method === 'POST' || method === 'PUT' ? { ...headers, 'content-length': `${body.length}` } : headers
    const sent = request({ agent, host: '127.0.0.1', port, method, path, headers: withBody, setHost: false }, (response) => {
      response.resume()
      const cors = Object.keys(response.headers).some((name) => name.startsWith('access-control-'))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, cors }))
    })
    sent.on('error', reject).end(withBody === headers ? undefined : body)
  })
}

describe('the addresses of a server', () => {
  const listening = (
    address: string,
    config: ListeningServer['config']['server'] = {} as never,
    network: string[] = [],
  ): ListeningServer => ({
    httpServer: { address: () => ({ address, port: 5173, family: '' }) } as never,
    resolvedUrls: { local: ['http://localhost:5173/'], network },
    config: { server: config },
  })
  const originsOf = (server: ListeningServer): readonly string[] => [...ownAddress(server).origins].sort()

  test('on loopback: localhost and the address itself, by IPv4 or IPv6', () => {
    expect(originsOf(listening('127.0.0.1'))).toEqual(['http://127.0.0.1:5173', 'http://localhost:5173'])
    expect(originsOf(listening('::1'))).toEqual(['http://[::1]:5173', 'http://localhost:5173'])
    expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].map((address) => ownAddress(listening(address)).isLoopback)).toEqual([
      ...[true, true, true, true],
    ])
    expect(['0.0.0.0', '::', '192.168.1.2', 'fe80::1'].map((address) => ownAddress(listening(address)).isLoopback)).toEqual([
      ...[false, false, false, false],
    ])
  })

  test('everywhere: what Vite prints; a name of the configuration is one, a wildcard is none', () => {
    expect(originsOf(listening('::', {} as never, ['http://192.168.1.2:5173/']))).toContain('http://192.168.1.2:5173')
    const config = { host: 'game.test', allowedHosts: ['other.test', '.wild.test'], origin: 'https://proxy.test' } as never
    const origins = originsOf(listening('127.0.0.1', config))
    for (const origin of ['http://game.test:5173', 'http://other.test:5173', 'https://proxy.test']) expect(origins).toContain(origin)
    expect(origins.join(' ')).not.toContain('wild')
    expect(originsOf(listening('127.0.0.1', { allowedHosts: true } as never))).toHaveLength(2)
  })

  test('over TLS the scheme is https; a server that does not listen by itself has none', () => {
    expect(originsOf(listening('127.0.0.1', { https: {} } as never))).toContain('https://localhost:5173')
    expect(ownAddress({ httpServer: null, resolvedUrls: null, config: { server: {} as never } })).toEqual({
      origins: new Set(),
      isLoopback: false,
    })
  })

  test('HTTP/2 names its host in :authority; two names that differ are refused, and so is a list of origins', () => {
    const own = { origins: new Set(['https://localhost:5173']), isLoopback: true }
    const headers = {
      ...{ ':authority': 'localhost:5173', origin: 'https://localhost:5173' },
      ...{ 'content-type': 'application/json; charset=utf-8', 'x-spritewright-token': 'secret' },
    }
    const refuse = (change: GuardedRequest['headers'], isSpending = true, at = own) =>
      refuseRequest({ method: 'POST', headers: { ...headers, ...change } }, at, 'secret', isSpending)?.status
    expect(refuse({})).toBeUndefined()
    expect(refuse({ host: 'localhost:5173' })).toBeUndefined()
    expect(refuse({ host: 'evil.test' })).toBe(403)
    expect(refuse({ origin: 'https://localhost:5173, https://evil.test' })).toBe(403)
    expect(refuse({ origin: 'https://localhost:5173/' })).toBe(403)
    expect(refuse({ 'x-spritewright-token': 'secret2' })).toBe(403)
    expect(refuse({ 'x-spritewright-token': ['secret', 'secret'] })).toBe(403)
    expect(refuse({ 'content-type': 'application/json, text/plain' })).toBe(415)
    expect(refuse({}, true, { ...own, isLoopback: false })).toBe(403)
    expect(refuse({}, false, { ...own, isLoopback: false })).toBeUndefined()
  })
})
