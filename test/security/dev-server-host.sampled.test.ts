import { connect } from 'node:http2'
import { request } from 'node:https'
import type { InlineConfig } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isOwnHost } from '../../plugin/http/guard.ts'
import { listenAnywhere } from '../kit/listen.ts'
import { readAddress, sendRaw } from '../plugin/panel-client.ts'
import { type Dev, portOf, startDev } from '../plugin/server.ts'
import { tls } from '../plugin/tls.ts'
import { configOf, type Game, keptLog, openSource, pluginOf, vites } from '../plugin/world.ts'

let game: Game
const open: { close(): Promise<void> }[] = []
beforeAll(async () => {
  game = await openSource()
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
afterAll(() => game.remove())

async function start(load: (typeof vites)[number][1], server: InlineConfig['server'] = {}, base = '/'): Promise<Dev> {
  const dev = await startDev(await load(), game, pluginOf(game), { base, server })
  open.push(dev)
  return dev
}

/** The plugin's paths on the dev server that a browser may request, below the base. */
const ours = ['__spritewright', '__spritewright/', '__spritewright/api/state', '__spritewright/nothing.js']

/** Those of the panel's own origin, below its page. */
const ofPanel = [
  '',
  'index.html',
  'api/state',
  'api/state?x=/',
  'api/frames?animation=hero.walk',
  'api/atlases',
  'api/events',
  'nothing.js',
  '__open-in-editor?file=package.json',
]

/** Names that a site may bind to this machine, or that only look like one of its own. */
const foreign = [
  ...['evil.test', 'localhost.evil.test', 'notlocalhost', '127.0.0.1.evil.test', 'a.127.0.0.1', '1.2.3.4.5', 'localhost.'],
  ...['mygame.test', 'game.test.evil.test', 'wild.test.evil.test', 'notwild.test', '[evil.test]', '[::1', 'evil.test@127.0.0.1', ''],
]

/** Names and addresses of the server that {@link named} configures. */
const own = [
  ...['127.0.0.1', '192.168.7.7', '[::1]', '[fe80::1]', 'localhost', 'a.localhost', 'game.test', 'wild.test', 'a.wild.test'],
  ...['proxy.test', 'hot.test'],
]
const named = { allowedHosts: ['game.test', '.wild.test'], origin: 'https://proxy.test', hmr: { host: 'hot.test' } }

describe.each(vites)('who reads from the dev server of %s', (_name, load) => {
  test.each(['/', '/game/'])('M2: by a foreign name nobody reads the panel, its state or a page, under the base %s', async (base) => {
    const dev = await start(load, {}, base)
    const port = portOf(dev.server)
    const modules = await dev.crawl(`${base}src/main.js`)
    const page = /\/@spritewright\/[0-9a-f]{64}\.png/.exec([...modules.values()].join('\n'))?.[0].slice(1) ?? ''
    expect((await dev.get(base + page)).status).toBe(200)
    const { port: panelPort, pathname } = readAddress(dev)
    const paths = [
      ...[...ours, page].map((path) => [port, base + path] as const),
      ...[...ofPanel, page.replace('@spritewright', 'pages')].map((path) => [Number(panelPort), pathname + path] as const),
    ]
    for (const [at, path] of paths)
      for (const host of foreign.slice(0, 5)) {
        const { status, text } = await sendRaw(at, { path, headers: { host: `${host}:${at}` } })
        expect([path, host, status]).toEqual([path, host, 403])
        expect(text).toContain('server.allowedHosts')
        expect(text).not.toContain('figure')
      }
  })

  test('M2: the panel and pages answer to the very names that the game answers to', async () => {
    const dev = await start(load, named)
    const { get } = dev
    const { port: panelPort, pathname } = readAddress(dev)
    const answers: unknown[] = []
    for (const host of [...own, ...foreign])
      for (const port of ['', ':5173']) {
        if (host === '' && port === '') continue
        const headers = { host: host + port }
        const [panel, pages, game] = [
          await sendRaw(Number(panelPort), { path: `${pathname}api/state`, headers }),
          await get(`/@spritewright/${'0'.repeat(64)}.png`, { headers }),
          await get('/src/main.js', { headers }),
        ].map(({ status }) => status)
        const isOwn = own.includes(host)
        answers.push([headers.host, panel, pages, game])
        expect(answers.at(-1)).toEqual(isOwn ? [headers.host, 200, 404, 200] : [headers.host, 403, 403, 403])
      }
  })

  test('M2: over TLS a foreign name reads nothing either, by HTTP/1.1 and by HTTP/2; two names that differ are none', async () => {
    const { createServer } = await load()
    const { logger, lines: log } = keptLog()
    const server = await createServer(
      configOf(game, pluginOf(game), {
        logLevel: 'info',
        customLogger: logger,
        server: { host: '127.0.0.1', https: tls, watch: null },
      }),
    )
    await listenAnywhere(server)
    const port = portOf(server)
    const panel = readAddress({ server, log })
    const session = connect(`https://127.0.0.1:${port}`, { ca: tls.cert })
    open.push({
      close: async () => {
        session.destroy()
        await server.close()
      },
    })
    const path = `/@spritewright/${'0'.repeat(64)}.png`
    const byOne = (host: string, port: number, path: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const address = { host: '127.0.0.1', port, ca: tls.cert, servername: 'localhost' }
        const sent = request({ ...address, path, headers: { host }, agent: false }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0))
        })
        sent.on('error', reject).end()
      })
    const byTwo = (headers: Readonly<Record<string, string>>): Promise<number> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':path': path, ':scheme': 'https', ...headers })
        let status = 0
        stream.on('response', (answer) => {
          status = answer[':status'] ?? 0
        })
        stream.on('error', reject).on('end', () => resolve(status))
        stream.resume().end()
      })
    for (const [host, status] of [
      [`localhost:${port}`, 404],
      [`127.0.0.1:${port}`, 404],
      [`evil.test:${port}`, 403],
    ] as const) {
      expect([host, await byOne(host, port, path), await byTwo({ ':authority': host })]).toEqual([host, status, status])
      // Over TLS, Vite leaves all names to the plugin.
      for (const way of ['/__spritewright', '/__spritewright/'])
        expect([host, way, await byOne(host, port, way)]).toEqual([host, way, status === 403 ? 403 : 302])
      const ofPanel = await byOne(host, Number(panel.port), `${panel.pathname}api/state`)
      expect([host, ofPanel]).toEqual([host, status === 403 ? 403 : 200])
    }
    expect(await byTwo({ ':authority': `localhost:${port}`, host: 'evil.test' })).toBe(403)
    expect(await byTwo({ ':authority': 'evil.test', host: `localhost:${port}` })).toBe(403)
  })
})

test('M2: a request without a name, or with two, is none to the server, unless every name is allowed', () => {
  expect(isOwnHost({}, { allowedHosts: ['game.test'], hmr: true, host: '0.0.0.0' })).toBe(false)
  expect(isOwnHost({ host: ['localhost', 'localhost'] }, { allowedHosts: [] })).toBe(false)
  expect(isOwnHost({ host: 'any.test' }, { allowedHosts: true })).toBe(true)
  expect(isOwnHost({ host: 'game.test' }, { allowedHosts: [], host: 'game.test' })).toBe(true)
})
