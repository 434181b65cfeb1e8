import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import type { Options } from '../../src/options/options.ts'
import { fasterClock } from '../kit/faster-clock.ts'
import { listenAnywhere } from '../kit/listen.ts'
import { portOf } from '../plugin/server.ts'
import { configOf, keptLog, key, openSource, pluginOf, vites } from '../plugin/world.ts'
import { openBrowser } from './browser.ts'

let browser: Browser
const open: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  browser = await openBrowser()
})
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})
afterAll(() => browser.close())

/**
 * A service worker that buys with every token that it sees: in the address of a page, or in a request. It answers
 * `/seen` with the tokens, and everything else from the network.
 */
const buyer = `
const seen = []
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => event.respondWith(answer(event.request)))
async function answer(request) {
  if (new URL(request.url).pathname === '/seen') return new Response(JSON.stringify(seen))
  const inHeader = request.headers.get('x-spritewright-token')
  const token = inHeader ?? /token=([^&]+)/.exec(request.url)?.[1]
  if (token) {
    seen.push(token)
    const api = new URL(inHeader ? '.' : 'api/', request.url).href
    const act = async (name, asks) => (await fetch(api + name, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-spritewright-token': token },
      body: JSON.stringify(asks),
    })).json()
    const { lines, sum } = await act('offer', { ids: ['hero'] })
    await act('approve', { ids: ['hero'], lines, sum })
  }
  return fetch(request)
}
`

/** The same, but it answers every navigation with a page of its own, which keeps the token of its address. */
const forger = buyer.replace(
  'async function answer(request) {',
  `async function answer(request) {
  if (request.url.includes('/kept?')) return new Response(String(seen.push(new URL(request.url).search.slice(1))))
  if (request.mode === 'navigate')
    return new Response("<!doctype html><title>forged</title><script>if (location.hash) fetch('/kept?' + location.hash)</script>", { headers: { 'content-type': 'text/html' } })`,
)

const gamePage = '<!doctype html><link rel="icon" href="data:,"><title>game</title>'

/** An app on a port that leaves a service worker in a browser. Returns the port, which is free again. */
async function leaveWorker(context: BrowserContext, script: string): Promise<number> {
  const server = createHttpServer((request, response) => {
    response.setHeader('Content-Type', request.url === '/sw.js' ? 'text/javascript' : 'text/html')
    response.end(request.url === '/sw.js' ? script : gamePage)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const page = await context.newPage()
  await page.goto(`http://127.0.0.1:${port}/`)
  await register(page)
  await page.close()
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })
  return port
}

/** Registers `/sw.js`, and waits until it controls the page. */
async function register(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const claimed = new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }))
    await navigator.serviceWorker.register('/sw.js')
    if (!navigator.serviceWorker.controller) await claimed
  })
}

interface World {
  readonly context: BrowserContext
  readonly service: EmbeddedService
  /** Starts the dev server of a game whose sprite a click would buy. Returns its origin, and the printed address of the panel. */
  serve(
    port: number,
    files?: Readonly<Record<string, string>>,
    options?: Options,
  ): Promise<{ origin: string; panel: string; log: readonly string[] }>
}

async function openWorld(): Promise<World> {
  const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 }, accounts: [{ name: 'test', keys: [{ key }] }] })
  open.push(() => service.close())
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  open.push(() => context.close())
  return {
    context,
    service,
    serve: async (port, files = {}, options = {}) => {
      const game = await openSource({ 'index.html': gamePage, ...files })
      open.push(() => game.remove())
      const { logger, lines } = keptLog()
      const env = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: key }
      const plugin = pluginOf(game, { env, options, net: nodeHost().net, clock: fasterClock(5) })
      const { createServer } = await vites[0]![1]()
      const dev = await createServer(
        configOf(game, plugin, { logLevel: 'info', customLogger: logger, server: { host: '127.0.0.1', port, strictPort: port !== 0 } }),
      )
      open.push(() => dev.close())
      await (port === 0 ? listenAnywhere(dev) : dev.listen())
      dev.printUrls()
      const origin = `http://127.0.0.1:${portOf(dev)}`
      return { origin, panel: /https?:\S+#token=\S+/.exec(lines.all.join('\n'))?.[0] ?? '', log: lines.all }
    },
  }
}

