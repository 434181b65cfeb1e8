import type { IncomingMessage } from 'node:http'
import { relative } from 'node:path'
import type { ViteDevServer } from 'vite'
import { pagesOf } from '../../../atlas/layers/variants-of.ts'
import { oneByOne } from '../../../src/host/one-by-one.ts'
import { type BuiltPage, type Preview, type PriceList, SpritewrightError, type Workshop } from '../../../src/index.ts'
import { createPageShelf, type PageShelf } from '../../http/pages.ts'
import { createLog } from '../../log.ts'
import type { PanelAtlases, PanelFrames, PanelLedger, PanelSprite } from '../../protocol/protocol.ts'
import { toPanelAtlases } from '../../protocol/state/atlas.ts'
import { toJson } from '../../protocol/state/json.ts'
import { toPanelProgress } from '../../protocol/state/paid.ts'
import { toPanelFrames } from '../../protocol/state/sprite.ts'
import { accessOf } from './access.ts'
import { createActions } from './actions.ts'
import { printAddress } from './address.ts'
import { atService, createBuyer } from './buyer.ts'
import { createEventHub } from './events.ts'
import { createPanelOrigin, type PanelOrigin } from './origin.ts'
import { readPanelFile } from './page-files.ts'
import { createStatePublisher, type StatePorts } from './publisher.ts'
import { createPanelHandler, redirectToPanel } from './routes.ts'

/** The dependencies of the panel and of buying in dev. */
export interface PanelServerPorts {
  readonly workshop: Workshop
  readonly root: string
  /** Public base path, beginning and ending with a slash. */
  readonly base: string
  /**
   * Returns the sprites that the game shows now, and a few more that it has not requested, until all are
   * made.
   */
  readonly shown: StatePorts['shown']
  /** Names of all sprites, sorted. */
  readonly names: () => Promise<readonly string[]>
  /** Shows a sprite. Returns all that are shown, and whether that is another preview than before. */
  readonly show: (name: string) => Promise<{ readonly preview: Preview; readonly isNew: boolean }>
  /** Finds a page that the game shows. */
  readonly page: PageShelf['find']
}

/** Address of a page, from the panel's own page. */
const urlOf = (page: BuiltPage): string => `pages/${page.sha256}.${page.extension}`

/**
 * Opens the panel of a server at an origin of its own, to which `<base>__spritewright/` leads. It buys nothing
 * before the server listens. If Vite runs in a server of another program, the panel opens when that path is requested.
 */
