import type { InlineConfig, ViteDevServer } from 'vite'
import type { BuiltPage, BuiltSheets, LedgerReport, Preview, PriceList, Workshop } from '../src/index.ts'
import { SpritewrightError } from '../src/index.ts'
import { createActions } from './actions.ts'
import { createBuyer } from './buy.ts'
import { createEventHub } from './events.ts'
import { type GuardedRequest, hasToken, ownAddress } from './guard.ts'
import { createPageShelf, type PageShelf } from './pages.ts'
import type { PanelAccess, PanelFrames } from './panel/protocol.ts'
import { readPanelFile } from './panel-files.ts'
import { servePanel } from './routes.ts'
import { type StateParts, toPanelFrames, toPanelProgress, toPanelState } from './state.ts'

/** What the panel and the buying in dev work with. */
export interface DeskPorts {
  readonly workshop: Workshop
  readonly root: string
  /** Public base path, beginning and ending with a slash. */
  readonly base: string
  /** What the game is shown now, and a few sprites more that it has not asked for, until they are all. */
  readonly shown: (more: number) => Promise<{ readonly preview: Pick<Preview, 'sheets' | 'errors'>; readonly isWhole: boolean }>
  /** Path of a page on this server. */
  readonly urlOf: (page: BuiltPage) => string
}

/** The panel of a dev server, and whoever buys for it. */
export interface Desk {
  /** Pages of the panel's own: takes that the game does not show. */
  readonly pages: Pick<PageShelf, 'find'>
  /** What the game is shown has changed. */
  changed(): void
  /** The lock file has changed: somebody may have approved something. */
  approved(): void
  close(): Promise<void>
}

/** Opens the panel of a server at `<base>__spritewright/`. Nothing is bought before the server listens, and nothing at all where it does not listen by itself. */
export function openDesk(server: ViteDevServer, { workshop, root, base, shown, urlOf }: DeskPorts): Desk {
  const { logger, inlineConfig } = server.config
  const token = tokenOf(inlineConfig, workshop)
  const prefix = `${base}__spritewright/`
  const isFit = (text: string): boolean => !workshop.containsKey(new TextEncoder().encode(text))
  const hub = createEventHub(isFit)
  const pages = createPageShelf()
  let revision = 1
  let prices: PriceList | undefined
  let priceError: unknown
  const changed = (): number => {
    revision++
    hub.send('state', { revision })
    return revision
  }
  const closing = new AbortController()
  let asking: Promise<void> = Promise.resolve()
  const askPrices = async (): Promise<void> => {
    try {
      prices = await workshop.prices(closing.signal)
      priceError = undefined
    } catch (error) {
      priceError = error
      throw error
    } finally {
      changed()
    }
  }
  const quote = (): Promise<void> => {
    const run = askPrices()
    asking = Promise.allSettled([asking, run]).then(() => {})
    return run
  }
  const buyer = createBuyer({
    workshop,
    tell: (line, isError) => logger[isError ? 'error' : 'info'](`[spritewright] ${line}`, { timestamp: true }),
    onProgress: (progress) => hub.send('progress', toPanelProgress(progress)),
    onChange: () => {
      changed()
      // What was asked for once is kept true: a purchase has changed the balance.
      if (prices && buyer.progress.size === 0 && hub.isHeard()) quote().catch(() => {})
    },
  })
  const state = async (request: GuardedRequest): Promise<ReturnType<typeof toPanelState>> => {
    const at = revision
    const ledgerErrors: unknown[] = []
    const [overview, { preview, isWhole }, ledger] = await Promise.all([
      workshop.overview(),
      shown(fewSprites).catch((error: unknown) => ({ preview: { sheets: noSheets, errors: [error] }, isWhole: true })),
      workshop.ledger().catch((error: unknown) => {
        ledgerErrors.push(error)
        return noLedger
      }),
    ])
    const { sheets, errors } = preview
    // Whoever shows it asks for the others by and by.
    if (!isWhole) changed()
    const parts: StateParts = {
      root,
      revision: at,
      overview,
      sheets,
      errors: [...errors, ...ledgerErrors],
      ledger,
      prices,
      priceError,
      progress: buyer.progress,
      failures: buyer.failures,
      access: accessOf(server, request, token, overview.mayBuy),
      urlOf,
    }
    return toPanelState(parts)
  }
  const frames = async (query: URLSearchParams): Promise<PanelFrames> => {
    const id = query.get('animation') ?? ''
    const given = query.get('take')
    if (given !== null && !/^[1-9]\d{0,3}$/.test(given))
      throw new SpritewrightError('SW_USAGE', { message: `Expected the number of a take, found ${JSON.stringify(given)}.` })
    const { take, sheets: own, quality } = await workshop.delivered(id, given === null ? undefined : Number.parseInt(given, 10))
    pages.put(own.atlases.flatMap((atlas) => atlas.pages))
    return toPanelFrames(id, take, own, quality, urlOf)
  }
  const isListening = (): boolean => server.httpServer?.listening === true
  let pause = new AbortController()
  /** A spec may have become again what was approved. That is looked for when nothing has been saved for a while: it takes all specs. */
  const lookLater = (): void => {
    pause.abort()
    pause = new AbortController()
    workshop.host.clock.sleep(idleMs, pause.signal).then(
      () => void (isListening() && buyer.look()),
      () => {},
    )
  }
  const actions = createActions({ workshop, buyer, quote, changed })
  servePanel(server, {
    prefix,
    root,
    token,
    actions,
    file: (name) => readPanelFile(workshop.host, name),
    state,
    frames,
    events: hub.add,
    isFit,
  })
  printAddress(server, `__spritewright/#token=${token}`)
  // A test runner opens servers too, and buys nothing.
  server.httpServer?.once('listening', () => void (isListening() && buyer.look()))
  return {
    pages,
    changed: () => {
      changed()
      lookLater()
    },
    approved: () => void (isListening() && buyer.look()),
    close: async () => {
      pause.abort()
      closing.abort()
      await buyer.close()
      await asking
      hub.close()
    },
  }
}