/** Waits until a person could approve on a page of the panel. */
async function untilUsable(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('button')].some((one) => /^Approve 1/.test(one.textContent ?? '') && !one.disabled),
  )
}

/** The tokens that the worker of an origin has seen, and whether it was at work. */
async function seenBy(context: BrowserContext, origin: string): Promise<unknown> {
  const page = await context.newPage()
  await page.goto(`${origin}/`)
  const seen = await page.evaluate(async () => (await fetch('/seen')).json())
  await page.close()
  return seen
}

describe('a service worker sees no token and buys nothing:', () => {
  test('that of another app, which was on the port of the dev server before', async () => {
    const { context, service, serve } = await openWorld()
    const { origin, panel } = await serve(await leaveWorker(context, buyer))
    const page = await context.newPage()
    await page.goto(panel)
    await untilUsable(page)
    expect(await seenBy(context, origin)).toEqual([])
    expect(service.charges()).toEqual([])
  })

  test("the game's own, registered before the panel is opened and while it is open", async () => {
    const { context, service, serve } = await openWorld()
    const { origin, panel } = await serve(0, { 'public/sw.js': buyer })
    const [game, before, after] = [await context.newPage(), await context.newPage(), await context.newPage()]
    await before.goto(panel)
    await untilUsable(before)
    await game.goto(`${origin}/`)
    await register(game)
    await before.reload()
    await after.goto(panel)
    await untilUsable(before)
    await untilUsable(after)
    expect(await seenBy(context, origin)).toEqual([])
    expect(service.charges()).toEqual([])
  })

  test('one that serves a page of its own in place of the panel, and at the path of the dev server', async () => {
    const { context, service, serve } = await openWorld()
    const { origin, panel } = await serve(await leaveWorker(context, forger))
    const page = await context.newPage()
    await page.goto(`${origin}/__spritewright/`)
    expect(await page.title()).toBe('forged')
    await page.goto(panel)
    await untilUsable(page)
    expect(await seenBy(context, origin)).toEqual([])
    expect(service.charges()).toEqual([])
  })
})

describe('a service worker that an earlier server has left on the fixed port of the panel', () => {
  test('gets no use of a token in the requests of the page: the page sends none, says why, and removes it; the server refuses all', async () => {
    const { context, service, serve } = await openWorld()
    // It looks at requests alone. No page can keep its own address from a worker that looks at that too.
    const port = await leaveWorker(context, buyer.replace(' ?? /token=([^&]+)/.exec(request.url)?.[1]', ''))
    const { panel, log } = await serve(0, {}, { panel: { port } })
    const page = await context.newPage()
    await page.goto(panel)
    await page.getByText('has left a service worker').waitFor()
    expect(service.charges()).toEqual([])
    const words = log.filter((line) => line.includes('A browser has a service worker at'))
    expect(words).toEqual([expect.stringContaining(`http://127.0.0.1:${port}/`)])
    const { origin, pathname, hash } = new URL(panel)
    const answer = await fetch(`${origin}${pathname}api/offer`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json', 'x-spritewright-token': hash.slice('#token='.length) },
      body: '{"ids":["hero"]}',
    })
    expect([answer.status, (await answer.json()).error.code]).toEqual([403, 'SW_GUARD'])
    // The next page of that port has no worker any more.
    await page.goto('about:blank')
    await page.goto(panel)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0)
    expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull()
  })
})

test('a page and a permanent redirect that an earlier server had cached on the fixed port of the panel get no token', async () => {
  const { context, serve } = await openWorld()
  const asked: string[] = []
  const server = createHttpServer((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('Cache-Control', 'max-age=31536000, immutable')
    if (request.url === '/page') {
      response.setHeader('Content-Type', 'text/html')
      return void response.end('<!doctype html><title>cached</title>')
    }
    response.statusCode = 308
    response.setHeader('Location', '/page')
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const page = await context.newPage()
  for (const path of ['/', '/__spritewright/', '/index.html']) await page.goto(`http://127.0.0.1:${port}${path}`)
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })
  const { panel } = await serve(0, {}, { panel: { port } })
  await page.goto(`http://127.0.0.1:${port}/#token=x`)
  expect([await page.title(), asked.filter((path) => path === '/')]).toEqual(['cached', ['/']])
  await page.goto(panel)
  await untilUsable(page)
  expect(page.url()).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/[\\w-]{8}/$`))
})