export function openPanelServer(server: ViteDevServer, { workshop, root, base, shown, names, show, page }: PanelServerPorts) {
  const log = createLog(server.config)
  const maySend = (text: string): boolean => !workshop.containsKey(new TextEncoder().encode(text))
  const hub = createEventHub(maySend)
  const pages = createPageShelf()
  let prices: PriceList | undefined
  let priceError: unknown
  const publisher = createStatePublisher({
    workshop,
    shown,
    publish: (event) => hub.send('state', event),
    partsOf: (request, mayBuy) => ({
      root,
      folder: relative(process.cwd(), root).replaceAll('\\', '/'),
      engines: workshop.options.engine ? [workshop.options.engine] : ['phaser', 'pixi'],
      prices,
      priceError,
      progress: buyer.progress,
      failures: buyer.failures,
      access: accessOf(origin, request, mayBuy),
      urlOf,
    }),
  })
  const { changed } = publisher
  const closing = new AbortController()
  const inOrder = oneByOne()
  const askPrices = async (): Promise<void> => {
    try {
      prices = await workshop.prices(closing.signal)
      priceError = undefined
    } catch (error) {
      priceError = error
      throw error
    } finally {
      publisher.announce()
    }
  }
  // One after another: prices that were requested earlier must not replace later ones.
  const quote = (): Promise<void> => inOrder(askPrices)
  const buyer = createBuyer({
    workshop,
    log: (line, isError) => log[isError ? 'error' : 'money'](line),
    onProgress: (progress) => hub.send('progress', toPanelProgress(progress)),
    onChange: () => {
      changed(atService)
      // Prices that were requested once are kept up to date: a purchase has changed the balance.
      if (prices && buyer.progress.size === 0 && hub.isHeard()) quote().catch(() => {})
    },
  })
  /** Makes an opened sprite before all that wait for their turn. */
  const showFirst = async (name: string): Promise<Preview> => {
    const { preview, isNew } = await show(name)
    if (isNew) publisher.announce()
    return preview
  }
  const sprite = async (name: string, request: IncomingMessage): Promise<PanelSprite> => {
    const { sheets } = await showFirst(name)
    const found = await publisher.sprite(request, name, sheets)
    if (found) return found
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected the name of a sprite whose spec is in order, found ${JSON.stringify(name)}.`,
    })
  }
  const ledger = async (): Promise<PanelLedger> => {
    const { sprites: _, ...report } = await publisher.ledger()
    return toJson(report)
  }
  const frames = async (query: URLSearchParams): Promise<PanelFrames> => {
    const id = query.get('animation') ?? ''
    const given = query.get('take')
    if (given !== null && !/^[1-9]\d{0,3}$/.test(given))
      throw new SpritewrightError('SW_USAGE', { message: `Expected the number of a take, found ${JSON.stringify(given)}.` })
    const delivered = await workshop.delivered(id, given === null ? undefined : Number.parseInt(given, 10))
    pages.put(delivered.sheets.atlases.flatMap(pagesOf))
    return toPanelFrames(id, delivered, urlOf)
  }
  const atlases = async (): Promise<PanelAtlases> => {
    const packed = await workshop.atlases()
    pages.put(packed.atlases.flatMap(pagesOf))
    return toPanelAtlases(packed, urlOf)
  }
  const isListening = (): boolean => server.httpServer?.listening === true || origin.url !== undefined
  let pause = new AbortController()
  let saved: Set<string> | undefined = new Set()
  /** An edit of a spec may restore an approved request. The buyer checks that after a pause in saving. */
  const readLater = (paths: readonly string[] | undefined): void => {
    if (!paths) saved = undefined
    else for (const path of paths) saved?.add(path)
    pause.abort()
    pause = new AbortController()
    workshop.host.clock.sleep(idleMs, pause.signal).then(
      () => {
        const due = saved && [...saved]
        saved = new Set()
        if (isListening()) void buyer.look(due)
      },
      () => {},
    )
  }
  const actions = createActions({
    workshop,
    buyer,
    isAttended: workshop.host.terminal.isOutputTerminal,
    touchOrigin: () => Object.assign(new URL(origin.url ?? 'http://localhost'), { hostname: 'localhost' }).origin,
    overview: publisher.overview,
    quote,
    changed,
  })
  const origin: PanelOrigin = createPanelOrigin(server, workshop, log, (request, response) => handle(request, response))
  const handle = createPanelHandler(server, {
    origin,
    root,
    actions,
    page: (sha256) => page(sha256) ?? pages.find(sha256),
    file: (name) => readPanelFile(workshop.host, name),
    reads: {
      names,
      state: (query, request) => publisher.state(request, query),
      sprite: (query, request) => sprite(query.get('name') ?? '', request),
      ledger,
      frames,
      atlases,
    },
    events: hub.add,
    maySend,
  })
  redirectToPanel(server, `${base}__spritewright/`, origin)
  printAddress(server, origin, log, publisher.overview)
  // A test runner opens servers too, and must buy nothing.
  server.httpServer?.once('listening', () => void (isListening() && buyer.look()))
  return {
    /** The states of all animations by the records. */
    overview: publisher.overview,
    /**
     * The sprites that the game shows have changed.
     *
     * @param paths Files that have changed, absolute; `undefined` if they are unknown.
     */
    changed: (paths: readonly string[] | undefined): void => {
      changed(paths)
      readLater(paths)
    },
    /** The lock file has changed: there may be a new approval. */
    approved: (): void => void (isListening() && buyer.look(atService)),
    /** Prints the panel's address with its token, in the terminal alone. Opens the panel first, which prints it too. */
    print: (): void => void (origin.url === undefined ? origin.open() : origin.print()),
    close: async (): Promise<void> => {
      pause.abort()
      closing.abort()
      await buyer.close()
      await inOrder(async () => {})
      hub.close()
      await origin.close()
    },
  }
}

/** Pause in saving before the saved files are checked, in milliseconds. */
const idleMs = 1000
