import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ViteDevServer } from 'vite'
import { openPanelServer, type PanelServerPorts } from '../../../plugin/panel/server/panel-server.ts'
import type { Workshop } from '../../../src/index.ts'
import { ManualClock } from '../../kit/manual-clock.ts'
import { openPanel, type PanelClient } from '../panel-client.ts'
import type { Dev } from '../server.ts'

/** The panels and clients that are open. A test file closes them after each test. */
export const open: (() => unknown)[] = []

export const hero = {
  ...{ name: 'hero', file: '/game/hero.sprite.json', prompt: 'a knight', background: 'keep', atlas: 'sprites', pixelArt: false },
  ...{ reference: { kind: 'own', path: './hero/' }, animations: [{ name: 'walk', frames: 1, take: 1, fps: 12 }] },
}
const pageOf = (letter: string) => ({
  ...{ sha256: letter.repeat(64), bytes: new TextEncoder().encode(`page ${letter}`), contentType: 'image/png', extension: 'png' },
  ...{ width: 4, height: 4 },
})
export const atlasOf = (letter: string) => ({
  name: 'hero',
  scale: 1,
  pixelArt: false,
  pages: [pageOf(letter)],
  frames: [],
  animations: [],
})
const sheetsOf = (letter: string) => ({
  sprites: [{ name: 'hero', atlas: 'hero', file: hero.file, width: 4, height: 4, isPlaceholder: false, animations: [] }],
  atlases: [atlasOf(letter)],
})
export const prices = {
  ...{ balance: 500_000n, service: { host: 'api.example.com', keyMode: 'live' }, newSprite: undefined },
  ...{ of: () => undefined, usd: () => undefined },
}
const overview = {
  ...{ items: [], own: [{ id: 'hero.walk', spec: hero, animation: hero.animations[0] }], steps: [], orphans: [], others: new Set() },
  ...{ digests: new Map(), errors: [], warnings: [], mayBuy: true, service: { kind: 'remote', host: 'api.example.com', canAsk: true } },
}
const ledger = {
  held: 0n,
  settled: 20_000n,
  restored: 0n,
  uncertain: 0n,
  elsewhere: 0n,
  lines: [],
  sprites: ['left out'],
  repaired: 0,
  warnings: [],
}

/** A handler of a dev server's requests. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown

/** The answer of these handlers to a path: status, headers and body, or `next` if none of them answers. */
export async function askServer(middlewares: readonly Middleware[], url: string, host = 'localhost:5173'): Promise<unknown> {
  const headers: Record<string, unknown> = {}
  let body: unknown
  const response = { statusCode: 200, setHeader: (name: string, value: unknown) => Object.assign(headers, { [name]: value }) }
  const end = (text: unknown): void => {
    body = [response.statusCode, headers, text]
  }
  for (const one of middlewares) {
    let isNext = false
    await one({ url, method: 'GET', headers: { host } } as never, Object.assign(response, { end }) as never, () => {
      isNext = true
    })
    if (!isNext) return body
  }
  return 'next'
}

/** The panel of a dev server whose project answers from here, and everything that it has asked the project. */
export function opened(own: Partial<Workshop> = {}, options: Workshop['options'] = { engine: 'pixi', panel: {} } as never) {
  const calls: unknown[][] = []
  const keep =
    (name: string, answer: unknown) =>
    async (...asked: readonly unknown[]): Promise<unknown> => {
      calls.push([name, ...asked.filter((one) => !(one instanceof AbortSignal))])
      return answer
    }
  const clock = new ManualClock()
  const middlewares: Middleware[] = []
  const lines: string[] = []
  const print = (level: string) => (line: string) => lines.push(level + line)
  const logger = { info: print(''), warn: print('warn: '), error: print('error: ') }
  const http = Object.assign(new EventEmitter(), { listening: true, address: () => ({ address: '127.0.0.1', port: 5173 }) })
  const server = {
    ...{
      httpServer: http,
      resolvedUrls: null,
      middlewares: { use: (one: Middleware) => middlewares.push(one) },
      printUrls: () => {},
      listen: async () => {},
    },
    config: { base: '/game/', root: '/game', server: { allowedHosts: [] }, inlineConfig: {}, logger, logLevel: 'info' },
  }
  const workshop = {
    options,
    host: {
      ...{ clock, terminal: { isOutputTerminal: true } },
      disk: { stat: async () => ({ isFolder: false }), read: async (path: string) => new TextEncoder().encode(path) },
      random: { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) },
    },
    containsKey: (bytes: Uint8Array) => Buffer.from(bytes).includes('KEY'),
    overview: async () => overview,
    ledger: async () => ledger,
    requests: { list: async () => [] },
    pending: keep('pending', { orders: [], mayBuy: true, canAsk: true }),
    prices: keep('prices', prices),
    delivered: keep('delivered', { take: 3, sheets: sheetsOf('b'), quality: undefined }),
    atlases: keep('atlases', sheetsOf('c')),
    trust: { touchState: async () => undefined },
    ...own,
  }
  const preview = { sheets: sheetsOf('a'), errors: [], specs: [] }
  let isNew = true
  const ports = {
    ...{ workshop, root: '/game', base: '/game/' },
    names: async () => ['coin', 'hero'],
    shown: async () => ({ preview, isComplete: true }),
    show: async (name: string) => {
      calls.push(['show', name])
      return { preview, isNew }
    },
    page: (sha256: string) => (sha256 === 'a'.repeat(64) ? pageOf('a') : undefined),
  } as unknown as PanelServerPorts
  const panel = openPanelServer(server as unknown as ViteDevServer, ports)
  open.push(() => panel.close())
  const log = { all: lines }
  return {
    ...{ calls, clock, lines, http, panel },
    /** The answer of the dev server itself to a path, or `next` if the panel leaves it to Vite. */
    ask: (url: string, host?: string) => askServer(middlewares, url, host),
    knowPreview: () => {
      isNew = false
    },
    /** Opens the panel as the start of the server does. */
    connect: async (): Promise<PanelClient> => {
      await (server.listen as () => Promise<void>)()
      const client = await openPanel({ server, log } as unknown as Dev)
      open.push(() => client.close())
      return client
    },
  }
}
