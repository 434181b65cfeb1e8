import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { resolve } from 'node:path'
import type { InlineConfig, ViteDevServer } from 'vite'
import type { Workshop } from '../../../src/index.ts'
import { type ListeningServer, ownAddress } from '../../http/guard.ts'
import type { PluginLog } from '../../log.ts'

/** The server of the panel: an origin that no other page, service worker or cache has. */
export interface PanelOrigin {
  readonly token: string
  /**
   * Path of the page, between slashes. It is new in each process, so no browser has a response or a redirect of an
   * earlier server for it.
   */
  readonly prefix: string
  /** Address of the page without the token; `undefined` if the server does not listen. */
  readonly url: string | undefined
  /** The server as the guard sees it. */
  readonly listening: ListeningServer
  /** Whether a browser has a service worker here, which an earlier server left. It can read the token. */
  readonly isOvertaken: boolean
  /** Notes such a service worker. */
  overtake(): void
  /**
   * Listens, if it does not listen yet. Prints why, if it cannot.
   *
   * @param isRestart Whether Vite restarts. Vite then prints no addresses, so a new one is printed here.
   * @default no
   */
  open(isRestart?: boolean): Promise<void>
  /** Prints the address with the token, in the terminal alone. */
  print(): void
  close(): Promise<void>
}

/** What a server leaves to its successor after a restart, so that an open panel keeps working. */
interface Legacy {
  readonly token: string
  readonly prefix: string
  port?: number
  isOvertaken: boolean
  /** The panel of the newest server. */
  newest?: PanelOrigin
}

/** Why nothing is accepted any more. */
export const overtakenWords: string =
  'Expected no service worker at this address, found one, which may have read the token. Nothing is accepted from here. The terminal says what to do.'

const legacies = new WeakMap<InlineConfig, Legacy>()

/**
 * The ports that are drawn from. No system gives them out by itself, and few servers have one as their usual port.
 * So hardly any browser has a service worker there.
 */
const [firstPort, countOfPorts] = [20_000, 10_000]

/** How many ports are tried. */
const draws = 8

/**
 * Creates the panel's server beside a dev server. It does not listen yet. It listens on loopback; with
 * `panel.port` it listens where the dev server does.
 */