/** How long nothing is saved before all specs are looked at, milliseconds. */
const idleMs = 1000

/** Sprites that are made for the panel in one go: a spec that is saved meanwhile waits for no more. */
const fewSprites = 16

const noSheets: BuiltSheets = { sprites: [], atlases: [] }

const noLedger: LedgerReport = {
  ...{ held: 0n, settled: 0n, restored: 0n, uncertain: 0n, elsewhere: 0n },
  ...{ lines: [], sprites: [], repaired: 0, warnings: [] },
}

/** One token for a server and those that take its place when it starts anew: the panel that is open goes on. */
const tokens = new WeakMap<InlineConfig, string>()

function tokenOf(config: InlineConfig, { host }: Workshop): string {
  const token = tokens.get(config) ?? Buffer.from(host.random.bytes(32)).toString('base64url')
  tokens.set(config, token)
  return token
}

function accessOf(server: ViteDevServer, request: GuardedRequest, token: string, mayBuy: boolean): PanelAccess {
  const { origins, isLoopback } = ownAddress(server)
  const { host, ':authority': authority = host } = request.headers
  const isOwn = [...origins].some((origin) => new URL(origin).host === authority)
  if (!hasToken(request.headers, token))
    return {
      mayAct: false,
      mayBuy: false,
      words: 'This page only shows. To act, open the address with #token=… that the terminal printed when the server started.',
    }
  if (!isOwn)
    return {
      mayAct: false,
      mayBuy: false,
      words: 'This page only shows: it was not opened by an address of this server. Open the one that the terminal printed.',
    }
  if (!isLoopback)
    return {
      mayAct: true,
      mayBuy: false,
      words:
        'This server can be reached from other machines (server.host), so nothing is bought from here. Approve in a terminal: spritewright approve',
    }
  if (!mayBuy) return { mayAct: true, mayBuy: false, words: 'Nothing may be bought here: CI, or build.generate is "never".' }
  return { mayAct: true, mayBuy: true, words: '' }
}

/** The panel's address stands below Vite's own, in the terminal alone. */
function printAddress(server: ViteDevServer, path: string): void {
  const print = server.printUrls
  server.printUrls = () => {
    print()
    const { local = [], network = [] } = server.resolvedUrls ?? {}
    const [url] = [...local, ...network]
    if (url !== undefined) server.config.logger.info(`  ➜  Sprites: ${url}${path}`)
  }
}
