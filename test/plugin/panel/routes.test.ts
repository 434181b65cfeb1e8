import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ViteDevServer } from 'vite'
import { afterEach, describe, expect, test } from 'vitest'
import { OfferChanged } from '../../../plugin/panel/server/approval-offer.ts'
import type { PanelOrigin } from '../../../plugin/panel/server/origin.ts'
import { readPanelFile } from '../../../plugin/panel/server/page-files.ts'
import { createPanelHandler, type PanelRoutes } from '../../../plugin/panel/server/routes.ts'
import type { PanelOffer } from '../../../plugin/protocol/actions.ts'
import { type ErrorCode, SpritewrightError } from '../../../src/errors.ts'
import type { BuiltPage } from '../../../src/index.ts'
import { MemoryDisk } from '../../kit/memory-disk.ts'

const token = 'secret'
const prefix = '/fresh/'
const page = { bytes: new TextEncoder().encode('page'), contentType: 'image/png' } as unknown as BuiltPage

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

interface Panel {
  get(path: string, init?: { method?: string; headers?: Record<string, string>; body?: string }): Promise<Answer>
  /** An action with everything that the guard wants. */
  act(name: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Files that were asked for. */
  readonly files: string[]
}

/** The panel's routes on a server of their own. */
async function panel(own: Partial<PanelRoutes> = {}): Promise<Panel> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  open.push(() => new Promise((resolve) => http.close(() => resolve())))
  const { port } = http.address() as AddressInfo
  const vite = {
    middlewares: (request: IncomingMessage, response: ServerResponse) => void response.end(`Vite: ${request.url}`),
    config: { base: '/game/', server: { allowedHosts: [] } },
  } as unknown as ViteDevServer
  const files: string[] = []
  let overtaken = 0
  const origin = {
    token,
    prefix,
    listening: { httpServer: http, resolvedUrls: null, config: { server: {} } },
    get isOvertaken() {
      return overtaken > 0
    },
    overtake: () => void overtaken++,
  } as unknown as PanelOrigin
  const handle = createPanelHandler(vite, {
    origin,
    root: '/game',
    actions: {} as PanelRoutes['actions'],
    file: async (path) => {
      files.push(path)
      return path.includes('missing') ? undefined : { bytes: new TextEncoder().encode(`file ${path}`), contentType: 'text/html' }
    },
    page: (sha256) => (sha256.startsWith('a') ? { ...page, sha256 } : undefined),
    reads: {
      state: async (query) => ({ open: query.get('open') }),
      frames: async (query) => ({ of: query.get('animation') }),
      atlases: async () => ({ atlases: [] }),
      ledger: async () => 'a line '.repeat(10_000),
    },
    events: (response) => void response.end('events'),
    maySend: () => true,
    ...own,
  })
  http.on('request', handle)
  const get: Panel['get'] = (path, { method = 'GET', headers: more = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const sent = send(
        { host: '127.0.0.1', port, path, method, headers: { host: `127.0.0.1:${port}`, ...more }, agent: false },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() }),
          )
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  return {
    get,
    files,
    act: (name, body = {}, more = {}) =>
      get(`${prefix}api/${name}`, {
        method: 'POST',
        headers: {
          ...{ origin: `http://127.0.0.1:${port}`, 'content-type': 'application/json', 'x-spritewright-token': token },
          ...more,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}

describe('a file of the panel', () => {
  test.each(['app.js', 'assets/app-4f_2.min.js', 'a/b/c.d/e'])('%s is asked for by its name', async (name) => {
    const { get, files } = await panel()
    expect(await get(`${prefix}${name}?v=1`)).toMatchObject({ status: 200, text: `file ${name}` })
    expect(files).toEqual([name])
  })

  test.each([
    '../secret',
    'a/../b',
    './a',
    '.env',
    'a/.env',
    'a..b',
    'a.',
    'a./b',
    'a//b',
    'a/',
    '/a',
    'a%2e%2e',
    'a\\b',
    'a:b',
    'a b',
    'a.js~',
    'a/b.~c',
    'a/~',
    'assets/a.j$s',
  ])('%j is no name of one, and nothing is read', async (name) => {
    const { get, files } = await panel()
    expect((await get(`${prefix}${encodeURI(name).replaceAll('%255', '%5').replaceAll('%25', '%')}`)).status).toBe(404)
    expect(files).toEqual([])
  })

  test('is the page where no name is given, and may be framed by nobody', async () => {
    const { get, files } = await panel()
    const { status, headers } = await get(prefix)
    expect([status, files]).toEqual([200, ['index.html']])
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['content-security-policy']).toContain("default-src 'none'")
  })

  test('removes what an earlier server has left in the browser, once for each page', async () => {
    const { get } = await panel()
    expect((await get(prefix)).headers['clear-site-data']).toBe('"storage"')
    expect((await get(`${prefix}app.js`)).headers['clear-site-data']).toBeUndefined()
  })

  test('is sent without its bytes for HEAD; one that is not there is 404; other methods are refused', async () => {
    const { get } = await panel()
    expect(await get(`${prefix}app.js`, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    expect((await get(`${prefix}missing.js`)).status).toBe(404)
    expect(await get(`${prefix}app.js`, { method: 'DELETE' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    expect(await get(`${prefix}app.js`, { method: 'OPTIONS' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  })

  test('is nowhere but under the path of this start', async () => {
    const { get, files } = await panel()
    for (const path of ['/', '/index.html', '/fresh', '/freshest/', '/api/state', '//fresh/', 'http://127.0.0.1/fresh/'])
      expect([path, (await get(path)).status]).toEqual([path, 404])
    expect(files).toEqual([])
  })

  test('is opened in an editor by Vite', async () => {
    const { get } = await panel()
    expect((await get(`${prefix}__open-in-editor?file=a.json`)).text).toBe('Vite: /game/__open-in-editor?file=a.json')
    expect((await get(`${prefix}__open-in-editor?file=a`, { headers: { 'sec-fetch-site': 'same-site' } })).status).toBe(403)
  })

  test('is read from the built page by the ending of its name', async () => {
    const disk = new MemoryDisk()
    const at = join(import.meta.dirname, '../../../dist/plugin/panel')
    for (const name of ['index.html', 'a/app.js', 'x.css', 'x.svg', 'x.png', 'x.woff2', 'notes.txt'])
      disk.files.set(join(at, name), new TextEncoder().encode(name))
    const read = async (name: string) => (await readPanelFile({ disk } as never, name))?.contentType
    expect(await Promise.all(['index.html', 'a/app.js', 'x.css', 'x.svg', 'x.png', 'x.woff2'].map(read))).toEqual([
      'text/html; charset=utf-8',
      'text/javascript; charset=utf-8',
      'text/css; charset=utf-8',
      'image/svg+xml',
      'image/png',
      'font/woff2',
    ])
    expect(await Promise.all(['notes.txt', 'none.js', 'a'].map(read))).toEqual([undefined, undefined, undefined])
    expect((await readPanelFile({ disk } as never, 'x.css'))?.bytes).toEqual(new TextEncoder().encode('x.css'))
  })
})

describe('a service worker', () => {
  test.each(['', 'app.js', 'sw.js', 'api/state'])('is none at %j; a browser that asks for one ends all actions', async (path) => {
    let calls = 0
    const { get, act } = await panel({ actions: { undo: async () => ++calls } as unknown as PanelRoutes['actions'] })
    const undo = { sprite: 'hero', digest: 'a'.repeat(64) }
    const first = await get(prefix + path)
    expect((await act('undo', undo)).status).toBe(200)
    const asked = await get(prefix + path, { headers: { 'service-worker': 'script' } })
    expect([asked.status, asked.headers['content-type']]).toEqual([403, 'application/json'])
    for (const { headers } of [first, asked]) expect(headers['service-worker-allowed']).toBeUndefined()
    const refused = await act('undo', undo)
    expect([refused.status, JSON.parse(refused.text).error.code, calls]).toEqual([403, 'SW_GUARD', 1])
    expect(first.headers['content-security-policy'] ?? "worker-src 'none'").toContain("worker-src 'none'")
  })

  test('is none outside of the path of this start either', async () => {
    const { get } = await panel()
    expect((await get('/sw.js', { headers: { 'service-worker': 'script' } })).status).toBe(403)
  })
})

describe('what the panel reads', () => {
  test('comes as JSON that nobody keeps', async () => {
    const { get } = await panel()
    const state = await get(`${prefix}api/state?open=hero`)
    expect(state).toMatchObject({
      status: 200,
      text: '{"open":"hero"}',
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    })
    expect((await get(`${prefix}api/frames?animation=hero.walk`)).text).toBe('{"of":"hero.walk"}')
    expect((await get(`${prefix}api/atlases`)).text).toBe('{"atlases":[]}')
    expect(await get(`${prefix}api/events`)).toMatchObject({ text: 'events', headers: { 'cache-control': 'no-store' } })
    expect((await get(`${prefix}api/nothing`)).status).toBe(404)
    expect((await get(`${prefix}api/state`, { method: 'POST' })).status).toBe(405)
  })

  test('is compressed if it is long, for those who read that', async () => {
    const { get } = await panel()
    const plain = await get(`${prefix}api/ledger`)
    const zipped = await get(`${prefix}api/ledger`, { headers: { 'accept-encoding': 'br, gzip' } })
    expect([plain.headers['content-encoding'], zipped.headers['content-encoding']]).toEqual([undefined, 'gzip'])
    expect(zipped.text.length * 50).toBeLessThan(plain.text.length)
    expect((await get(`${prefix}api/atlases`, { headers: { 'accept-encoding': 'gzip' } })).text).toBe('{"atlases":[]}')
  })

  test('is not for pages of other sites', async () => {
    const { get } = await panel()
    const page = `pages/${'a'.repeat(64)}.png`
    for (const path of ['api/state', 'api/frames', 'api/atlases', 'api/events', page]) {
      const from = async (site: string) => (await get(prefix + path, { headers: { 'sec-fetch-site': site } })).status
      expect(await Promise.all(['same-origin', 'none', 'same-site', 'cross-site'].map(from))).toEqual([200, 200, 403, 403])
    }
    expect((await get(prefix + page.replace('aa', 'ba'))).status).toBe(404)
  })

  test('never holds the key', async () => {
    const { get } = await panel({ reads: { state: async () => ({ key: 'sw_live_1' }) }, maySend: (text) => !text.includes('sw_live_1') })
    const { status, text } = await get(`${prefix}api/state`)
    expect(status).toBe(500)
    expect(text).not.toContain('sw_live_1')
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'SW_KEY_EXPOSED' } })
  })
})

describe('an action', () => {
  const actions = (take: () => Promise<unknown>) => ({ actions: { undo: take, quote: take } as unknown as PanelRoutes['actions'] })
  const undo = { sprite: 'hero', digest: 'a'.repeat(64) }

  test('gets its body, and answers with its result', async () => {
    const asked: unknown[] = []
    const { act } = await panel({
      actions: {
        undo: async (ask: unknown) => {
          asked.push(ask)
          return { revision: 3 }
        },
      } as unknown as PanelRoutes['actions'],
    })
    expect(await act('undo', undo)).toMatchObject({ status: 200, text: '{"revision":3}' })
    expect(asked).toEqual([undo])
  })

  test('that is refused says so, and by which method it is taken', async () => {
    let calls = 0
    const { act, get } = await panel(actions(async () => ++calls))
    const wrongMethod = await get(`${prefix}api/undo`)
    expect(wrongMethod).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    const wrongToken = await act('undo', undo, { 'x-spritewright-token': 'guess' })
    expect(wrongToken.status).toBe(403)
    expect(wrongToken.headers.allow).toBeUndefined()
    expect(JSON.parse(wrongToken.text)).toMatchObject({ error: { code: 'SW_GUARD' } })
    expect((await act('undo', undo, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await act('undo', 'x')).status).toBe(400)
    expect((await act('undo', { ...undo, digest: 'short' })).status).toBe(400)
    expect(calls).toBe(0)
  })

  test('with too long a body is refused before it is read to its end, with and without its length', async () => {
    const { act } = await panel(actions(async () => ({})))
    const long = JSON.stringify({ ...undo, more: 'x'.repeat(300 * 1024) })
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }] as Record<string, string>[])
      await act('undo', long, headers).then(
        (answer) => expect(answer).toMatchObject({ status: 413, headers: { connection: 'close' } }),
        // The server may close before the client has sent everything.
        (error: { code?: string }) => expect(['ECONNRESET', 'EPIPE']).toContain(error.code),
      )
  })

  test.each<readonly [ErrorCode, number]>([
    ['SW_USAGE', 400],
    ['SW_SPEC', 400],
    ['SW_UNREACHABLE', 502],
    ['SW_CHANGED', 409],
    ['SW_UNCERTAIN', 409],
    ['SW_DISK', 500],
  ])('that throws %s answers with %i, its code, and what it is about', async (code, status) => {
    const error = new SpritewrightError(code, { message: 'so it is', facts: { id: 'hero.walk' } } as never)
    const { act } = await panel(actions(async () => Promise.reject(error)))
    const answer = await act('undo', undo)
    expect([code, answer.status]).toEqual([code, status])
    expect(JSON.parse(answer.text)).toEqual({ error: { code, message: 'so it is', id: 'hero.walk' } })
  })

  test('that throws several errors answers with the gravest status of them, and all that they say', async () => {
    const errors = [new SpritewrightError('SW_REFERENCE', { message: 'one' }), new SpritewrightError('SW_SPEC', { message: 'two' })]
    const { act } = await panel(actions(async () => Promise.reject(new AggregateError(errors))))
    expect(await act('undo', undo)).toMatchObject({ status: 400, text: '{"error":{"code":"SW_REFERENCE","message":"one\\ntwo"}}' })
  })

  test('that throws anything else answers with 500; a changed offer comes with the offer of now', async () => {
    const broken = await panel(actions(async () => Promise.reject(new Error('oh'))))
    expect(await broken.act('undo', undo)).toMatchObject({ status: 500, text: '{"error":{"code":"SW_INTERNAL","message":"oh"}}' })
    const offer = { lines: [], sum: '0', ceilings: '0', balance: '1', untouched: [] } satisfies PanelOffer
    const changed = await panel(actions(async () => Promise.reject(new OfferChanged(offer, { lines: [] }))))
    const answer = await changed.act('undo', undo)
    expect([answer.status, JSON.parse(answer.text).offer]).toEqual([409, offer])
  })
})
