import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, describe, expect, test } from 'vitest'
import type { Options } from '../../../src/options/options.ts'
import { freePort } from '../../kit/listen.ts'
import { openPanel, readAddress, sendRaw } from '../panel-client.ts'
import { startDev } from '../server.ts'
import { configOf, type Game, keptLog, openSource, pluginOf, vites } from '../world.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function openGame(): Promise<Game> {
  const game = await openSource()
  open.push(() => game.remove())
  return game
}

async function start(load: (typeof vites)[number][1], options: Options = {}, more: Parameters<typeof startDev>[3] = {}) {
  const game = await openGame()
  const dev = await startDev(await load(), game, pluginOf(game, { options }), more)
  open.push(() => dev.close())
  return dev
}

/** Whether a port of loopback takes a connection. */
async function isTaken(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )
}

/** A server that has a port. */
async function occupy(port: number, address = '127.0.0.1'): Promise<Server> {
  const server = createNetServer().listen(port, address)
  await once(server, 'listening')
  open.push(() => new Promise((resolve) => server.close(resolve)))
  return server
}

const [, newest] = vites[0]!

describe.each(vites)('the panel beside a dev server of %s', (_name, load) => {
  test('has a port that no system gives out, on loopback, and a path of its own; both end with the dev server', async () => {
    const dev = await start(load, {}, { server: { host: '0.0.0.0' } })
    const { hostname, port, pathname, hash } = readAddress(dev)
    expect([hostname, pathname, hash]).toEqual(['127.0.0.1', expect.stringMatching(/^\/[\w-]{8}\/$/), expect.stringMatching(/^#token=/)])
    expect(Number(port)).toBeGreaterThanOrEqual(20_000)
    expect(Number(port)).toBeLessThan(30_000)
    const panel = await openPanel(dev)
    expect((await panel.state()).access).toMatchObject({ mayAct: true })
    expect(await isTaken(panel.port)).toBe(true)
    // An event stream is open, and does not keep the server.
    await dev.close()
    expect(await isTaken(panel.port)).toBe(false)
  })

  test('keeps port, path and token when Vite restarts, and moves with the words of the terminal if the port is lost', async () => {
    const dev = await start(load)
    const { href, port } = readAddress(dev)
    await dev.server.restart()
    expect(readAddress(dev).href).toBe(href)
    const restart = dev.server.restart()
    let isDone = false
    void restart.then(() => {
      isDone = true
    })
    // The port is free for a moment. A busy machine may miss it.
    while (!isDone && (await isTaken(Number(port)))) await new Promise(setImmediate)
    const taken = await occupy(Number(port)).catch(() => undefined)
    await restart
    const moved = new URL(/https?:\S+#token=\S+/.exec(dev.log.all.findLast((line) => line.includes('Sprites:')) ?? '')?.[0] ?? '')
    expect(moved.pathname + moved.hash).toBe(new URL(href).pathname + new URL(href).hash)
    expect(moved.port === port).toBe(taken === undefined)
    expect((await sendRaw(Number(moved.port), { path: `${moved.pathname}api/state` })).status).toBe(200)
  })

  test('says its address again if a restart has made a new one', async () => {
    const dev = await start(load)
    const { href } = readAddress(dev)
    const before = dev.log.all.length
    // Vite then copies its configuration, by which the panel knows its predecessor.
    await dev.server.restart(true)
    const said = dev.log.all.slice(before).filter((line) => line.includes('Sprites:'))
    expect(said).toEqual([expect.stringMatching(/#token=/)])
    expect(said[0]).not.toContain(href)
    const { port, pathname } = new URL(/https?:\S+/.exec(said[0] ?? '')?.[0] ?? '')
    expect((await sendRaw(Number(port), { path: `${pathname}api/state` })).status).toBe(200)
  })

  test('in a server of another program opens when its path is requested, and says its address then', async () => {
    const { logger, lines } = keptLog()
    const { createServer } = await load()
    const game = await openGame()
    const vite = await createServer(
      configOf(game, pluginOf(game), { logLevel: 'info', customLogger: logger, server: { middlewareMode: true, ws: false, watch: null } }),
    )
    open.push(() => vite.close())
    const app = createHttpServer(vite.middlewares)
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
    open.push(() => new Promise((resolve) => app.close(resolve)))
    expect(lines.all.join('\n')).not.toContain('Sprites:')
    const { port } = app.address() as AddressInfo
    const { status, headers } = await sendRaw(port, { path: '/__spritewright?show=hero.walk' })
    const printed = new URL(/https?:\S+#token=\S+/.exec(lines.all.join('\n'))?.[0] ?? '')
    expect([status, headers.location]).toEqual([302, `${printed.origin}${printed.pathname}?show=hero.walk`])
    const state = await sendRaw(Number(printed.port), {
      path: `${printed.pathname}api/state`,
      headers: { 'x-spritewright-token': printed.hash.slice('#token='.length) },
    })
    expect(JSON.parse(state.text).access.mayAct).toBe(true)
    // Whoever has the page open goes on with it.
    await vite.restart()
    expect((await sendRaw(Number(printed.port), { path: `${printed.pathname}api/state` })).status).toBe(200)
    await vite.close()
    expect(await isTaken(Number(printed.port))).toBe(false)
  })
})

test('a fixed port is the port; if it is taken, the terminal says so, and the game runs without the panel until it is free', async () => {
  const port = await freePort()
  const first = await start(newest, { panel: { port } })
  const before = readAddress(first)
  expect(before.port).toBe(String(port))
  const second = await start(newest, { panel: { port } })
  const words = second.log.all.filter((line) => line.includes('panel.port'))
  expect(words).toEqual([expect.stringContaining(`at port ${port} of this machine, found EADDRINUSE`)])
  second.server.printUrls()
  expect(second.log.all.join('\n')).not.toContain('Sprites:')
  expect((await second.get('/src/main.js')).status).toBe(200)
  expect(await second.get('/__spritewright/')).toMatchObject({ status: 503, text: expect.stringContaining('does not run') })
  await first.close()
  expect(await second.get('/__spritewright/')).toMatchObject({ status: 302, headers: { location: expect.stringContaining(`:${port}/`) } })
  // A browser may have kept a response of the first.
  expect(readAddress(second).pathname).not.toBe(before.pathname)
  expect(readAddress(second).hash).not.toBe(before.hash)
})

/** Whether this machine has the address of IPv6. */
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

test.runIf(hasIpv6)('the panel is at both addresses of localhost, so that no other server gets a token there', async () => {
  const dev = await start(newest)
  const { port, pathname } = readAddress(dev)
  expect((await fetch(`http://[::1]:${port}${pathname}`)).status).toBe(200)
  await dev.close()
  await expect(fetch(`http://[::1]:${port}${pathname}`)).rejects.toThrow()
  const taken = await freePort()
  await occupy(taken, '::1')
  const other = await start(newest, { panel: { port: taken } })
  expect(other.log.all.join('\n')).toContain(`at port ${taken} of this machine, found EADDRINUSE`)
  expect(await isTaken(taken)).toBe(false)
})

test('a server that does not listen opens no port', async () => {
  const { createServer } = await newest()
  const game = await openGame()
  const { logger, lines } = keptLog()
  const server = await createServer(configOf(game, pluginOf(game), { logLevel: 'info', customLogger: logger, server: { watch: null } }))
  await server.close()
  expect(lines.all.join('\n')).not.toMatch(/panel|Sprites:/)
})

test('only a fixed port is open to other machines, where the dev server is', async () => {
  const port = await freePort()
  const dev = await start(newest, { panel: { port } }, { server: { host: '0.0.0.0' } })
  const { hostname } = readAddress(dev)
  expect(hostname).toBe('localhost')
  const local = await start(newest, { panel: { port: await freePort() } })
  expect(readAddress(local).hostname).toBe('127.0.0.1')
  const panel = await openPanel(dev)
  expect((await panel.state()).access).toMatchObject({ mayAct: true, mayBuy: false })
  panel.close()
})

test('neither the panel nor the redirect sets a cookie or allows a service worker', async () => {
  const dev = await start(newest)
  const { port, pathname } = readAddress(dev)
  const answers = [
    await dev.get('/__spritewright/'),
    ...(await Promise.all(['', 'panel.js', 'api/state', 'nothing'].map((name) => sendRaw(Number(port), { path: pathname + name })))),
  ]
  for (const { headers } of answers)
    expect([headers['set-cookie'], headers['service-worker-allowed'], headers['access-control-allow-origin']]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
})
