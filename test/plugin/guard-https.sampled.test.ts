import { request } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenAnywhere } from '../kit/listen.ts'
import { tls } from './tls.ts'
import { configOf, type Game, keptLog, noNet, openSource, pluginOf, vites } from './world.ts'

let game: Game
beforeAll(async () => {
  game = await openSource()
})
afterAll(() => game.remove())

type Headers = Readonly<Record<string, string | undefined>>
type Ask = (headers: Headers, name?: string, body?: string) => Promise<{ readonly status: number; readonly text: string }>

/** A dev server over TLS, and its panel, which has the same certificate. */
async function start(load: (typeof vites)[number][1]) {
  const plugin = pluginOf(game, { net: noNet() })
  const { logger, lines } = keptLog()
  const { createServer } = await load()
  const server = await createServer(
    configOf(game, plugin, { logLevel: 'info', customLogger: logger, server: { host: '127.0.0.1', https: tls, watch: null } }),
  )
  await listenAnywhere(server)
  server.printUrls()
  const [, address = '', token = ''] = /(https:\S+)#token=(\S+)/.exec(lines.all.join('\n')) ?? []
  const { port: text, pathname } = new URL(address)
  const port = Number(text)
  const known = (headers: Headers): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  const path = (name: string): string => `${pathname}api/${name}`
  const ask: Ask = (headers, name = 'edit', body) =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          ca: tls.cert,
          // The connection is to this server, whatever name the request has.
          servername: 'localhost',
          path: path(name),
          method: body === undefined ? 'GET' : 'POST',
          headers: known(headers),
          agent: false,
        },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        },
      )
      sent.on('error', reject).end(body)
    })
  return { port, address, token, ask, close: () => server.close() }
}

test.each(vites)('over TLS too exactly one combination acts on the panel of %s', async (_name, load) => {
  const { port, address, token, ask, close } = await start(load)
  try {
    expect(address).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/[\w-]{8}\/$/)
    const own = `127.0.0.1:${port}`
    const right = { host: own, origin: `https://${own}`, 'content-type': 'application/json', 'x-spritewright-token': token }
    const state = JSON.parse((await ask(right, 'state')).text)
    expect(state.access.mayAct).toBe(true)
    const { digest } = state.sprites.find((sprite: { name: string }) => sprite.name === 'hero')
    const body = JSON.stringify({ sprite: 'hero', digest, animations: { walk: { fps: 8 } } })
    const acted: Headers[] = []
    for (const origin of [
      `https://${own}`,
      `http://${own}`,
      `https://localhost:${port}`,
      'https://127.0.0.1',
      'https://evil.test',
      'null',
      undefined,
    ])
      for (const host of [own, `localhost:${port}`, '127.0.0.1', `evil.test:${port}`])
        for (const given of [token, undefined]) {
          // Both names are the server's own, but a page has only one of them.
          if (origin === `https://localhost:${port}` && host === `localhost:${port}`) continue
          const headers = { ...right, host, origin, 'x-spritewright-token': given }
          const { status } = await ask(headers, 'edit', body)
          if (status < 400) acted.push(headers)
          else expect([headers, status]).toEqual([headers, 403])
        }
    expect(acted).toEqual([right])
    const other = { ...right, host: `localhost:${port}`, origin: `https://localhost:${port}` }
    expect((await ask(other, 'edit', body)).status).toBe(200)
  } finally {
    await close()
  }
})
