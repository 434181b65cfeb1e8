import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket } from 'undici'
import type { InlineConfig, Plugin, ViteDevServer } from 'vite'
import type { SpriteUpdate } from '../../plugin/runtime/shared/data.ts'
import { readSheet, type SheetUpdate } from '../../plugin/runtime/shared/sheet.ts'
import { listenAnywhere } from '../kit/listen.ts'
import { configOf, createHappenings, type Game, type Happenings, keptLog, type TestPlugin, type Vite } from './world.ts'

/** A message to a page's socket. Sheets are converted to the sprites that a page reads from them. */
export interface HotMessage {
  readonly type: string
  readonly event?: string
  readonly data?: SpriteUpdate
  readonly err?: {
    readonly message: string
    readonly stack: string
    readonly plugin?: string
    readonly id?: string
    readonly loc?: unknown
  }
}

/** An answer. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  readonly text: string
}

/** A running dev server, as a browser sees it. */
export interface Dev {
  readonly server: ViteDevServer
  readonly log: Happenings<string>
  /** Resolves when the present server, perhaps a restarted one, has seen all files and reports each change. */
  watching(): Promise<unknown>
  /** Messages to the connected page, after Vite's greeting. */
  readonly told: Happenings<HotMessage>
  /** Sends an event to the server, as the page's code does. */
  say(event: string, data: object): void
  /** Sends a path unchanged, without the clean-up of a browser. */
  get(path: string, options?: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> }): Promise<Answer>
  /** All modules that a page loads from a first one on, by URL. */
  crawl(first: string): Promise<ReadonlyMap<string, string>>
  close(): Promise<void>
}

/** The current port of a server. A restarted server may have another one. */
export function portOf({ httpServer }: Pick<ViteDevServer, 'httpServer'>): number {
  return (httpServer?.address() as AddressInfo | null)?.port ?? 0
}

/** Starts a server, waits until it watches, and connects a page to it. */
export async function startDev({ createServer }: Vite, game: Game, plugin: TestPlugin, more: InlineConfig = {}): Promise<Dev> {
  let isWatching: Promise<unknown> = Promise.resolve()
  const watching: Plugin = {
    name: 'test:watching',
    enforce: 'pre',
    configureServer: ({ watcher }) => {
      isWatching = new Promise((resolve) => watcher.once('ready', resolve))
    },
  }
  const { logger, lines } = keptLog()
  const config = configOf(game, plugin, {
    logLevel: 'info',
    customLogger: logger,
    ...more,
    plugins: [watching],
    server: { host: '127.0.0.1', ...more.server },
  })
  const server = await createServer({ ...config, plugins: [watching, plugin.plugins] })
  await listenAnywhere(server)
  await isWatching
  const port = (): number => portOf(server)
  const told = createHappenings<HotMessage>()
  const socket = new WebSocket(`ws://127.0.0.1:${port()}${server.config.base}?token=${server.config.webSocketToken}`, 'vite-hmr')
  socket.addEventListener('message', ({ data }) => {
    const message = readMessage(String(data))
    if (message.type !== 'ping' && message.type !== 'connected') told.push(message)
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('message', resolve, { once: true })
    socket.addEventListener('error', reject)
  })
  const get: Dev['get'] = (path, { method = 'GET', headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: port(), path, method, headers, agent: false }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => {
          const body = Buffer.concat(parts)
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString() })
        })
      })
      sent.on('error', reject).end()
    })
  return {
    server,
    log: lines,
    watching: () => isWatching,
    told,
    say: (event, data) => socket.send(JSON.stringify({ type: 'custom', event, data })),
    get,
    crawl: async (first) => {
      const modules = new Map<string, string>()
      const queue = [first]
      for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
        if (modules.has(url)) continue
        const answer = await get(url, { headers: { accept: '*/*' } })
        if (answer.status !== 200) throw new Error(`Expected ${url}, found ${answer.status}: ${answer.text.slice(0, 2000)}`)
        modules.set(url, answer.text)
        for (const [, specifier] of answer.text.matchAll(/(?:from|import)\s*\(?"([^"]+)"/g))
          if (specifier) queue.push(new URL(specifier, `http://x${url}`).href.slice('http://x'.length))
      }
      return modules
    },
    close: async () => {
      socket.close()
      await server.close()
    },
  }
}

/** Parses a message of Vite's socket as a page does. */
export function readMessage(text: string): HotMessage {
  const message = JSON.parse(text) as HotMessage & { readonly data?: SheetUpdate }
  if (message.event !== 'spritewright:update') return message
  const { sheets, ...more } = message.data as SheetUpdate
  return { ...message, data: { sprites: sheets.flatMap(readSheet), ...more } }
}

/** The update that contains these sprites. */
export function isUpdateOf(...names: readonly string[]): (message: HotMessage) => boolean {
  return ({ event, data }) => event === 'spritewright:update' && names.every((name) => data?.sprites.some((sprite) => sprite.name === name))
}