export function createPanelOrigin(
  server: ViteDevServer,
  { host, options }: Workshop,
  log: PluginLog,
  handle: RequestListener,
): PanelOrigin {
  const { inlineConfig, server: settings } = server.config
  const text = (bytes: number): string => Buffer.from(host.random.bytes(bytes)).toString('base64url')
  const legacy = legacies.get(inlineConfig) ?? { token: text(32), prefix: `/${text(6)}/`, isOvertaken: false }
  legacies.set(inlineConfig, legacy)
  const fixed = options.panel.port
  /** Whether other machines are to reach it. */
  const isOpen = (): boolean => fixed !== undefined && server.httpServer?.listening === true && !ownAddress(server).isLoopback
  let listener: ReturnType<typeof createServer> | undefined
  let twin: ReturnType<typeof createServer> | undefined
  const listenAt = async (port: number, address: string | undefined): Promise<ReturnType<typeof createServer>> => {
    const made = settings.https ? createSecureServer(await readTls(settings.https, host.disk), handle) : createServer(handle)
    made.listen(port, address)
    await once(made, 'listening')
    return made
  }
  /**
   * A touch needs the page at `localhost`, which a browser may look for at `::1` first. Another server that listened
   * there would get the page's token. So a port is free only if both addresses are.
   */
  const listen = async (port: number): Promise<void> => {
    const place = isOpen() ? server.httpServer?.address() : undefined
    const made = await listenAt(port, typeof place === 'object' ? place?.address : '127.0.0.1')
    try {
      if (!isOpen()) twin = await listenAt(port, '::1')
    } catch (error) {
      // Without IPv6, nobody listens there.
      if (!/^(?:EADDRNOTAVAIL|EAFNOSUPPORT)$/.test((error as NodeJS.ErrnoException).code ?? '')) {
        await closeServer(made)
        throw error
      }
    }
    listener = made
    legacy.port = port
  }
  const open = async (isRestart: boolean): Promise<void> => {
    const before = legacy.port
    const drawn = Array.from({ length: draws }, () => firstPort + (Buffer.from(host.random.bytes(2)).readUInt16BE() % countOfPorts))
    const ports = fixed === undefined ? [...(legacy.port === undefined ? [] : [legacy.port]), ...drawn] : [fixed]
    let failure: unknown
    for (const port of ports) {
      try {
        await listen(port)
        // Vite prints no addresses in a server of another program either.
        if (!server.httpServer || (isRestart && before !== port)) origin.print()
        return
      } catch (error) {
        failure = error
      }
    }
    const { code = String(failure) } = failure as NodeJS.ErrnoException
    const [what, advice] =
      fixed === undefined ? [`one of ${ports.length} ports`, ''] : [`port ${fixed}`, ' Free it, or choose another panel.port.']
    log.error(
      `Expected to serve the panel at ${what} of this machine, found ${code}. The game runs without the panel.${advice} Then restart vite.`,
    )
  }
  let opening: Promise<void> | undefined
  const origin: PanelOrigin = {
    token: legacy.token,
    prefix: legacy.prefix,
    get isOvertaken() {
      return legacy.isOvertaken
    },
    overtake: () => {
      if (!legacy.isOvertaken)
        log.error(
          `A browser has a service worker at ${origin.url}, which an earlier server on that port left. It can read the token, so the panel accepts nothing more. Delete the browser's data of that address, end vite and start it again${fixed === undefined ? '' : ', with a panel.port that no other server uses'}.`,
        )
      legacy.isOvertaken = true
    },
    get listening() {
      const { local = [], network = [] } = server.resolvedUrls ?? {}
      const here = (url: string): string => Object.assign(new URL(url), { port: String(legacy.port) }).href
      return {
        httpServer: listener ?? null,
        resolvedUrls: { local: local.map(here), network: network.map(here) },
        // The game's own origin may be that of a proxy. It is none of the panel's.
        config: { server: { ...settings, origin: '' } },
      } as ListeningServer
    },
    get url() {
      if (!listener) return undefined
      const { local = [], network = [] } = server.resolvedUrls ?? {}
      const [named = 'http://localhost'] = [...local, ...(isOpen() || ownAddress(server).isLoopback ? network : [])]
      // A certificate has a name. Without one, an address cannot lead elsewhere, and shares no cookie with localhost.
      const name = settings.https || isOpen() ? new URL(named).hostname : '127.0.0.1'
      return `${settings.https ? 'https' : 'http'}://${name}:${legacy.port}${legacy.prefix}`
    },
    open: (isRestart = false) => {
      if (!listener) opening = (opening ?? Promise.resolve()).then(() => (listener ? undefined : open(isRestart)))
      return opening ?? Promise.resolve()
    },
    print: () => {
      if (listener) server.config.logger.info(`  ➜  Sprites: ${origin.url}#token=${legacy.token}`)
    },
    close: async () => {
      await opening
      if (!listener) return
      await Promise.all([listener, twin].map(closeServer))
      listener = undefined
      twin = undefined
      // In a server of another program, Vite restarts without a call of `listen`. The port is free only now.
      if (legacy.newest !== origin && !server.httpServer) await legacy.newest?.open(true)
    },
  }
  legacy.newest = origin
  return origin
}

async function closeServer(server: ReturnType<typeof createServer> | undefined): Promise<void> {
  if (!server) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

/** Reads the files of a TLS configuration, as Vite does: a text that names no file is the content itself. */
async function readTls<T extends object>(https: T, disk: Workshop['host']['disk']): Promise<T> {
  const read = async ([name, value]: [string, unknown]): Promise<[string, unknown]> => [
    name,
    typeof value === 'string' && /^(?:ca|cert|key|pfx)$/.test(name) ? await disk.read(resolve(value)).catch(() => value) : value,
  ]
  return Object.fromEntries(await Promise.all(Object.entries(https).map(read))) as T
}
