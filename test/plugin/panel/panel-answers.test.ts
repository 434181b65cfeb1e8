import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { BuildReport, JobProgress, PendingPurchase } from '../../../src/index.ts'
import { sendRaw } from '../panel-client.ts'
import { open, opened } from './panel-project.ts'

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

test('a request that may not act is refused in words that say what it lacks', async () => {
  const { connect, lines } = opened()
  const { port, prefix, token } = await connect()
  lines.splice(0)
  const own = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}`, 'content-type': 'application/json' }
  const ask = async (path: string, more: Record<string, string> = {}, method = 'POST', body = '{}') => {
    const headers = { ...own, 'x-spritewright-token': token, ...more }
    const {
      status,
      headers: got,
      text,
    } = await sendRaw(port, { path: prefix + path, method, headers, ...(method === 'GET' ? {} : { body }) })
    return [status, got.allow, text.startsWith('{') ? JSON.parse(text).error : text]
  }
  const guard = (message: string) => ({ code: 'SW_GUARD', message })
  const usage = (message: string) => ({ code: 'SW_USAGE', message })
  const other = guard('Expected a request of the panel to its own server, found another Host or Origin.')
  const site = guard('Expected a request from the same origin, found Sec-Fetch-Site of another.')
  expect([
    await ask('api/undo', {}, 'GET'),
    await ask('api/undo', { origin: 'http://evil.example' }),
    await ask('api/undo', { 'sec-fetch-site': 'cross-site' }),
    await ask('api/undo', { 'content-type': 'text/plain' }),
    await ask('api/undo', { 'x-spritewright-token': 'guess' }),
    await ask('api/undo', {}, 'POST', '{'),
    await ask('api/undo'),
    await ask('api/undo', {}, 'POST', '{"sprite":"hero","digest":"short"}'),
    await ask('api/names', {}, 'PUT'),
    await ask('api/names', { 'sec-fetch-site': 'cross-site' }, 'GET'),
    await ask('api/names', { 'service-worker': 'script' }, 'GET'),
    await ask('api/quote'),
  ]).toEqual([
    [405, 'POST', guard('Expected POST, found GET.')],
    [403, undefined, other],
    [403, undefined, site],
    [415, undefined, guard('Expected Content-Type: application/json.')],
    [403, undefined, guard('Expected the token of the address that the terminal printed at the start; without it the panel only shows.')],
    [400, undefined, usage('Expected what "undo" takes, found no JSON. Reload the panel.')],
    [400, undefined, usage(expect.stringMatching(/^Expected what "undo" takes, found sprite: .+ Reload the panel\.$/) as never)],
    [400, undefined, usage(expect.stringMatching(/^Expected what "undo" takes, found digest: .+ Reload the panel\.$/) as never)],
    [405, 'GET, HEAD', guard('Expected GET, found PUT.')],
    [403, undefined, guard('Expected a request from the same origin.')],
    [403, undefined, guard('Expected no service worker at this address.')],
    [
      403,
      undefined,
      guard(
        'Expected no service worker at this address, found one, which may have read the token. Nothing is accepted from here. The terminal says what to do.',
      ),
    ],
  ])
  expect(lines.map((line) => line.replace(String(port), 'PORT').replace(prefix, '/p/'))).toMatchInlineSnapshot(`
    [
      "error: [spritewright] A browser has a service worker at http://127.0.0.1:PORT/p/, which an earlier server on that port left. It can read the token, so the panel accepts nothing more. Delete the browser's data of that address, end vite and start it again.",
    ]
  `)
})

test('a page of the panel may load and do this much, and an answer is kept by nobody', async () => {
  const { get } = await opened().connect()
  const headersOf = async (path: string): Promise<unknown> => {
    const { date: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...own } = (await get(path)).headers
    return own
  }
  expect([await headersOf(''), await headersOf('api/names')]).toMatchInlineSnapshot(`
    [
      {
        "cache-control": "no-cache",
        "clear-site-data": ""storage"",
        "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; worker-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "content-type": "text/html; charset=utf-8",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      },
      {
        "cache-control": "no-store",
        "content-type": "application/json",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      },
    ]
  `)
  expect((await get('assets/app.js')).text).toMatch(/dist\/plugin\/panel\/assets\/app\.js$/)
})

test('the path of the panel on the dev server leads to its own origin, and is none of any other host', async () => {
  const { ask, connect } = opened()
  const { port, prefix } = await connect()
  const [own, kept] = [`http://127.0.0.1:${port}${prefix}`, { 'Cache-Control': 'no-store' }]
  const asked = ['/', '/game/__spritewright', '/game/__spritewright/', '/game/__spritewright/?show=hero', '/game/__spritewright/app.js']
  expect(await Promise.all([...asked, '/__spritewright/'].map((path) => ask(path)))).toEqual([
    'next',
    ...['', '', '?show=hero'].map((query) => [302, { ...kept, Location: own + query }, undefined]),
    [404, kept, undefined],
    'next',
  ])
  expect(await ask('/game/__spritewright/', 'evil.example:5173')).toEqual([
    403,
    { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
    'Expected a request to a name of this server, found Host: "evil.example:5173". If that name is yours, add it to server.allowedHosts in the configuration of Vite.',
  ])
  expect(await ask('/', 'evil.example:5173')).toBe('next')
})

test('a purchase is told in the terminal and to each page, and brings prices up to date that were asked for', async () => {
  const order: PendingPurchase = { id: 'hero.walk', state: 'approved', mark: 'm', approved: 'a', ceiling: 24_000n } as never
  let orders: readonly PendingPurchase[] = [order]
  const steps: Partial<JobProgress>[] = [{ phase: 'queued' }, { phase: 'running', progress: 0.5 }]
  const built: unknown[] = []
  const { connect, panel, lines, calls } = opened({
    pending: async () => ({ orders, mayBuy: true, canAsk: true }) as never,
    build: async ({ names, buyOnly, approvedOnly, onProgress }: never) => {
      built.push({ names, buyOnly, approvedOnly })
      for (const step of steps) (onProgress as (now: object) => void)({ id: 'hero.walk', executionId: 'exe-1', ...step })
      orders = []
      return { bought: [{ id: 'hero.walk', credits: 24_000n }] } as unknown as BuildReport
    },
  })
  const { act, events } = await connect()
  await act('quote', {})
  lines.splice(0)
  calls.splice(0)
  panel.approved()
  await events.next(({ event, data }) => event === 'progress' && (data as { phase: string }).phase === 'running')
  while (calls.length === 0) await nextTurn()
  expect({ lines, built, asked: [...new Set(calls.flat())] }).toMatchInlineSnapshot(`
    {
      "asked": [
        "prices",
      ],
      "built": [
        {
          "approvedOnly": true,
          "buyOnly": true,
          "names": [
            "hero.walk",
          ],
        },
      ],
      "lines": [
        "[spritewright] hero.walk: approved up to 2.4 credits, is being bought.",
        "[spritewright] hero.walk: waits for its turn at the service.",
        "[spritewright] hero.walk: is being drawn.",
        "[spritewright] hero.walk: bought for 2.4 credits.",
      ],
    }
  `)
  expect(events.all.filter(({ event }) => event === 'progress').map(({ data }) => data)).toMatchInlineSnapshot(`
    [
      {
        "executionId": "exe-1",
        "id": "hero.walk",
        "phase": "queued",
      },
      {
        "executionId": "exe-1",
        "id": "hero.walk",
        "phase": "running",
        "progress": 0.5,
      },
    ]
  `)
})

test('a purchase that fails is an error in the terminal and a problem in the panel', async () => {
  const orders = [{ id: 'hero.walk', state: 'lost', mark: 'm', approved: 'a' }]
  const { connect, panel, lines } = opened({
    pending: async () => ({ orders, mayBuy: true, canAsk: true }) as never,
    build: async () => Promise.reject(new Error('too late')),
  })
  const { list, events } = await connect()
  lines.splice(0)
  panel.approved()
  await events.next(() => true)
  await nextTurn()
  await nextTurn()
  expect(lines).toMatchInlineSnapshot(`
    [
      "[spritewright] hero.walk: its paid result is not here, and the service is asked for it again, for free.",
      "error: [spritewright] too late",
    ]
  `)
  expect((await list()).errors).toMatchInlineSnapshot(`
    [
      {
        "code": "SW_INTERNAL",
        "id": "hero.walk",
        "message": "too late",
      },
    ]
  `)
})
