import type { Browser, Page } from 'playwright-core'
import type { InlineConfig } from 'vite'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { listenAnywhere } from '../kit/listen.ts'
import { patienceMs } from '../kit/patience.ts'
import { tls } from '../plugin/tls.ts'
import { configOf, keptLog, noNet, openSource, pluginOf, vites } from '../plugin/world.ts'
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

/** A dev server of a game, and a browser's window that trusts its certificate. */
async function start(server: InlineConfig['server'], files: Readonly<Record<string, string>> = {}) {
  const game = await openSource({ 'index.html': '<!doctype html><link rel="icon" href="data:,"><title>game</title>', ...files })
  open.push(() => game.remove())
  const { logger, lines } = keptLog()
  const [, load] = vites[0]!
  const { createServer } = await load()
  const plugin = pluginOf(game, { net: noNet() })
  const dev = await createServer(
    configOf(game, plugin, { logLevel: 'info', customLogger: logger, server: { host: '127.0.0.1', ...server } }),
  )
  open.push(() => dev.close())
  await listenAnywhere(dev)
  dev.printUrls()
  const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce' })
  open.push(() => context.close())
  const address = new URL(/https?:\S+#token=\S+/.exec(lines.all.join('\n'))?.[0] ?? '')
  return { game, page: await context.newPage(), origin: dev.resolvedUrls?.local[0] ?? '', address }
}

declare global {
  var opened: Window | null
}

/** Everything that a page of the game learns of a window that it has opened; the token if it can. */
function peek(page: Page): Promise<unknown> {
  return page.evaluate(() => {
    try {
      const { opened } = globalThis
      if (!opened || opened.closed) return 'nothing'
      return (opened.history.state as { token?: unknown } | null)?.token ?? opened.document.title
    } catch {
      return 'nothing'
    }
  })
}

test.each([
  ['without a policy of its own', {}],
  ['that keeps its windows to its origin', { 'Cross-Origin-Opener-Policy': 'same-origin' }],
  ['that keeps its pop-ups', { 'cross-origin-opener-policy': 'same-origin-allow-popups' }],
] as const)('a game %s opens the panel, and gets no hold of it when somebody brings the token', async (_name, headers) => {
  const { page, origin, address } = await start({ headers })
  await page.goto(origin)
  const openWindow = async (path: string): Promise<Page> => {
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate((where) => {
        globalThis.opened = window.open(where)
      }, path),
    ])
    await popup.waitForLoadState()
    return popup
  }
  await openWindow('/')
  expect(await peek(page)).toBe('game')
  const panel = await openWindow(address.origin + address.pathname)
  await panel.goto(address.href)
  await panel.waitForFunction(() => typeof (history.state as { token?: unknown } | null)?.token === 'string')
  expect(await peek(page)).toBe('nothing')
  // A page that was in the panel's tab before learns nothing either.
  const game = await openWindow('/')
  await game.goto(address.href)
  await game.waitForFunction(() => typeof (history.state as { token?: unknown } | null)?.token === 'string')
  expect(await peek(page)).toBe('nothing')
})

test('over TLS the panel shows, listens and writes', async () => {
  const { page, game, address } = await start({ https: tls })
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await page.goto(`${address.origin}${address.pathname}?show=hero.walk${address.hash}`)
  const fps = page.getByRole('spinbutton', { name: 'Frames a second' })
  await fps.fill('15')
  await page.keyboard.press('Enter')
  // The file is written, the server sees it, and the page receives the change.
  const shown = (): Promise<number> => page.evaluate(async () => (await (await fetch('api/sprite?name=hero')).json()).animations[0].fps)
  await vi.waitUntil(async () => (await shown()) === 15, { timeout: patienceMs })
  expect(await game.read('sprites/hero.sprite.json')).toContain('"fps": 15')
  expect(address.protocol).toBe('https:')
  expect(complaints).toEqual([])
})
